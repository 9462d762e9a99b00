#!/usr/bin/env python3
"""An engine for tic-tac-toe over the line protocol that goes wrong in one of many ways.

faulty.py MODE
"""
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
CELLS = [column + row for row in "123" for column in "abc"]


def say(text):
    print(text, flush=True)


def sleep_for_ever():
    while True:
        time.sleep(1000)


def misbehave(taken):
    """What happens when it is asked for its second move."""
    if MODE == "crash":
        sys.stderr.write("Traceback of a sort\nZeroDivisionError: as told\n")
        sys.exit(3)
    elif MODE == "signal":
        os.kill(os.getpid(), signal.SIGABRT)
    elif MODE in ("hang", "stubborn"):
        sleep_for_ever()
    elif MODE == "illegal":
        say("move " + taken[0])
    elif MODE == "word":
        say("move \x1b[31mzz\x00")
    elif MODE == "error":
        say("error I do not feel like it")
    elif MODE == "resign":
        say("info score loss 2")
        say("resign")
    elif MODE == "flood":
        while True:
            sys.stdout.write("blah\n" * 1000)
    elif MODE == "infos":
        while True:
            sys.stdout.write("info depth 1\n" * 1000)
    elif MODE == "endless":
        while True:
            sys.stdout.write("x" * 100_000)
    elif MODE == "bytes":
        while True:
            sys.stdout.buffer.write(os.urandom(100_000))
    elif MODE == "closes":
        os.close(1)
        sleep_for_ever()
    elif MODE == "grandchild":
        # Ends, while a child of it holds its output open.
        subprocess.Popen(["sleep", "1000"], close_fds=False)
        os._exit(4)
    elif MODE == "escape":
        # The same, in a session of its own: no signal to our group finds it.
        subprocess.Popen(["sleep", "3"], close_fds=False, start_new_session=True)
        os._exit(5)


if MODE == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if MODE == "mute":
    sleep_for_ever()
if MODE == "stillborn":
    sys.exit("no licence found")
if MODE == "parent":
    subprocess.Popen(["sleep", "1000"])

taken = []
for line in sys.stdin:
    command, *words = line.split() or [""]
    if command in ("tesuji", "new"):
        say("ok faulty " + MODE)
    elif command == "game":
        say("error not this one" if MODE == "refuse" else "ok")
    elif command == "position":
        taken = words
    elif command == "go":
        if len(taken) >= 2:
            misbehave(taken)
        say("move " + next(cell for cell in CELLS if cell not in taken))
    elif command == "quit" and MODE != "ignores-quit":
        break
if MODE in ("stubborn", "ignores-quit"):
    sleep_for_ever()

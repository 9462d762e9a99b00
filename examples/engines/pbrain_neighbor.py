#!/usr/bin/env python3
"""A small Gomoku engine over the Gomocup protocol: it extends its longest row or blocks the opponent's.

    tesuji match gomoku "external:cmd=examples/engines/pbrain_neighbor.py" random --games 10
"""
import re
import sys

width = height = 15
board = {}  # (x, y) -> 1 for the engine's stones, 2 for the opponent's


def say(text):
    print(text, flush=True)


def row_through(x, y, who):
    """The length of the longest row that a stone of `who` on (x, y) would make."""
    longest = 1
    for dx, dy in (1, 0), (0, 1), (1, 1), (1, -1):
        run = 1
        for sign in 1, -1:
            step = 1
            while board.get((x + sign * step * dx, y + sign * step * dy)) == who:
                step += 1
            run += step - 1
        longest = max(longest, run)
    return longest


def score(cell):
    """Prefers a five, then the opponent's five, then a four, and so on; ties go to the cell nearer to the center."""
    own, other = (row_through(*cell, who) for who in (1, 2))
    center = abs(cell[0] - width // 2) + abs(cell[1] - height // 2)
    return max(2 * own + 1, 2 * other), -center


def answer():
    empty = [(x, y) for x in range(width) for y in range(height) if (x, y) not in board]
    x, y = max(empty, key=score)
    board[x, y] = 1
    say(f"{x},{y}")


for line in sys.stdin:
    command, _, rest = line.strip().partition(" ")
    numbers = [int(n) for n in re.findall(r"\d+", rest)]
    if command in ("START", "RECTSTART", "RESTART"):
        width, height = (numbers[0], numbers[-1]) if numbers else (width, height)
        board = {}
        say("OK")
    elif command == "BEGIN":
        answer()
    elif command == "TURN":
        board[tuple(numbers)] = 2
        answer()
    elif command == "BOARD":
        board = {}
        for stone in iter(lambda: sys.stdin.readline().strip(), "DONE"):
            *cell, who = map(int, stone.split(","))
            board[tuple(cell)] = who
        answer()
    elif command == "ABOUT":
        say('name="Neighbour", version="1.0", author="Tesuji", country="-"')
    elif command == "END":
        break
    elif command != "INFO":
        say("UNKNOWN command")

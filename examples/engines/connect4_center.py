#!/usr/bin/env python3
"""Connect Four over Tesuji's line protocol: completes a column of four, or plays nearest to the center.

tesuji match connect4 external:cmd=examples/engines/connect4_center.py random --games 10
"""
import sys

moves = []
for line in sys.stdin:
    command, *words = line.split() or [""]
    if command == "tesuji":
        print("ok Centre")
    elif command == "game":
        print("ok" if words == ["connect4"] else "error it plays connect4 on 7x6 only")
    elif command == "new":
        print("ok")
    elif command == "position":
        moves = [int(word) for word in words]
    elif command == "go":
        stones = {c: [ply % 2 for ply, m in enumerate(moves) if m == c] for c in range(1, 8)}
        free = sorted((c for c in stones if len(stones[c]) < 6), key=lambda c: abs(c - 4))
        wins = [c for c in free if stones[c][-3:] == [len(moves) % 2] * 3]
        if wins:
            print("info score win 1")
        print("move", (wins + free)[0])
    elif command == "quit":
        break
    sys.stdout.flush()

#!/usr/bin/env python3
"""Connect Four over Tesuji's line protocol: takes a win, stops one, or plays nearest to the centre.

tesuji match connect4 external:cmd=examples/engines/connect4_centre.py random --games 10
"""
import sys


def wins(stones, x, y):
    for dx, dy in (1, 0), (0, 1), (1, 1), (1, -1):
        near = [(x + i * dx, y + i * dy) for i in range(-3, 4)]
        if "####" in "".join("#" if cell in stones | {(x, y)} else "." for cell in near):
            return True


def choose(moves):
    stones, height = (set(), set()), [0] * 7
    for ply, x in enumerate(moves):
        stones[ply % 2].add((x, height[x]))
        height[x] += 1
    columns = sorted((x for x in range(7) if height[x] < 6), key=lambda x: abs(x - 3))
    own = stones[len(moves) % 2]
    for side in own, stones[1 - len(moves) % 2]:
        for x in columns:
            if wins(side, x, height[x]):
                return x, "info score win 1\n" if side is own else ""
    return columns[0], ""


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
        moves = [int(word) - 1 for word in words]
    elif command == "go":
        column, info = choose(moves)
        print(f"{info}move {column + 1}")
    elif command == "quit":
        break
    sys.stdout.flush()

#!/usr/bin/env python3
"""Gem Island over Tesuji's line protocol: swaps where the most ice is near, and as deep as possible.

tesuji gem bench "external:cmd=python3 examples/engines/gem_deepest.py" random --games 20
"""
import sys

rows = columns = 9
cells, swaps = [], []


def worth(swap):
    row, column = (int(number) for number in swap.split("-")[:2])
    near = [(r, c) for r in range(row - 1, row + 2) for c in range(column - 1, column + 2)]
    inside = [r * columns + c for r, c in near if 0 <= r < rows and 0 <= c < columns]
    ice = sum(cells[cell][2] > 0 for cell in inside)
    parts = sum(cells[cell][3] >= 0 for cell in inside)
    return ice + 2 * min(ice, parts), row


for line in sys.stdin:
    command, *words = line.split() or [""]
    if command == "tesuji":
        print("ok Deepest")
    elif command == "game":
        print("ok" if words[0].startswith("gem-island:level=") else "error it plays 9x9 boards only")
    elif command == "new":
        print("ok")
    elif command == "state":
        numbers = [int(word) for word in words[4:]]
        cells = [numbers[n : n + 4] for n in range(0, len(numbers), 4)]
    elif command == "swaps":
        swaps = words
    elif command == "go":
        print("swap", max(swaps, key=worth))
    elif command == "quit":
        break
    sys.stdout.flush()

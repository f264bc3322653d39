"""Records what the cases of number_cases.py give in TF 1.15.5; what is recorded stays as it is.

python3.7 tests/contrib/record_numbers.py
"""

from __future__ import annotations

import json
import os

import tensorflow as tf
from number_cases import CASES, numbers

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numbers_of_tf1.json")
SEEDS = (1, 2, 3)


def main() -> None:
    with open(OUT) as file:
        found = json.load(file)
    for name in CASES.keys() - found.keys():
        found[name] = [numbers(tf, name, seed) for seed in SEEDS]
    lines = [f'"{name}": {json.dumps(found[name])}' for name in sorted(CASES)]
    with open(OUT, "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

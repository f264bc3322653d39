"""Records what tf.contrib's losses, metrics, layers, initialisers and penalties give in TF 1.15.5.

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
    found = {name: [numbers(tf, name, seed) for seed in SEEDS] for name in sorted(CASES)}
    lines = [f'"{name}": {json.dumps(told)}' for name, told in found.items()]
    with open(OUT, "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

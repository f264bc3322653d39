"""Records what the scripts beside this file print under an installed TensorFlow 1.15.5.

    python3.7 tests/script/record_expected.py

Each script runs in an empty folder, with the arguments of its .args file if there is one; its
standard output and exit status go to expected/<script>.txt, which the tests compare with
`queueio run`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> int:
    """Run them all, one after the other."""
    folder = os.path.join(HERE, "scripts")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py"):
            continue
        arguments = os.path.join(folder, name.replace(".py", ".args"))
        command = [sys.executable, os.path.join(folder, name)]
        if os.path.exists(arguments):
            with open(arguments) as f:
                command += f.read().split()
        with tempfile.TemporaryDirectory() as work:
            done = subprocess.run(command, cwd=work, capture_output=True, timeout=120)
        target = os.path.join(HERE, "expected", name.replace(".py", ".txt"))
        with open(target, "w") as f:
            f.write(f"{done.stdout.decode()}exit status {done.returncode}\n")
        print(name, "exit status", done.returncode)
        if b"Traceback" in done.stderr:
            print(done.stderr.decode()[-2000:])
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What pyproject.toml cannot say: that there is a library in C, which may be missing.

Everything else is there. The library asks nothing of Python, so one serves all versions of it.
"""

import sys

from setuptools import Extension, setup

PARTS = [
    *("ops", "tensorflow"),
    *("read_op", "records", "files", "crc32c"),
    *("parse_op", "examples", "features", "values"),
    "read_examples_op",
    "move_op",
    *("pool_op", "pools"),
]
HEADERS = ["tensorflow", "tf_records", "examples", "wire", "move_loops", "pools"]
tf_records = Extension(
    "queueio.compile.kernels._tf_records",
    [f"native/{part}.c" for part in PARTS],
    depends=[f"native/{part}.h" for part in HEADERS],
    extra_compile_args=["-std=gnu11", "-O3", "-ffp-contract=off"],
    optional=True,  # without a compiler, TensorFlow's own reader reads
    py_limited_api=True,
)
linux = sys.platform == "linux" and sys.byteorder == "little"

setup(
    ext_modules=[tf_records] if linux else [],
    options={"bdist_wheel": {"py_limited_api": "cp310"}} if linux else {},
)

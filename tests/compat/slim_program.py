"""Run by test_tf_slim.py under `queueio run`: tf_slim's own data tests, from its own package."""

import pkgutil
import sys
import unittest

import tf_slim.data
from absl import flags

flags.FLAGS(sys.argv[:1])
names = [f"tf_slim.data.{found.name}" for found in pkgutil.iter_modules(tf_slim.data.__path__)]
unittest.main(module=None, argv=["tests", *(name for name in names if name.endswith("_test"))])

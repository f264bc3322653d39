"""The script that runs TensorFlow's own tests on queueio, on a file written here in their form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.upstream.__main__ import run
from tests.upstream.adapt import adapt

IN_THEIR_FORM = """
from __future__ import print_function

import time

from six.moves import xrange  # pylint: disable=redefined-builtin

from tensorflow.python.framework import test_util
from tensorflow.python.ops import variables
from tensorflow.python.platform import test as test_lib
from tensorflow.python.training import input as inp
from tensorflow.python.training import queue_runner_impl


class CountTest(test_lib.TestCase):

  @test_util.run_deprecated_v1
  def testPasses(self):
    with self.cached_session():
      variable = variables.VariableV1(0)
      self.assertIn("Resource", type(variable).__name__)
      batch = inp.batch([variable.count_up_to(4)], 2)
      self.assertIn("ready", batch.op.inputs[0].name)
      self.evaluate(variables.global_variables_initializer())
      queue_runner_impl.start_queue_runners()
      self.assertItemsEqual([1, 0], self.evaluate(batch))
      self.assertEquals([2, 3], list(self.evaluate(batch)))

  def testFails(self):
    self.assertEqual(list(xrange(2)), [0, 2])

  def testHangs(self):
    time.sleep(60)
"""


@pytest.mark.long
def test_each_test_runs_by_itself_in_the_setting_that_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "input_test.py").write_text(IN_THEIR_FORM)
    rows = run(tmp_path, "input_test.py", "data", "resource", 20, [])
    outcomes = {row["test"]: row["outcome"] for row in rows}
    assert outcomes == {
        "CountTest.testFails": "failed",
        "CountTest.testHangs": "hung",
        "CountTest.testPasses": "passed",
    }, rows
    assert "[0, 1] != [0, 2]" in "".join(row["why"] for row in rows)


@pytest.mark.long
def test_a_file_that_cannot_be_run_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "input_test.py").write_text("raise SystemExit('broken')")
    with pytest.raises(RuntimeError, match="broken"):
        run(tmp_path, "input_test.py", "queue", "reference", 20, [])


def test_a_module_whose_names_are_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'gradients'.* is not known"):
        adapt("from tensorflow.python.ops import gradients\n", False)


def test_threads_are_expected_under_the_name_of_the_counting_op() -> None:
    names = '["QueueRunnerThread-fifo_queue-CountUpTo:0"]'
    assert names in adapt(names, False)
    assert '["QueueRunnerThread-fifo_queue-ResourceCountUpTo:0"]' in adapt(names, True)

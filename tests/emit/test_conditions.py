"""What TF1 checks inside of a branch is no check outside of it."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

import queueio

v1 = tf.compat.v1


@pytest.mark.parametrize("told", [["at least 2"], None], ids=["a text", "the number"])
def test_an_assertion_in_a_branch_does_not_fail_for_the_other_branch(
    told: list[str] | None, v1_behaviour: None
) -> None:
    def build() -> Any:
        number = v1.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()

        def checked() -> Any:
            with tf.control_dependencies([v1.Assert(number >= 2, told or [number])]):
                return tf.identity(number)

        with tf.control_dependencies([v1.Assert(number < 9, ["below 9"])]):
            number = tf.identity(number)
        return v1.train.batch([v1.cond(number >= 2, checked, lambda: number * 10)], 4)

    module = str(queueio.lift(build).to_source())
    assert "below 9" in module, "what is checked for all is still checked"
    scope: dict[str, Any] = {"__name__": "written"}
    exec(module, scope)
    assert [batch.tolist() for batch in scope["input_fn"]().as_numpy_iterator()] == [[0, 10, 2, 3]]

"""Who is told of session calls, and how long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

from queueio.runtime import calls, watch

v1 = tf.compat.v1


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """The names of what is fetched by calls that a listener was told of; it needs each twice."""
    watch.install()
    found: list[str] = []

    def listener(call: Any) -> bool:
        found.append(call.key[0])
        return found.count(call.key[0]) % 2 == 0

    calls.listen(listener)
    yield found
    calls.unlisten(listener)


def test_a_listener_hears_of_a_call_until_it_has_nothing_to_say_of_it(heard: list[str]) -> None:
    with tf.Graph().as_default():
        one, other = tf.constant(1, name="one"), tf.constant(2, name="other")
        with v1.Session() as session:
            for _ in range(110):  # the first hundred calls are looked at by somebody else as well
                session.run(one)
            heard.clear()
            for _ in range(5):
                session.run(one)
                session.run([other])
            assert heard.count("one:0") == 0
            assert heard.count("other:0") == 2
            calls.ask_again()
            session.run(one)
            assert heard.count("one:0") == 1
        with v1.Session() as session:
            session.run(other)
            assert heard.count("other:0") == 3

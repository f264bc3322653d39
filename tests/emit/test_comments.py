"""The line of the user's script above each step of a written module."""

from __future__ import annotations

from queueio.emit.spelling.code import WIDTH
from queueio.emit.spelling.function import Comment


def test_a_line_without_spaces_is_cut_off_rather_than_left_out() -> None:
    call = f"q=tf.train.string_input_producer([{','.join(map(repr, range(40)))}],num_epochs=1)"
    (told,) = Comment(f"train.py:7: {call}", code=True).render(4)
    assert told.startswith("    # train.py:7: q=tf.train.string_input_producer([0,1,2,")
    assert told.endswith(" …") and len(told) <= WIDTH


def test_a_line_with_spaces_is_cut_off_between_two_words() -> None:
    call = f"q = tf.train.string_input_producer([{', '.join(map(repr, range(40)))}])"
    (told,) = Comment(f"train.py:7: {call}", code=True).render(4)
    assert told.removesuffix(" …").endswith(",") and len(told) <= WIDTH


def test_a_line_that_fits_stays_whole() -> None:
    assert Comment("train.py:7: x=tf.a(b)", code=True).render(0) == ["# train.py:7: x=tf.a(b)"]

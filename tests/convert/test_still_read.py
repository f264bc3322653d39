"""What of a pipeline a script still evaluates by itself, once its batch comes from elsewhere."""

from __future__ import annotations

import pytest

from queueio.convert.still_read import still_read

HEAD = """
import tensorflow as tf
queue = tf.train.string_input_producer(['a.txt'])
key, value = tf.TextLineReader().read(queue)
number = tf.string_to_number(value)
batch = tf.data.make_one_shot_iterator(input_fn.input_fn()).get_next()
sess = tf.Session()
"""
READ = {
    "fetched": "sess.run(number)",
    "fetched beside the batch": "sess.run([batch, {'v': value}])",
    "evaluated": "number.eval(session=sess)",
    "made into something that is fetched": "double = number * 2\nsess.run(double)",
    "in a summary": "tf.summary.scalar('n', number)",
    "in a summary of old": "tf.histogram_summary('n', number)",
    "in a list that grows": "every = []\nevery.append(number)\nsess.run(every)",
    "in a dict": "all = {}\nall['n'] = number\nsess.run(all['n'])",
    "in an attribute": "class A: pass\na = A()\na.n = number\ndef f(x):\n    sess.run(x.n)\nf(a)",
    "by a function that it is given to": "def show(x):\n    print(sess.run(x))\nshow(number)",
    "by a method that it is given to": (
        "class A:\n    def show(self, x):\n        sess.run(x)\nA().show(number)"),
    "by keyword": "def show(x=None):\n    sess.run(x)\nshow(x=number)",
    "from a function that returns it": "def get():\n    return number\nsess.run(get())",
    "by a function elsewhere, with the session": "import tools\ntools.show(sess, number)",
    "in a lambda": "once = lambda: sess.run(number)",
    "by a hook": "tf.train.SessionRunArgs(number)",
    "in a loop over tensors": "for t in [key, value]:\n    sess.run(t)",
    "in a training function": "loss = f(number)\ntf.contrib.slim.learning.train(loss, 'logs')",
    "in a function that reads a global": "def show():\n    return sess.run(number)",
    "in an assignment expression": "if (n := number) is not None:\n    sess.run(n)",
    "by a function elsewhere that keeps nothing": "import tools\ntools.peek(number)",
    "by one within a print": "from tools import peek\nprint(peek(number))",
    "looked up by name": "class A: pass\na = A()\na.n = number\ngetattr(a, 'n').eval()",
    "before its name means the batch": "x = number\nsess.run(x)\nx = batch",
    "where a branch may give its name": "x = batch\nif key:\n    x = number\nsess.run(x)",
    "as one of several": "a, b = batch, number\nsess.run(b)",
}  # fmt: skip
NOT_READ = {
    "nowhere": "sess.run(batch)",
    "for its shape": "print(number.get_shape(), number.shape, value.dtype, key.name)",
    "for a size that is static": "n = number.get_shape()\nsess.run(batch * n)",
    "by a function that makes tensors": (
        "def cast(x):\n    return tf.cast(x, tf.int32)\nn = cast(number)\nsess.run(batch)"),
    "by a module that makes tensors": "import tools\nn = tools.read(queue)\nsess.run(batch)",
    "with a shape set": "number.set_shape([])\nsess.run(batch)",
    "under a name that means something else": (
        "def train():\n    number = batch * 2\n    sess.run(number)\ntrain()"),
    "in a tuple with the batch": "a, b = batch, number\nsess.run(a)",
    "when its name means the batch": "x = tf.cast(number, tf.int32)\nx = batch\nsess.run(x)",
    "within a session, likewise": (
        "x, y = number, key\nwith tf.Session() as s:\n    x, y = batch, batch\n    s.run([x, y])"),
    "by what starts the runners": (
        "coord = tf.train.Coordinator()\ntf.train.start_queue_runners(sess=sess, coord=coord)"),
    "as an object with a batch in another attribute": (
        "class A: pass\na = A()\na.n = number\na.b = batch\nsess.run(a.b)"),
}  # fmt: skip


@pytest.mark.parametrize("how", READ)
def test_a_tensor_before_the_batch_that_is_evaluated_is_found_with_its_line(how: str) -> None:
    assert still_read(HEAD + READ[how]).startswith("line ")


@pytest.mark.parametrize("how", NOT_READ)
def test_one_that_is_only_looked_at_is_not(how: str) -> None:
    assert still_read(HEAD + NOT_READ[how]) == ""

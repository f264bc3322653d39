"""A batch call gives way only where each value that may change is passed as the script's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.processes import python

# Where a value comes from: lines of the module, of the function, and the expression.
FIXED = {
    "a literal": ("", "", "{value}"),
    "a constant of the module": ("VALUE = {value}\n", "", "VALUE"),
    "a constant made of constants": ("A = {value}\nB = (A, A)\n", "", "B[0]"),
    "a local constant": ("", "    value = {value}\n", "value"),
    "a pure function of constants": ("def give():\n    return {value}\n", "", "give()"),
    "an attribute of an object of the function": (
        "class Box(object): pass\n", "    box = Box()\n    box.value = {value}\n", "box.value"),
    "a branch that is always taken": (
        "DEBUG = False\n", "    value = {value}\n    if DEBUG: value = {other}\n", "value"),
}  # fmt: skip
VARYING = {
    "a parameter": ("", "", "given"),
    "a flag": (
        "tf.app.flags.DEFINE_{kind}('{flag}', {value}, '')\n", "", "tf.app.flags.FLAGS.{flag}"),
    "a flag behind a name": (
        "tf.app.flags.DEFINE_{kind}('{flag}', {value}, '')\nFLAGS = tf.app.flags.FLAGS\n",
        "    value = FLAGS.{flag}\n", "value"),
    "argparse": (
        "p = argparse.ArgumentParser()\np.add_argument('--v', default={value})\n"
        "args = p.parse_args([])\n", "", "args.v"),
    "the arguments": ("", "", "(sys.argv + [{value}])[-1]"),
    "the environment": ("", "", "type({value})(os.environ.get('NOSUCH', {value}))"),
    "a global that a function sets": (
        "VALUE = {other}\ndef set():\n    global VALUE\n    VALUE = {value}\nset()\n", "", "VALUE"),
    "a global that is set twice": ("VALUE = {other}\nVALUE = {value}\n", "", "VALUE"),
    "a function that reads the environment": (
        "def give():\n    return type({value})(os.environ.get('NO', {value}))\n", "", "give()"),
    "an attribute that a parameter gave": (
        "class Box(object): pass\n", "    box = Box()\n    box.value = given\n", "box.value"),
    "a list that was appended to": ("", "    vs = []\n    vs.append(given)\n", "vs[0]"),
    "a branch on the environment": (
        "", "    value = {other}\n    if not os.environ.get('NO'): value = {value}\n", "value"),
    "an attribute of a class": (
        "class Box(object):\n    value = type({value})(os.environ.get('NO', {value}))\n", "",
        "Box.value"),
    "an attribute that a constructor sets": (
        "class Box(object):\n"
        "    def __init__(self):\n        self.value = (sys.argv + [{value}])[-1]\n"
        "box = Box()\n", "", "box.value"),
    "a method": (
        "class Box(object):\n"
        "    def value(self):\n        if sys.argv: return (sys.argv + [{value}])[-1]\n"
        "box = Box()\n", "", "box.value()"),
    "a method whose result a name holds": (
        "class Box(object):\n    def get(self): return (sys.argv + [{value}])[-1]\n"
        "VALUE = Box().get()\n", "", "VALUE"),
    "a dict that a function fills": (
        "BOX = {{}}\ndef fill():\n    BOX[0] = (sys.argv + [{value}])[-1]\nfill()\n",
        "", "BOX[0]"),
    "a dict that is given to a function": (
        "BOX = {{}}\ndef fill(box):\n    box[0] = (sys.argv + [{value}])[-1]\nfill(BOX)\n",
        "", "BOX[0]"),
    "an order by chance": ("VALUES = [{value}]\nrandom.shuffle(VALUES)\n", "", "VALUES[0]"),
    "what is in a file": (
        "COUNT = len(list(tf.python_io.tf_record_iterator('r.tfr')))\n", "", "[{value}][COUNT]"),
}  # fmt: skip
# What may give something else the second time, where the line that had it stays.
ONCE = {
    "chance": ("", "    random.seed(1)\n", "random.choice([{value}])"),
    "chance of a generator": (
        "import numpy as np\nrng = np.random.RandomState(1)\n", "", "[{value}][rng.randint(1)]"),
    "the next of several": ("VALUES = iter((sys.argv + [{value}])[-1:] * 2)\n", "", "next(VALUES)"),
    "one that is taken out of a list": (
        "VALUES = (sys.argv + [{value}])[-1:] * 2\n", "", "VALUES.pop()"),
    "a function that takes one out": (
        "VALUES = (sys.argv + [{value}])[-1:] * 2\ndef give():\n    return VALUES.pop()\n",
        "", "give()"),
    "a function that draws": (
        "def give():\n    values = (sys.argv + [{value}])[-1:]\n    random.shuffle(values)\n"
        "    return values[0]\n", "", "give()"),
    "a function that counts": (
        "VALUES, n = (sys.argv + [{value}])[-1:] * 2, -1\n"
        "def give():\n    global n\n    n += 1\n    return VALUES[n]\n", "", "give()"),
    "a function that keeps": (
        "BOX = []\ndef give():\n    BOX.append((sys.argv + [{value}])[-1])\n    return BOX[-1]\n",
        "", "give()"),
}  # fmt: skip
AGAIN = {
    "a function that takes one out of its own list": (
        "def give():\n    values = (sys.argv + [{value}])[-1:] * 2\n    return values.pop()\n",
        "", "give()"),
    "what is read of a file that is opened anew": (
        "", "", "[{value}][len(open(os.devnull).read())]"),
    "a name of what was drawn": ("VALUE = random.choice([{value}])\n", "", "VALUE"),
}  # fmt: skip
VARYING |= AGAIN
# What decides which ops are made, none of them with a value from outside: what stands above the
# function, and what is done to x. First where it is always the same.
STEADY = {
    "imports in a try, of which the first uses its own name": (
        "try:\n    import tensorflow.compat.v1 as tf\n    tf.disable_v2_behavior()\n"
        "except ImportError:\n    import tensorflow as tf\n", "x = tf.identity(x)"),
    "a function with a branch on its argument": (
        "def f(x, double):\n    if double: return x * 2.0\n    return x\n", "x = f(x, True)"),
    "a default that is a constant": ("K = 2.0\ndef f(x, k=K): return x * k\n", "x = f(x)"),
    "another name of a module, of which other lines use functions": (
        "m = tf.math\nm.maximum(1.0, len(sys.argv))\n", "x = m.maximum(x, 2.0)"),
    "an error on a flag": (
        "def f(x):\n    if len(sys.argv) > 9: raise ValueError\n    return x * 2.0\n", "x = f(x)"),
    "an object that keeps other flags": (
        "class Box(object):\n    def __init__(self): self.rate = sys.argv\n"
        "    def f(self, x): return x * 2.0\nbox = Box()\n", "x = box.f(x)"),
    "what takes the parts of the batch": (
        "", "return [part for part in tf.train.batch([x, x], batch_size=4)]"),
    "a list that the call stands in": (
        "", "return [tf.train.batch([x * k], batch_size=4) for k in (2.0,)]"),
    "a loop of another purpose": ("", "for i in range(2):\n        if sys.argv: break"),
}  # fmt: skip
STEERED = {
    "an early return": (
        "def f(x):\n    if len(sys.argv) > 9: return x * 2.0\n    return x * 3.0\n",
        "x = f(x)"),
    "a branch that was not taken": (
        "def f(x):\n    y = x * 2.0\n    if len(sys.argv) > 9: y = y / 3.0\n    return y\n",
        "x = f(x)"),
    "a result that is picked": (
        "def f(x):\n    y = x * 2.0\n    return y if sys.argv else y / 3.0\n", "x = f(x)"),
    "a default argument": ("def f(x, k=len(sys.argv)): return x * k\n", "x = f(x)"),
    "a default of the same name": (
        "k = len(sys.argv)\ndef f(x, k=k): return x * k\n", "x = f(x)"),
    "a decorator": (
        "def scaled(k): return lambda f: lambda x: f(x) * k\n"
        "@scaled(len(sys.argv))\ndef f(x): return x + 1.0\n", "x = f(x)"),
    "a break": ("", "for i in range(3):\n        if i > len(sys.argv): break\n        x = x * 2.0"),
    "a list that the call stands in, of other values": (
        "", "return [tf.train.batch([x * k], batch_size=4) for k in [len(sys.argv)]]"),
    "an endless loop": (
        "def f(x):\n    n = 0\n    while True:\n        x, n = x * 2.0, n + 1\n"
        "        if n > len(sys.argv): return x\n", "x = f(x)"),
    "one of two definitions": (
        "def f(x): return x * 2.0\nif len(sys.argv) > 9:\n    def f(x): return x * 3.0\n",
        "x = f(x)"),
}  # fmt: skip
# Where it goes: the literal, another one, its flag's type, and the argument of input_fn, if any.
PLACES = {
    "files": ("'a.csv'", "'b.csv'", "string", "files"),
    "num_epochs": ("2", "3", "integer", "num_epochs"),
    "batch_size": ("4", "5", "integer", "batch_size"),
    "capacity": ("40", "50", "integer", "shuffle_buffer"),
    "columns": ("2", "3", "integer", ""),
    "scale": ("0.5", "0.25", "float", ""),
    "shuffle": ("False", "True", "bool", ""),
}
NAMED = [source for source, (*_, code) in FIXED.items() if code not in ("{value}", "give()")]
EDITED = ["files", "num_epochs"]
SCRIPT = """import argparse, os, random, sys
import tensorflow as tf
{above}
def inputs(given={value}):
{inside}    queue = tf.train.string_input_producer(
        [{files}], num_epochs={num_epochs}, shuffle={shuffle})
    _, line = tf.TextLineReader().read(queue)
    x = tf.stack(tf.decode_csv(line, [[0.0]] * {columns})) * {scale}
    {done}
    return tf.train.shuffle_batch([x], batch_size={batch_size}, capacity={capacity},
                                  min_after_dequeue=10)
inputs(*sys.argv[9:])
"""


def script(folder: Path, place: str, source: str, number: int) -> str:
    if source in STEADY | STEERED:
        (above, done), inside, code = (STEADY | STEERED)[source], "", "{value}"
    else:
        (above, inside, code), done = (FIXED | VARYING | ONCE)[source], "pass"
    value, other, kind, _ = PLACES[place]
    told = {"value": value, "other": other, "kind": kind, "flag": f"flag_{number}"}
    kept = {name: literal for name, (literal, *_) in PLACES.items()}
    kept[place] = code.format(**told)
    path = folder / f"script_{number}.py"
    text = SCRIPT.format(
        above=above.format(**told), inside=inside.format(**told), value=value, done=done, **kept
    )
    path.write_text(text)
    return str(path)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple[dict, list]]:
    """For each place and source: what is passed, and why the call would stay."""

    folder = tmp_path_factory.mktemp("dependences")
    (folder / "r.tfr").write_bytes(b"")
    cases = [(place, source) for place in PLACES for source in FIXED | VARYING]
    cases += [("scale", source) for source in STEADY | STEERED]
    cases += [(place, source) for place in ("files", "batch_size") for source in ONCE]
    paths = [script(folder, *case, number) for number, case in enumerate(cases)]
    order = folder / "cases.json"
    order.write_text(json.dumps(paths))
    program = Path(__file__).parent / "dependences.py"
    done = python(program, order, cwd=folder, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [json.loads(x.removeprefix("CASE ")) for x in done.stdout.splitlines() if "CASE" in x]
    found = {path: (passed, reasons) for path, passed, reasons, _ in lines}
    return {case: found[path] for case, path in zip(cases, paths, strict=True)}


@pytest.mark.parametrize("source", FIXED)
@pytest.mark.parametrize("place", PLACES)
def test_a_value_that_stands_in_the_script_needs_no_passing(
    place: str, source: str, told: dict
) -> None:
    passed, reasons = told[place, source]
    assert reasons == []
    if source not in NAMED or place not in EDITED:
        assert passed == {}


@pytest.mark.parametrize("source", NAMED)
@pytest.mark.parametrize("place", EDITED)
def test_a_constant_with_a_name_is_passed_so_that_the_changed_script_follows_an_edit_of_it(
    place: str, source: str, told: dict
) -> None:
    code = FIXED[source][2]
    assert told[place, source] == ({place: f"[{code}]" if place == "files" else code}, [])


@pytest.mark.parametrize("source", VARYING)
@pytest.mark.parametrize("place", [p for p in PLACES if PLACES[p][3]])
def test_a_value_that_may_change_is_passed_where_input_fn_takes_it(
    place: str, source: str, told: dict
) -> None:
    passed, reasons = told[place, source]
    assert reasons == [] and set(passed) == {PLACES[place][3]}


@pytest.mark.parametrize("source", ONCE)
def test_a_value_that_is_another_the_second_time_is_given_once_or_keeps_the_call(
    source: str, told: dict
) -> None:
    passed, reasons = told["files", source]
    assert not passed and "may give something else when it is evaluated once more" in reasons[0]
    passed, reasons = told["batch_size", source]  # in the very call that goes
    assert reasons == [] and set(passed) == {"batch_size"}


@pytest.mark.parametrize("source", VARYING)
@pytest.mark.parametrize("place", [p for p in PLACES if not PLACES[p][3]])
def test_a_value_that_may_change_and_that_input_fn_does_not_take_keeps_the_call(
    place: str, source: str, told: dict
) -> None:
    passed, reasons = told[place, source]
    assert not passed and len(reasons) >= 1
    assert "no argument for it" in reasons[0] and reasons[0].startswith("line ")


@pytest.mark.parametrize("source", STEADY)
def test_ops_that_every_run_makes_need_no_passing(source: str, told: dict) -> None:
    assert told["scale", source] == ({}, [])


@pytest.mark.parametrize("source", STEERED)
def test_a_call_stays_where_another_run_may_make_other_ops(source: str, told: dict) -> None:
    passed, reasons = told["scale", source]
    assert not passed and "no argument for it" in reasons[0]


# What stands above the pipeline, how its tensor x is made, and what is passed and said of it.
TOLD = {
    "epochs of numbers": (
        "", "x = tf.train.range_input_producer(5, len(sys.argv)).dequeue()",
        {"num_epochs": "len(sys.argv)"}, ""),
    "epochs that a lambda takes": (
        "", "queue = lambda n: tf.train.range_input_producer(5, num_epochs=n)\n"
        "x = queue(3).dequeue()", {},
        "`n` is not fixed in the script, and 'n' is known within a part of this statement only"),
    "epochs of slices": (
        "", "x, = tf.train.slice_input_producer([[1, 2]], num_epochs=len(sys.argv))",
        {"num_epochs": "len(sys.argv)"}, ""),
    "epochs of one of two producers": (
        "", "x = tf.train.range_input_producer(5, len(sys.argv)).dequeue()\n"
        "x += tf.train.range_input_producer(5, 1).dequeue()",
        {"num_epochs": "len(sys.argv)"},
        "line 5: `1` is given for num_epochs here, and `len(sys.argv)` in another part"),
    "different epochs of two producers": (
        "", "x = tf.train.range_input_producer(5, len(sys.argv)).dequeue()\n"
        "x += tf.train.range_input_producer(5, len(sys.argv) + 1).dequeue()",
        {"num_epochs": "len(sys.argv)", "num_epochs_2": "len(sys.argv) + 1"}, ""),
    "files of two producers": (
        "", "p = tf.train.string_input_producer(sys.argv[:1])\n"
        "q = tf.train.string_input_producer(\n    sys.argv + ['b'])\n"
        "x = tf.string_join([tf.TextLineReader().read(each)[1] for each in (p, q)])",
        {"files": "sys.argv[:1]", "files_2": "sys.argv + ['b']"}, ""),
    "the same files of two producers": (
        "FILES = sys.argv", "p = tf.train.string_input_producer(FILES)\n"
        "q = tf.train.string_input_producer(FILES)\n"
        "x = tf.string_join([tf.TextLineReader().read(each)[1] for each in (p, q)])",
        {"files": "FILES", "files_2": "FILES"}, ""),
    "files of two producers on one line": (
        "", "p, q = (tf.train.string_input_producer(sys.argv), "
        "tf.train.string_input_producer(sys.argv))\n"
        "x = tf.string_join([tf.TextLineReader().read(each)[1] for each in (p, q)])", {},
        "it is not sure whether it is files or files_2 of input_fn()"),
    "a batch of batches": (
        "", "x = tf.train.range_input_producer(5).dequeue()\n"
        "x = tf.train.batch([x], len(sys.argv))\ntf.train.batch([x], 3)",
        {"batch_size_2": "len(sys.argv)"}, ""),
    "epochs by a counter": (
        "", "x = tf.train.limit_epochs(tf.constant(3), len(sys.argv))", {},
        "whether it belongs to an argument of input_fn() (num_epochs) is for you to say"),
    "epochs of a call that makes queues of its own": (
        "", "x = tf.contrib.learn.read_batch_examples('helper_told.py', 2, tf.TextLineReader, "
        "False, len(sys.argv))[0]", {},
        "depends on sys.argv, and whether it belongs to an argument of input_fn() "
        "(batch_size, batch_size_2, files, num_epochs) is for you to say"),
    "rows": (
        "", "x = tf.train.input_producer(tf.constant(sys.argv)).dequeue()", {},
        "whether it belongs to an argument of input_fn() (rows) is for you to say"),
    "a file beside the script": (
        "import helper_told", "x = helper_told.scale(tf.train.range_input_producer(5).dequeue())",
        {}, "helper_told.py, line 4: `x * K` depends on K (helper_told.py, line 2: `sys.argv`), "
        "and input_fn() of the new module has no argument for it"),
    "a line that ends otherwise": (
        "", "x = tf.train.range_input_producer(5, 1).dequeue() * len(sys.argv); z = 1", {},
        "line 4: `len(sys.argv)` depends on sys.argv"),
    "the line of the batch": (
        "", "k = len(sys.argv)\nx = tf.train.range_input_producer(5).dequeue(); "
        "tf.train.batch([x * k], 2); z = 1", {}, "line 5: `[x * k]` depends on k (line 4: `sys"),
    "names that are used otherwise after the batch": (
        "", "k = 2\nx = tf.train.range_input_producer(5).dequeue() * k\ntf.train.batch([x], 2)\n"
        "k, x = sys.argv, len(sys.argv)", {}, ""),
    "a name that is used otherwise before it": (
        "", "k = 2\nk = len(sys.argv)\nx = tf.train.range_input_producer(5).dequeue() * k", {},
        "`tf.train.range_input_producer(5).dequeue() * k` depends on k (line 5: `sys.argv`)"),
    "one that is used otherwise in the next turn's batch": (
        "", "k = 2\nfor _ in [0]:\n    x = tf.train.range_input_producer(5).dequeue() * k\n"
        "    tf.train.batch([x], 2)\n    k = len(sys.argv)", {}, "depends on k"),
    "one that a function reads when it is called": (
        "", "k = 2\nf = lambda x: x * k\nx = f(tf.train.range_input_producer(5).dequeue())\n"
        "tf.train.batch([x], 2)\nk = len(sys.argv)", {}, "depends on k"),
    "a pattern within the call that takes the files": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--d', default='.')\n"
        "args = p.parse_args([])\n"
        "q = tf.train.string_input_producer(tf.train.match_filenames_once(args.d + '/*.csv'))",
        "x = tf.TextLineReader().read(q)[1]", {"file_pattern": "args.d + '/*.csv'"}, ""),
    "an attribute beside which another is set": (
        "class Box(object): pass\nbox = Box()\nbox.k = 2\nbox.n = 5",
        "def make():\n    x = tf.train.range_input_producer(box.n).dequeue() * box.k\n"
        "    return tf.train.batch([x], 2)\nmake()", {}, "box.k (line 5: `box.k = 2`)"),
    "another function": (
        "F = tf.flags\nF.DEFINE_string('a_file', 'a.csv', '')\ndef read():\n"
        "    q = tf.train.string_input_producer([F.FLAGS.a_file])\n"
        "    return tf.TextLineReader().read(q)[1]",
        "x = read()", {},
        "it is given in read(), but input_fn() is called where the batch is made"),
}  # fmt: skip

# A function with the batch call, and calls of it: what is passed, what its parameters must be, and
# what is said, if the call stays.
OF_PARAMETERS = "x = tf.train.range_input_producer(5).dequeue()"
RELIED_ON = {
    "a literal": (
        f"def make(k, n):\n    {OF_PARAMETERS} * k\n    return tf.train.batch([x], n)\nmake(3, 2)",
        {"batch_size": "n"}, {"k": "3"}, ""),
    "what its name is given": (
        f"def make(k=3.0):\n    {OF_PARAMETERS}\n    y = tf.to_float(x) * k\n"
        "    return tf.train.batch([y], 2)\nmake()", {}, {"k": "3.0"}, ""),
    "a branch": (
        f"def make(files, training):\n    {OF_PARAMETERS}\n    if training: x *= 2\n"
        "    return tf.train.batch([x], 2)\nmake([], True)", {}, {"training": "True"}, ""),
    "what a helper takes that has input_fn's argument": (
        "def epochs(n):\n    return tf.train.range_input_producer(5, n).dequeue()\n"
        "def make(n):\n    return tf.train.batch([epochs(n)], 2)\nmake(1)", {}, {"n": "1"}, ""),
    "what changes no example": (
        f"def make(k):\n    {OF_PARAMETERS}\n"
        "    return tf.train.batch([x], 2, num_threads=k, capacity=k)\nmake(3)", {}, {}, ""),
    "two values": (
        f"def make(k):\n    {OF_PARAMETERS} * k\n    return tf.train.batch([x], 2)\n"
        "make(3)\nif len(sys.argv) > 9: make(k=4)", {}, {},
        "`tf.train.range_input_producer(5).dequeue() * k` depends on k"
        " (line 7: `make(3)` gives 3, line 8: `make(k=4)` gives 4), and input_fn()"),
    "a name that anything may change": (
        f"def make(k):\n    {OF_PARAMETERS} * k\n    return tf.train.batch([x], 2)\n"
        "make(3)\nexec('')", {}, {}, " depends on k, and input_fn()"),
    "a parameter of the function around it": (
        f"def outer(k):\n    def make():\n        {OF_PARAMETERS} * k\n"
        "        return tf.train.batch([x], 2)\n    make()\nouter(3)",
        {}, {}, " depends on k, and input_fn()"),
    "a name around it that gets another value": (
        f"def outer():\n    def make():\n        {OF_PARAMETERS} * k\n"
        "        return tf.train.batch([x], 2)\n    k = 3\n    make()\n    k = 4\n"
        "    if len(sys.argv) > 9: make()\nouter()",
        {}, {}, " depends on k (line 10: `k = 4`), and input_fn()"),
    "what is made of a parameter around it": (
        f"def outer(k):\n    def make():\n        {OF_PARAMETERS} * m\n"
        "        return tf.train.batch([x], 2)\n    m = k + 1\n    make()\nouter(3)",
        {}, {}, " depends on m (line 8: `k`), and input_fn()"),
}  # fmt: skip


@pytest.fixture(scope="module")
def more_told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[dict, list, dict]]:
    folder = tmp_path_factory.mktemp("told")
    helper = "import sys\nK = len(sys.argv)\ndef scale(x):\n    return x * K\n"
    (folder / "helper_told.py").write_text(helper)
    paths = {}
    cases = TOLD | {case: ("", made) for case, (made, *_) in RELIED_ON.items()}
    for number, (source, (above, made, *_)) in enumerate(cases.items()):
        paths[source] = path = folder / f"script_{number}.py"
        path.write_text(
            f"import sys\nimport tensorflow as tf\n{above}\n{made}\n"
            + "tf.train.batch([x], 2)\n" * (".batch" not in made)
        )
    order = folder / "cases.json"
    order.write_text(json.dumps([str(path) for path in paths.values()]))
    done = python(Path(__file__).parent / "dependences.py", order, cwd=folder, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [json.loads(x.removeprefix("CASE ")) for x in done.stdout.splitlines() if "CASE" in x]
    return {source: tuple(found[1:]) for source, found in zip(paths, lines, strict=True)}


@pytest.mark.parametrize("source", TOLD)
def test_what_is_said_of_a_value_names_its_file_and_what_input_fn_takes(
    source: str, more_told: dict
) -> None:
    passed, reasons, relied_on = more_told[source]
    assert passed == TOLD[source][2] and not relied_on
    assert any(TOLD[source][3] in each for each in reasons) if TOLD[source][3] else not reasons


@pytest.mark.parametrize("case", RELIED_ON)
def test_a_parameter_that_all_calls_give_the_same_is_relied_on_where_it_is_not_passed(
    case: str, more_told: dict
) -> None:
    _, passed, relied_on, reason = RELIED_ON[case]
    assert more_told[case][0] == passed
    if reason:
        assert any(reason in each for each in more_told[case][1])
    else:
        assert more_told[case][1:] == ([], relied_on)

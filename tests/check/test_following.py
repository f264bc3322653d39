"""Names are followed through a program, and what it does without is told as guarded.

The stand-in for TensorFlow in generated.py has tf.contrib.slim and no tf.contrib.crf.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from queueio.check.checking import CodeBase, check_folder
from queueio.check.report import text
from tests.check.generated import SmallJudge


def checked(folder: Path, **files: str) -> CodeBase:
    """A check of a folder with these modules; `a__b` is b.py in the folder a."""
    for name, code in files.items():
        path = folder / f"{name.replace('__', '/').replace('init', '__init__')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(code)
    return check_folder(folder, SmallJudge())


def told(found: CodeBase) -> set[tuple[str, int, str, str]]:
    """(file, line, name, verdict) of all that does not run, and of what is guarded."""
    return {
        (each.file.stem, each.line, str(each.name), "guarded" if each.guarded else "fails")
        for each in found.names
        if each.fails or each.guarded
    }


USES = {
    "from tensorflow.contrib import crf": ("tf.contrib.crf", "fails"),
    "import tensorflow.contrib.crf": ("tf.contrib.crf", "fails"),
    "import tensorflow as tf\nslim = tf.contrib.slim\nslim.lost": ("tf.contrib.slim.lost", "fails"),
    "import tensorflow as tf\ntf.compat.v1.lost": ("tf.lost", "fails"),
    "import tensorflow.compat.v1 as tf\ntf.lost": ("tf.lost", "fails"),
    "import queueio.v1 as tf\ntf.lost": ("tf.lost", "fails"),
    "from queueio import v1\nv1.lost": ("tf.lost", "fails"),
    "import tensorflow as tf\ngetattr(tf, 'lost')": ("tf.lost", "fails"),
    "import tensorflow as tf\ngetattr(tf, 'lost', 1)": ("tf.lost", "guarded"),
    "import tensorflow as tf\nf = tf.lost if hasattr(tf, 'lost') else None":
        ("tf.lost", "guarded"),
    "import tensorflow as tf\nclass A(tf.lost): pass": ("tf.lost", "fails"),
    "import tensorflow as tf\n@tf.lost\ndef f(): pass": ("tf.lost", "fails"),
    "import tensorflow as tf\ndef f(x: tf.lost): pass": ("tf.lost", "fails"),
    "import tensorflow as tf\nwith tf.lost() as x: pass": ("tf.lost", "fails"),
    "import tensorflow as tf\nprint(f'{tf.lost}')": ("tf.lost", "fails"),
    "import tensorflow as tf\ndef f():\n  global slim\n  slim = tf.contrib.slim\nslim.lost":
        ("tf.contrib.slim.lost", "fails"),
    "import tensorflow as tf\nif (crf := tf.contrib.crf): pass": ("tf.contrib.crf", "fails"),
    "import tensorflow as tf\nsetattr(tf, 'lost', 1)\ntf.lost": ("tf.lost", "guarded"),
    "try:\n  from tensorflow.contrib import crf\nexcept:\n  crf = None\ncrf.decode()":
        ("tf.contrib.crf.decode", "guarded"),
    "import tensorflow as tf\ntry:\n  tf.lost\nexcept Exception as error:\n  print(error)":
        ("tf.lost", "fails"),
    "try:\n  import tensorflow.contrib.crf\nexcept ImportError:\n  import sys\n  sys.exit(1)":
        ("tf.contrib.crf", "fails"),
    "try:\n  import tensorflow.contrib.slim\nexcept ImportError:\n  from tensorflow import lost":
        ("tf.lost", "guarded"),
    "try:\n  import my_own_slim as s\nexcept ImportError:\n  from tensorflow import lost":
        ("tf.lost", "fails"),
    "try:\n  import tensorflow.contrib.crf\nexcept ImportError:\n  from tensorflow import lost":
        ("tf.lost", "fails"),
}  # fmt: skip


@pytest.mark.parametrize("code", USES)
def test_a_missing_name_is_told_however_it_is_asked_for(code: str, tmp_path: Path) -> None:
    assert USES[code] in {each[2:] for each in told(checked(tmp_path, script=code))}


@pytest.mark.parametrize(
    "code",
    [
        "import tensorflow as tf\ndef f(tf):\n  tf.lost",
        "import tensorflow as tf\nx = tf.Session().lost",
        "import tensorflow as tf\n[tf.lost for tf in []]",
        "tf = 1\ntf.lost",
        "class tf: pass\ntf.lost",
        "import tensorflow_datasets as tf\ntf.lost",
        "class A:\n  import tensorflow as tf\n  def f(self): return tf.lost",
    ],
)
def test_what_is_no_name_of_tensorflow_is_not_told(code: str, tmp_path: Path) -> None:
    assert told(checked(tmp_path, script=code)) == set()


def test_the_line_is_the_one_that_the_name_stands_on(tmp_path: Path) -> None:
    code = "import tensorflow as tf\nx = (\n  tf\n  .contrib\n  .crf)\ny = tf.add(1,\n  tf.lost)\n"
    assert {each[1] for each in told(checked(tmp_path, script=code))} == {5, 7}


def test_names_are_followed_into_the_other_files_of_a_code_base(tmp_path: Path) -> None:
    found = checked(
        tmp_path,
        common="import tensorflow as tf\nslim = tf.contrib.slim\n",
        nets__init="from .vgg import *\nfrom . import vgg\n",
        nets__vgg="from common import slim\nlayers = slim\n",
        train="from common import tf\nimport nets.vgg\nfrom nets import layers\nimport nets as n\n"
        "tf.lost\nnets.vgg.slim.lost\nlayers.lost\nn.vgg.layers.lost2\nn.vgg.own.lost\n",
        stars="from common import *\ndef f():\n  return slim.lost\n",
    )
    slim = "tf.contrib.slim.lost"
    assert told(found) == {
        ("train", 5, "tf.lost", "fails"),
        ("train", 6, slim, "fails"),
        ("train", 7, slim, "fails"),
        ("train", 8, f"{slim}2", "fails"),
        ("stars", 3, slim, "fails"),
    }


def test_modules_that_import_one_another_in_a_circle_are_followed(tmp_path: Path) -> None:
    found = checked(
        tmp_path,
        a="from b import *\nfrom b import x\nx.lost\n",
        b="from a import *\nfrom a import x as y\nimport tensorflow as x\nx = x\ny.lost\n",
    )
    assert {each[:2] for each in told(found)} >= {("a", 3)}


def test_the_sources_of_tf_slim_are_no_use_of_an_installed_tf_slim(tmp_path: Path) -> None:
    outside = checked(tmp_path, script="import tf_slim as slim\nfrom tf_slim.ops import x\n")
    assert {each[2] for each in told(outside)} == {"tf_slim", "tf_slim.ops.x"}
    (tmp_path / "script.py").unlink()
    inside = checked(tmp_path, tf_slim__init="", tf_slim__ops="import tf_slim.ops\nx = 1\n",
                     script="import tf_slim as slim\nfrom tf_slim.ops import x\n")  # fmt: skip
    assert inside.names == [] and inside.files == 3


def test_a_file_of_python_2_is_told_as_such_and_the_others_are_checked(tmp_path: Path) -> None:
    found = checked(
        tmp_path, old="import tensorflow as tf\nprint 'step', tf.lost\n", torn="def f(:\n",
        fine="import tensorflow as tf\ntf.lost\n",
    )  # fmt: skip
    assert {(p.stem, e.is_python2, e.line) for p, e in found.unread} == {
        ("old", True, 2), ("torn", False, 1),
    }  # fmt: skip
    assert "old.py is written for Python 2 (old.py:2: print 'step', tf.lost)" in text(found)
    assert told(found) == {("fine", 2, "tf.lost", "fails")} and found.fails


@pytest.mark.parametrize(
    "content", [b"x = 1\x00", b"\xff\xfe", b"# coding: nonsense\n", b"(" * 999]
)
def test_a_file_that_is_no_python_fails_a_check_and_does_not_end_it(
    content: bytes, tmp_path: Path
) -> None:
    (tmp_path / "torn.py").write_bytes(content)
    found = checked(tmp_path, fine="import tensorflow as tf\ntf.add\n")
    assert [path.stem for path, _ in found.unread] == ["torn"] and found.fails


def test_a_star_import_is_told_as_what_nobody_knows(tmp_path: Path) -> None:
    found = checked(tmp_path, script="from tensorflow import *\nlost(1)\n")
    assert [(line, str(name)) for _, line, name in found.stars] == [(1, "tf")]
    assert "which names the file takes cannot be told" in text(found) and not found.fails


def test_an_attribute_of_an_object_is_no_part_of_a_name(tmp_path: Path) -> None:
    code = "import tensorflow as tf\ntf.add.of_a_function\ntf.train.batch.x.y\n"
    names = checked(tmp_path, script=code).names
    assert [str(each.name) for each in names] == ["tf.add", "tf.train.batch"]


def test_a_name_that_runs_in_one_way_and_fails_in_another_is_told_as_failing(
    tmp_path: Path,
) -> None:
    code = (
        "import tensorflow as tf\nif input():\n  m = tf.train\nelse:\n  m = tf.nn\n"
        "m.batch\nm.relu\n"
    )
    lines = {each[1] for each in told(checked(tmp_path, script=code))}
    assert lines == {6, 7}

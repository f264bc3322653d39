"""The notebooks of examples/ run from their first cell to their last, and show what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.processes import ROOT, environment

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Runs a notebook, in a kernel of its own; gives the outputs of its cells of code."""

    def outputs(book: Any) -> list[Any]:
        folder = str(tmp_path_factory.mktemp("notebook"))
        client = nbclient.NotebookClient(
            book, timeout=60, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment().items():
                patch.setenv(name, value)
            client.execute()
        return [cell.outputs for cell in book.cells if cell.cell_type == "code"]

    return outputs


def example(name: str) -> Any:
    return nbformat.read(Path(ROOT, "examples", name), 4)


def shown(outputs: list[Any], form: str) -> list[str]:
    """What cells show in a form, by cell."""
    found = [each["data"][form] for out in outputs for each in out if form in each.get("data", {})]
    return ["".join(text) for text in found]


def printed(outputs: list[Any]) -> str:
    return "".join(each.get("text", "") for out in outputs for each in out)


@pytest.mark.long
def test_the_queue_model_is_seen_before_during_and_after_a_run(run: Any) -> None:
    outputs = run(example("queue_model.ipynb"))
    plan, *states, replay = shown(outputs, "text/html")
    assert plan.startswith("<img") and len(states) == 3
    assert replay.startswith("<iframe") and "ten batches of four" in replay
    assert ["0/32" in states[0], "32/32" in states[1], "0/32 closed" in states[2]] == [True] * 3
    assert "25 batches, then the end of the input" in printed(outputs)
    plain = shown(outputs, "text/plain")
    assert plain[0].startswith("<Plan: ") and len(plain[0]) < 200
    assert "cell 2, line 2" in plain[-2], plain[-2]
    assert plain[-1].startswith("<Replay: ") and "; finished" in plain[-1], plain[-1]


@pytest.mark.long
def test_a_pipeline_is_migrated_and_proved(run: Any) -> None:
    outputs = run(example("migrate_a_pipeline.ipynb"))
    source = printed(outputs).partition("def input_fn")[0]
    assert (
        "import tensorflow as tf" in source and "The input pipeline of cell 3 in tf.data" in source
    )
    assert "(cell 3, line 4-5)" in source
    plan, report = shown(outputs, "text/html")
    assert plan.startswith("<img") and "srcdoc" in report
    assert shown(outputs, "text/plain")[1].startswith("<Result: ")


@pytest.mark.long
def test_an_error_of_a_cell_is_told_by_cell_and_line_with_its_advice(run: Any) -> None:
    code = [
        "%load_ext queueio\nimport tensorflow as tf",
        "number = tf.train.limit_epochs(tf.constant(1), num_epochs=1)\ntf.Session().run(number)",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in code])
    with pytest.raises(nbclient.exceptions.CellExecutionError) as error:
        run(book)
    said = str(error.value)
    assert "cell 2, line 1" in said and "local_variables_initializer" in said


@pytest.mark.long
def test_the_code_of_a_cell_lives_as_long_as_the_ops_that_it_made(run: Any) -> None:
    # IPython lets go of a statement's code once it has run; see queueio/runtime/held_code.py.
    code = [
        "%load_ext queueio\nimport sys, weakref\nimport tensorflow as tf",
        "print()\nimage, ran = tf.constant('a'), weakref.ref(sys._getframe().f_code)",
        "print('kept', ran() is not None)\n"
        "try:\n    tf.train.batch_join([image, image], 2)\nexcept Exception as e:\n    print(e)",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in code])
    text = printed(run(book))
    assert "kept True" in text and "Const op made at cell 2, line 2" in text, text

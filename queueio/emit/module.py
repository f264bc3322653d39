"""The finished module: its text, and the file of large constants beside it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from queueio import __version__, outputs
from queueio.compat.caller import MARK, opening
from queueio.emit.spelling.code import call, code
from queueio.emit.spelling.function import Blank, Comment, Function, Statement, Verbatim
from queueio.emit.spelling.stored import READ, is_text, stored
from queueio.emit.steps.pace import threads_of
from queueio.emit.steps.seeds import keep_in_step
from queueio.emit.writer import AUTOTUNE, Writer
from queueio.graph.origin import Origin, file_name
from queueio.plan.show import spec_text
from queueio.plan.tree import PlanTree

_AS_TAKEN = "The examples, in batches as the training step took them."
_AS_BATCHED = "The examples as the last queue gave them; the program makes more of them."
_LEFT = "Not in this module is what the program itself makes of these tensors"
_NEXT_BATCH = '''
def next_batch(dataset: tf.data.Dataset) -> Any:
    """The next batch in a graph: `tf.compat.v1.tables_initializer()` begins the dataset.

    It does so after all tables, of which an iterator without an initializer cannot know.
    """
    with tf.control_dependencies([tf.compat.v1.tables_initializer()]):
        iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
    initializers = tf.compat.v1.GraphKeys.TABLE_INITIALIZERS
    tf.compat.v1.add_to_collection(initializers, iterator.initializer)
    return iterator.get_next()
'''
_LIFT = "To have it written too, lift the tensors that the program fetches: queueio.lift(fetches)."


@dataclass(frozen=True)
class Module:
    """A Python module that needs TensorFlow only.

    Attributes:
      text: the source.
      constants: the arrays that stand in the file beside it, by name; often none.
      notes: what it says above its steps, as where its meaning differs; without their origins.
      uses_tables: whether its dataset looks words up, so that a graph has to begin its iterator.
      given_at: where the program gives what an argument of `input_fn` stands for, where that is
        known, by the argument's name; and the name that it has where no other has that.
    """

    text: str
    constants: dict[str, np.ndarray]
    notes: tuple[str, ...] = ()
    uses_tables: bool = False
    given_at: dict[str, tuple[Origin, str]] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def write(self, path: str | Path) -> list[Path]:
        """Writes the module, and its constants as `<module>.npz`; the files written."""
        path = Path(path)
        if not self.constants:
            outputs.write(path, self.text)
            return [path]
        beside = path.with_suffix(".npz")
        # Neither is there without the other, of which nobody would know whose it is.
        with outputs.whole(path) as text, outputs.whole(beside) as fresh:
            text.write_text(self.text, encoding="utf-8")
            with fresh.open("wb") as file:  # by a name NumPy would add an ending
                np.savez_compressed(file, **stored(self.constants))  # type: ignore[arg-type]
        return [path, beside]


def to_source(
    plan: PlanTree, *, style: str = "plain", title: str = "", left: str = "", graph: bool = False
) -> Module:
    """The source of a plan; see `Plan.to_source`.

    Args:
      plan, style, title: as there.
      left: what the program makes of these examples before its model takes them, if the plan
        does not hold it.
      graph: whether a program that builds a graph is to use it.
    """
    if style not in ("plain", "fast"):
        raise ValueError(f"style={style!r} is not known. Use 'plain' or 'fast'.")
    from queueio.emit.steps.fast import could_be_fast, fastened
    from queueio.emit.steps.sliced import with_rows

    root = with_rows(plan.root)
    writer = Writer(plan)
    if style == "fast":
        root = fastened(root)
    elif could_be_fast(root):
        writer.hint = (
            "Faster, with the same examples: shuffle and batch first, then parse a whole"
            " batch in one call (--style fast writes that form)."
        )
    writer.threads = dict(threads_of(root))
    stream = root.to_source(writer, plan.structure)
    keep_in_step(writer)
    last = call(f"{stream}.prefetch", AUTOTUNE)
    if left:
        writer.body += [Blank(), Comment(f"{_LEFT}: {left}. {_LIFT}")]
    writer.body += [Blank(), Statement("return ", last)]
    made = _input_fn(writer, plan, _AS_BATCHED if left else _AS_TAKEN)
    if graph and writer.uses_tables:
        writer.verbatim("next_batch", _NEXT_BATCH)
    text = _text(writer, plan, title, made)
    places = {
        name: (each.origin, each.wanted) for name, each in writer.arguments.items() if each.origin
    }
    return Module(text, writer.constants, made.notes, writer.uses_tables, places)


def _text(writer: Writer, plan: PlanTree, title: str, made: Function) -> str:
    functions = [*writer.functions, made]
    lines = [
        *_docstring(plan, title, writer.packages),
        "",
        "from __future__ import annotations",
        "",
    ]
    lines += _imports(writer)
    if writer.constants:
        lines += ["", 'CONSTANTS = np.load(Path(__file__).with_suffix(".npz"))']
        if any(map(is_text, writer.constants.values())):
            functions = [Verbatim(READ.strip("\n").split("\n")), *functions]
    for each in functions:
        lines += ["", "", *each.render()]
    return "\n".join(lines) + "\n"


def _docstring(plan: PlanTree, title: str, packages: set[str]) -> list[str]:
    files = {n.origin.filename for n in plan.stages if n.origin.filename}
    name = title or (file_name(sorted(files)[0]) if len(files) == 1 else "")
    return [
        opening(name),
        "",
        f"{MARK} {__version__}; needs {' and '.join(['TensorFlow', *sorted(packages)])} only.",
        '"""',
    ]


def _imports(writer: Writer) -> list[str]:
    lines = [f"import {name}" for name in sorted(writer.imports)]
    sequence = any("Sequence" in a.annotation for a in writer.arguments.values())
    abstract = [*["Iterator"] * writer.uses_iterator, *["Sequence"] * sequence]
    if abstract:
        lines.append(f"from collections.abc import {', '.join(abstract)}")
    if writer.constants:
        lines.append("from pathlib import Path")
    if writer.uses_any:
        lines.append("from typing import Any")
    lines += [""] if lines else []
    others = sorted(
        [*writer.packages, "tensorflow as tf", *["numpy as np"] * bool(writer.constants)]
    )
    return lines + [f"import {name}" for name in others]


def _input_fn(writer: Writer, plan: PlanTree, first: str) -> Function:
    arguments = sorted(writer.arguments.items(), key=_rank)
    parameters = []
    for name, argument in arguments:
        head = f"{name}: {argument.annotation}"
        default = argument.default
        parameters.append(code(head) if default is None else default.prefixed(f"{head} = "))
    doc = [first]
    if arguments:
        doc += ["", "Args:"]
        for name, argument in arguments:
            doc += textwrap.wrap(
                f"{name}: {argument.doc}", 78, initial_indent="  ", subsequent_indent="    "
            )
    doc += ["", "Returns:", *_elements(plan)]
    tops = [*writer.tops, Blank()] if writer.tops else []
    hint = [Comment(writer.hint), Blank()] if writer.hint else []
    return Function("input_fn", parameters, "tf.data.Dataset", doc, [*tops, *hint, *writer.body])


_ORDER = ("file_pattern", "files", "batch_size", "num_epochs", "shuffle_buffer", "seed")


def _rank(item: Any) -> tuple[bool, bool, bool, int, str]:
    """Required arguments first, then those of the data as they were asked for, then `_ORDER`."""
    name, argument = item
    at = _ORDER.index(argument.wanted) if argument.wanted in _ORDER else -1
    return argument.default is not None, argument.last, at > 1, at, name if at >= 0 else ""


def _elements(plan: PlanTree) -> list[str]:
    import tensorflow as tf

    told = tf.nest.map_structure(lambda i: spec_text(plan.root.elements[i]), plan.structure)
    if isinstance(told, dict):
        text = ", ".join(f"{key}: {value}" for key, value in told.items())
    else:
        text = ", ".join(map(str, tf.nest.flatten(told)))
    text = text.replace("?", "None")
    return textwrap.wrap(f"A dataset of {text}.", 78, initial_indent="  ", subsequent_indent="    ")

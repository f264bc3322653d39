"""Which values of a pipeline are the script's to choose: parameters, flags, what is found on disk.

A module holds the values that the script had when it was converted. Where a batch call stands in a
function, or hangs on a flag, the next call or the next run may have others: those must be passed
as the script's own expressions, or the call must stay. So every statement that made an op of the
pipeline is read, from the function with the batch call (its home) inwards; what flows in from
outside of it comes through names that are resolved here. A name counts as fixed only if that can
be seen in the source.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from queueio.convert.conditions import conditions
from queueio.convert.making import Making
from queueio.convert.once import taking
from queueio.convert.source import Script, last_part, names, nodes, parts
from queueio.convert.variation import Cause, Variation
from queueio.graph.origin import Origin

BATCHES = {"batch": 1, "batch_join": 1, "maybe_batch": 2, "maybe_batch_join": 2,
            "shuffle_batch": 1, "shuffle_batch_join": 1, "maybe_shuffle_batch": 1,
            "maybe_shuffle_batch_join": 1}  # fmt: skip
"""The batch functions, and the place of `batch_size` among their arguments."""
_CAPACITY = {"shuffle_batch": 2, "shuffle_batch_join": 2, "maybe_shuffle_batch": 2,
             "maybe_shuffle_batch_join": 2}  # fmt: skip
_EPOCHS = {"range_input_producer": 1, "slice_input_producer": 1, "input_producer": 2}
"""Other producers than those of file names, and the place of `num_epochs`."""
_PASSED = {"batch_size", "shuffle_buffer", "files", "file_pattern", "num_epochs"}
"""The arguments of `input_fn` for which it is known which calls give them."""
_KNOWN = {*BATCHES, *_EPOCHS, "string_input_producer", "match_filenames_once"}
"""The calls of which it is known where they take these; others that make queues may, anywhere."""
_EDITED = {"files", "file_pattern", "num_epochs"}
"""Those of them that are passed even where they are fixed: the batch size is anyway, and more or
less mixing gives the same examples."""
_OR = " or "  # in the place of one name of an argument, where it is not known which it is
_WITHOUT_EFFECT = {"num_threads", "name", "shared_name", "capacity", "min_after_dequeue"}
"""Arguments that change no example: speed, names, and how much is mixed."""


@dataclass
class Dependence:
    """What a batch call must be given, if it gives way to `input_fn`.

    Attributes:
      passed: for an argument of `input_fn`, the script's own expression.
      reasons: why the call cannot be replaced, each as `line 3: …`.
      relied_on: parameters of the function with the batch call that must have these values, as
        their `repr`, for all calls of it in the script give them; and constants of the module.
    """

    passed: dict[str, str] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    relied_on: dict[str, str] = field(default_factory=dict)
    given: dict[str, dict[str, int]] = field(default_factory=dict)
    """For an argument of `input_fn` all expressions that the pipeline's calls give, and a line."""
    plain: dict[str, str] = field(default_factory=dict)
    """For an argument whose value is fixed the expression that gives it, which somebody may edit
    (`EPOCHS = 3`, `FILES += …`); "" where it cannot be given in the call of `input_fn`."""


class Analysis(Making):
    """Reads the statements that made one pipeline; see `Making` for its arguments."""

    def dependence(self, arguments: Mapping[str, tuple[Origin | None, str]]) -> Dependence:
        """What must be passed, and what stands in the way.

        Args:
          arguments: those that `input_fn` has; see `arguments_of`.
        """
        found = Dependence()
        if self.outside:
            name = getattr(self.home, "name", "the module")
            found.reasons.append(
                f"line {self.call.lineno}: a part of the pipeline is made outside of {name!r}"
                f" ({sorted(set(self.outside))[0]}), so another call may batch something else"
            )
        statements = self.statements | self.deciding()
        for statement, source in sorted(statements.items(), key=lambda s: s[0].lineno):
            Reading(self, source, statement, arguments, found).read()
        found.reasons = list(dict.fromkeys([*found.reasons, *_shared(found)]))
        found.relied_on = dict(sorted(found.relied_on.items()))
        found.passed |= {
            place: code
            for place, code in sorted(found.plain.items())
            if code and place not in found.passed and len(found.given[place]) == 1
        }
        return found


def _shared(found: Dependence) -> Iterator[str]:
    """Arguments of which `input_fn` has one, or more than one, for calls that differ."""
    for place, code in found.passed.items():
        for other, line in found.given[place].items():
            if other != code:
                yield (
                    f"line {line}: `{other}` is given for {place} here, and `{code}` in another"
                    " part of the pipeline, so it is not sure whose argument of input_fn() it is"
                )


class Reading:
    """Reads one statement, and resolves the names in it."""

    def __init__(
        self, analysis: Analysis, source: Script, statement: ast.stmt,
        known: Mapping[str, tuple[Origin | None, str]], found: Dependence,
    ) -> None:  # fmt: skip
        self._all, self._source, self._statement = analysis, source, statement
        self._known, self._found = known, found
        self._function = source.function(statement)
        self._variation = Variation(analysis, source)
        self._checked = Variation(analysis, source, checked=True)
        self._at_home = source is analysis.script and self._function is analysis.home

    def read(self) -> None:
        """Notes what the statement passes, or why it stands in the way."""
        call = self._all.call
        for each in conditions(self._source, self._statement, self._function, call, jumps=False):
            self._demand_fixed(each)
        settled: set[ast.AST] = set()
        for node in nodes(self._statement):
            if isinstance(node, ast.Call):
                for place, argument in self._open_to(node):
                    settled.add(argument)
                    codes = self._found.given.setdefault(place, {})
                    codes.setdefault(self._source.code(argument), argument.lineno)
                    if place and self._variation.of(argument, self._function):
                        self._pass(place, argument)
                    elif place and self._found.plain.get(place) != "":
                        self._found.plain[place] = self._plain(place, argument)
        for part in parts(self._statement, settled):
            self._demand_fixed(part)
        self._found.relied_on |= self._checked.relied_on

    def _open_to(self, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
        """(argument of input_fn or "", the script's expression) where values may vary."""
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        given = {k.arg: k.value for k in call.keywords if k.arg}
        places = list(enumerate(call.args))
        if name in BATCHES:
            sizes = {BATCHES[name]: "batch_size", _CAPACITY.get(name, -1): "shuffle_buffer"}
            named = {"batch_size": "batch_size"}
            named |= dict.fromkeys(_WITHOUT_EFFECT, "")
            if name in _CAPACITY:
                named["capacity"] = "shuffle_buffer"
                places = [(i, a) for i, a in places if i <= 3]
        elif name == "string_input_producer":
            sizes, named = {0: "files", 1: "num_epochs"}, {
                "string_tensor": "files", "num_epochs": "num_epochs", "capacity": "",
                "name": "", "shared_name": "",
            }  # fmt: skip
        elif name in _EPOCHS:
            sizes, named = {_EPOCHS[name]: "num_epochs"}, {"num_epochs": "num_epochs"}
            named |= dict.fromkeys(("capacity", "name", "shared_name"), "")
        elif name == "match_filenames_once":
            sizes, named = {0: "file_pattern"}, {"pattern": "file_pattern", "name": ""}
        else:
            return
        found = [(named[key], value) for key, value in given.items() if key in named]
        for i, value in places:
            if i in sizes and not isinstance(value, ast.Starred):
                found.append((sizes[i], value))
            elif name in _CAPACITY and i == 3:
                found.append(("", value))  # min_after_dequeue
        for place, value in found:
            # The files of `string_input_producer(match_filenames_once(pattern))` are the inner
            # call's to tell: it is the pattern that input_fn takes.
            if not (isinstance(value, ast.Call) and any(self._open_to(value))):
                yield self._own(place, call), value

    def _own(self, wanted: str, call: ast.Call) -> str:
        """The argument of input_fn that a call gives: of several, the one of the call's lines."""
        several = [name for name, (_, kind) in self._known.items() if kind == wanted]
        if len(several) < 2:
            return wanted
        lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
        places = {name: self._known[name][0] for name in several}
        here = [
            name for name, at in places.items()
            if at and at.filename == self._source.path and at.lineno in lines
        ]  # fmt: skip
        if len(here) == 1:
            return here[0]
        return _OR.join(several)

    def _pass(self, place: str, argument: ast.expr) -> None:
        code = self._source.code(argument)
        why = self._cannot_pass(place, argument)
        if why is None and self._found.passed.setdefault(place, code) == code:
            return
        if self._varies(argument):
            self._stands(argument, why or f"two expressions are given for {place}")

    def _plain(self, place: str, argument: ast.expr) -> str:
        """A fixed argument, if its names can be read there too; "" if not, or if it makes ops."""
        read = names(argument)
        if place not in _EDITED or not read or self._cannot_pass(place, argument):
            return ""
        bound = self._source.bound
        tensors = any(read & bound[s] for s in self._all.statements if s in bound)
        calls = [n.func for n in ast.walk(argument) if isinstance(n, ast.Call)]
        computes = all(self._makes_no_op(name) for func in calls for name in names(func))
        return self._source.code(argument) if computes and not tensors else ""

    def _makes_no_op(self, name: str) -> bool:
        """Whether what is called by a name, or its attributes, only computes."""
        module = self._source.imports.get(name, "").partition(".")[0]
        if not module:
            return hasattr(builtins, name)
        return module == "numpy" or module in sys.stdlib_module_names

    def _cannot_pass(self, place: str, argument: ast.expr) -> str | None:
        if _OR in place:
            return f"it is not sure whether it is {place} of input_fn()"
        if place not in self._known:
            return f"input_fn() of the new module has no argument {place!r}"
        if not self._at_home:
            return (
                f"it is given in {self._place()}, but input_fn() is called where the batch is made"
            )
        inner = self._source.bound_around(argument) & names(argument)
        if inner and self._statement is not self._all.call:
            return f"{min(inner)!r} is known within a part of this statement only"
        if self._statement is not self._all.call:
            again = taking(argument, self._source, self._all.changes(self._source))
            if again:
                return (
                    f"`{again}` may give something else when it is evaluated once more, where the"
                    " batch is made; give its value a name before, and that name here"
                )
        between = range((self._statement.end_lineno or 0) + 1, self._all.call.lineno)
        later = [s for s in self._source.own(self._all.home) if s.lineno in between]
        for name in sorted(names(argument) - self._source.imports.keys()):
            if any(
                name in self._source.bound[s] or self._variation.in_between(s, name) for s in later
            ):
                return f"{name!r} may be another value where the batch is made"
        return None

    def _demand_fixed(self, node: ast.AST) -> None:
        if self._varies(node):
            self._stands(node, self._not_passed())

    def _not_passed(self) -> str:
        """Why nothing is passed for a value: there is no argument, or it is not sure which."""
        named = {k.arg for k in ast.walk(self._statement) if isinstance(k, ast.keyword)}
        perhaps = {name for name, (_, kind) in self._known.items() if kind not in _PASSED}
        perhaps -= {"seed"} - named
        calls = {last_part(n.func) for n in ast.walk(self._statement) if isinstance(n, ast.Call)}
        if "limit_epochs" in calls:
            perhaps |= self._known.keys() & {"num_epochs"}
        if self._statement in self._all.queueing and not calls & _KNOWN:
            perhaps |= {name for name, (_, kind) in self._known.items() if kind in _PASSED}
        if not perhaps:
            return "input_fn() of the new module has no argument for it"
        every = ", ".join(sorted(perhaps))
        return f"whether it belongs to an argument of input_fn() ({every}) is for you to say"

    def _stands(self, node: ast.AST, why: str) -> None:
        on = self._varies(node)
        if on and on.root:
            on = Cause(on.code, f"{self._file}{on.root}")
        code = self._source.code(node)
        line = getattr(node, "lineno", self._statement.lineno)
        if on and on.code != code:
            depends = f" depends on {on}"
        else:
            depends = " is not fixed in the script" + (f" ({on.root})" if on and on.root else "")
        self._found.reasons.append(f"{self._file}line {line}: `{code}`{depends}, and {why}")

    @property
    def _file(self) -> str:
        """What stands before a line of another file than the script."""
        return "" if self._source is self._all.script else f"{Path(self._source.path).name}, "

    def _place(self) -> str:
        name = getattr(self._function, "name", "")
        return f"{name}()" if name else Path(self._source.path).name

    def _varies(self, node: ast.AST) -> Cause | None:
        return self._checked.of(node, self._function)

"""What the rules see, and what they say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from queueio.compare.draws.drawn import Drawn
from queueio.compare.draws.judgement import Judgement
from queueio.compare.findings.origins import RecordAt, origins
from queueio.compare.findings.shown import show_both
from queueio.compare.match.change import Tolerance
from queueio.compare.match.match import Pair
from queueio.compare.mixing.order import Mixing
from queueio.compare.mixing.rates import Often
from queueio.compare.reading.difference import FETCHED, Difference
from queueio.compare.reading.fetch import Example, Fetched
from queueio.compare.reading.lockstep import Both
from queueio.compare.reading.padding import Padded
from queueio.compare.reading.scan import Scan
from queueio.compare.sides.schema import Paired, Schema, Select

DIFFERENT, UNKNOWN, WORSE, NOTE = "different", "not compared", "worse", "note"
STRUCTURE = {"component-missing", "component-order", "dict-keys", "dtype", "kind", "shape"}
SHOWN = 5


@dataclass(frozen=True)
class Evidence:
    """One concrete place: which example, component and index, and both values (None: absent)."""

    where: str
    component: str
    index: tuple[int, ...] | None
    old: Any
    new: Any
    whole: tuple[Any, Any] | None = None  # both components, where old and new are entries of them

    def __str__(self) -> str:
        at = "" if self.index in (None, ()) else str(list(self.index or ()))
        name = f" {self.component}{at}:" if self.component else ":"
        old, new = show_both(self.old, self.new)
        return f"{self.where}{name} old {old}, new {new}"


@dataclass(frozen=True)
class Finding:
    """A named fault.

    severity: different (other examples), not compared, worse (the same ones, but), note.
    `compared`: of random values, whether their distributions were.
    """

    code: str
    severity: str
    sentence: str
    count: int = 0
    evidence: tuple[Evidence, ...] = ()
    compared: bool = False

    @property
    def rank(self) -> int:
        """What made a side stop comes first, then structure: much else may follow from them."""
        if self.code in ("end", "compression"):
            return -2
        if self.code in STRUCTURE:
            return -1
        return (DIFFERENT, UNKNOWN, WORSE, NOTE).index(self.severity)


@dataclass
class Case:
    """Everything that was seen. The schemas are the full ones; the scans have the components
    that are compared.

    Where components are drawn anew in each run, `both` has the others only, and `whole` all:
    what is drawn is in `drawn`, judged in `judgements`, and shown by the pairs `shown`.
    """

    both: Both
    schemas: tuple[Schema, Schema]
    difference: Difference
    tolerance: Tolerance
    epochs: int | None = None
    select: Select | None = None
    paired: Paired = field(default_factory=list)  # all components, also those not comparable
    left_out: int = 0  # examples that only one side delivered, but by chance
    kept: tuple[bool, bool] = (False, False)  # whether each side keeps its order
    last: tuple[int, int] = 0, 0  # that the old side has more, or the new one, as their last
    # batches, which are dropped, begin elsewhere
    one_shuffles: bool = False  # and the other side leaves out the same ones each time
    beyond: int = 0  # the limit, where both sides were read on as what comes first is chance
    untold: int = 0  # examples that came from one side only, before it was cut off
    often: Often | None = None  # how often each example comes, where chance has a part in it
    unequal: list[Example] = field(default_factory=list)  # which came more often on one side
    fetched: tuple[Fetched, Fetched] = field(default_factory=lambda: (Fetched(), Fetched()))
    pairs: list[Pair] = field(default_factory=list)
    further: list[Pair] = field(
        default_factory=list
    )  # with what one of two runs left out by chance
    near: list[Pair] = field(default_factory=list)  # within the tolerance, given as the old side's
    left: tuple[list[Example], list[Example]] = field(default_factory=lambda: ([], []))
    mixing: tuple[Mixing, Mixing] | None = None
    alike: int = 0  # different examples, where these are too few for the order to be judged
    keep_order: tuple[bool | None, bool | None] | None = (
        None  # which sides do, where they are too short to tell more
    )
    repeats: bool = False  # the new side's order, by a seed, and not the old one's
    reseeded: bool = False  # the new side's, judged under other seeds than it has
    partly: bool = False  # not all deliveries that differ are in `pairs`, but they are of a kind
    unfetched: int = 0  # differing examples that could not be fetched
    claimed: set[int] = field(default_factory=set)  # ids of pairs and examples
    explained: set[str] = field(default_factory=set)  # "missing", "extra", "repeats"
    apart: set[int] = field(default_factory=set)  # components said to be torn from one another
    whole: Both | None = None
    filtered: bool = False  # all is drawn, and how many examples come, on both sides alike
    drawn: Drawn = field(default_factory=Drawn)
    judgements: list[Judgement] = field(default_factory=list)
    less_various: int | None = None  # the side (0 old, 1 new) of fewer different examples, if drawn
    shown: list[Pair] = field(default_factory=list)
    padded: list[Padded] = field(default_factory=list)  # to the longest of their batch

    def of(self, both: Both, difference: Difference) -> Case:
        """The case of another run of both sides, of which nothing more is known."""
        case = Case(both, self.schemas, difference, self.tolerance, self.epochs, self.select)
        case.paired, case.padded, case.beyond = self.paired, self.padded, self.beyond
        return case

    @cached_property
    def origins(self) -> dict[bytes, RecordAt]:
        """The records that the old side's examples are made of, by digest, as far as known."""
        return origins(self.old, self.both.again[0].select)

    @property
    def form(self) -> Both:
        """The run with all components, drawn or not."""
        return self.whole or self.both

    @property
    def old(self) -> Scan:
        return self.both.old

    @property
    def new(self) -> Scan:
        return self.both.new

    @property
    def sampled(self) -> bool:
        """Whether so many differ that only a sample of them is looked at."""
        difference = self.difference
        least = min(len(difference.only_old()), len(difference.only_new()))
        cut = any(f.cut for f in self.fetched) and least > 0
        return cut or not difference.complete or least > FETCHED

    @property
    def varies(self) -> bool:
        """Whether other examples come each time, or each another number of times."""
        return self.often is not None and self.often.varies

    @property
    def common(self) -> int:
        """Deliveries that both sides have."""
        return self.old.examples - self.difference.lacking

    def open_pairs(self) -> list[Pair]:
        return [p for p in self.pairs if id(p) not in self.claimed]

    def claim(self, items: Iterable[Any]) -> None:
        self.claimed.update(id(item) for item in items)


def where(example: Example) -> str:
    """The example's key, or its place in the stream."""
    return example.key or f"example {example.position:,}"


def whole(example: Example, names: list[str], is_old: bool) -> tuple[Evidence, ...]:
    """All components of an example that only one side has."""
    found = []
    for name, value in zip(names, example.values, strict=False):
        old, new = (value, None) if is_old else (None, value)
        found.append(Evidence(where(example), name, None, old, new))
    return tuple(found)

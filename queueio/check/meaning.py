"""What a variable is at last: the names of TF1 that it may stand for, across files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from queueio.check.files import below
from queueio.check.names import Binding, Guards, Has, Name, NameScope, OwnModule, Spelled, Tried

_FAR = 8  # assignments from one name to another, after which nobody follows


@dataclass(frozen=True)
class Meant:
    """A name; `is_lost` where it does not exist and the program catches that."""

    name: Name
    is_lost: bool = False


@dataclass(frozen=True)
class _End:
    """What a variable leads to: a name, or a module of the code base."""

    at: Name | OwnModule
    is_lost: bool = False


class Meanings:
    """Follows variables to the imports that they come from."""

    def __init__(self, modules: Mapping[Path, NameScope], exists: Callable[[Name], bool]) -> None:
        """Args: the code base, by file; whether a name exists here."""
        self._modules, self._exists = modules, exists
        self._hopeful: dict[tuple[NameScope, str], bool] = {}

    def of(self, spelled: Spelled, scope: NameScope) -> list[Meant]:
        """The names that an expression may stand for; none where it is nothing of TF1's."""
        return self._of(spelled, scope, ())

    def is_dead(self, guards: Guards, busy: tuple[object, ...] = ()) -> bool:
        """Whether code under these conditions never runs."""
        return any(
            self._fails(each, busy) if isinstance(each, Has) else self._never(each, busy)
            for each in guards.conditions
        )

    def _of(self, spelled: Spelled, scope: NameScope, busy: tuple[object, ...]) -> list[Meant]:
        ends = self._ends(spelled, scope, busy)
        return [Meant(each.at, each.is_lost) for each in ends if isinstance(each.at, Name)]

    def _ends(self, spelled: Spelled, scope: NameScope, busy: tuple[object, ...]) -> list[_End]:
        base, parts = spelled.base, spelled.parts
        if not isinstance(base, str):
            return self._below(_End(base), parts, busy)
        if len(busy) > _FAR or not self._is_hopeful(scope, base):
            return []
        found = scope.find(base)
        if found:
            return self._from(found, parts, busy)
        return self._from_stars(scope.module, (base, *parts), busy)

    def _below(self, end: _End, parts: tuple[str, ...], busy: tuple[object, ...]) -> list[_End]:
        if isinstance(end.at, Name):
            return [_End(end.at.plus(parts), end.is_lost)]
        return self._in_module(end.at, parts, busy) if parts else [end]

    def _from(
        self, bindings: Iterable[Binding], parts: tuple[str, ...], busy: tuple[object, ...]
    ) -> list[_End]:
        """What is below what is bound: of those that exist, where any does."""
        every = [
            (end, each)
            for each in bindings
            if each.value is not None and each not in busy
            for end in self._ends(each.value, each.scope, (*busy, each))
        ]
        alive = [(end, b) for end, b in every if not self.is_dead(b.guards, (*busy, b))]
        there = [(end, b) for end, b in alive if self._is_there(end)]
        ends = [end for end, _ in there] or [
            _End(end.at, end.is_lost or not alive or _is_made_good(b)) for end, b in alive or every
        ]
        return [found for end in ends for found in self._below(end, parts, busy)]

    def _is_there(self, end: _End) -> bool:
        return isinstance(end.at, OwnModule) or self._exists(end.at)

    def _in_module(
        self, own: OwnModule, parts: tuple[str, ...], busy: tuple[object, ...]
    ) -> list[_End]:
        if (own, parts) in busy or len(busy) > _FAR:
            return []
        busy, scope = (*busy, (own, parts)), self._modules.get(own.path)
        bound = scope.bindings.get(parts[0], []) if scope else []
        if found := self._from(bound, parts[1:], busy):
            return found
        if inner := below(own, parts[0]):
            return self._below(_End(inner), parts[1:], busy)
        return self._from_stars(scope, parts, busy) if scope else []

    def _from_stars(
        self, scope: NameScope, parts: tuple[str, ...], busy: tuple[object, ...]
    ) -> list[_End]:
        stars = (star for star in scope.stars if isinstance(star, OwnModule))
        return [end for star in stars for end in self._in_module(star, parts, busy)]

    def _is_hopeful(self, scope: NameScope, name: str) -> bool:
        """Whether any assignment leads from the name to an import; most names are just values."""
        if (scope, name) not in self._hopeful:
            self._hopeful[scope, name] = self._leads(scope, name)
        return self._hopeful[scope, name]

    def _leads(self, scope: NameScope, name: str) -> bool:
        waiting, seen = [(scope, name)], set[Binding]()
        while waiting:
            scope, name = waiting.pop()
            found = scope.find(name)
            if not found and scope.module.stars:
                return True
            for each in found:
                if each.value is not None and each not in seen:
                    seen.add(each)
                    if not isinstance(each.value.base, str):
                        return True
                    waiting.append((each.scope, each.value.base))
        return False

    def _fails(self, has: Has, busy: tuple[object, ...]) -> bool:
        there = {self._exists(m.name) for m in self._of(has.spelled, has.scope, busy)}
        return there == {not has.wanted}

    def _never(self, tried: Tried, busy: tuple[object, ...]) -> bool:
        names = (m.name for u in tried.uses for m in self._of(u.spelled, u.scope, busy))
        fails = not all(map(self._exists, names))
        return fails if tried.succeeds else tried.is_known and not fails


def _is_made_good(binding: Binding) -> bool:
    assert binding.value is not None
    return bool(binding.guards.caught) or binding.value.is_asked

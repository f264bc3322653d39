"""What HParams does, case by case. Python 3.7 syntax: TF 1.15.5 runs it, too.

`python3.7 hparam_cases.py > hparams_of_tf1.json` asks TensorFlow 1.15.5.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Callable  # noqa: UP035 - Python 3.7's

TYPES = {"i": int, "f": float, "s": str, "b": bool}
TEXTS = [
    "i=2",
    "i=2.0",
    "i= 3",
    "i=3 ",
    "f=1",
    "f=1e3",
    "f=-.5",
    "s=",
    "s=a b",
    "s=a]b",
    "s=a[b",
    "s=[x]",
    "b=1",
    "b=2",
    "b=TRUE",
    "b=",
    "i=",
    "i=0x10",
    "li=[1,,2]",
    "li=[1 2 3]",
    "li=[]",
    "li=3",
    "ls=[a b,c]",
    "lb=[true,0]",
    "i=[3]",
    "li[0]=4",
    "li[ 0 ]=4",
    "i[0]=4,i[1]=5",
    "i=1,i=2",
    "i=[1],i[0]=2",
    "i[0]=2,i=[1]",
    "i[0]=1,i[00]=2",
    "i[1]=[1]",
    "i=1;f=2",
    "9=1",
    "i",
    "=3",
    "i=1,,f=2",
    "i=1 ,f=2",
    "i=1, f=2",
    "i=1,f=2,",
    "i=1,\nf=2",
    "n=4",
    "t=[3,4]",
    "z=1",
    "z[0]=1,i=5",
    " li=[1]",
    "li = [ 1 , 2 ]",
]
VALUES: list[Any] = [
    ("i", True), ("i", 1.0), ("i", "3"), ("f", 1), ("f", True), ("f", "1"), ("s", 1), ("s", b"q"),
    ("b", 1), ("b", False), ("li", (1, 2)), ("li", [1.5]), ("li", 1), ("lf", [1]), ("n", 3),
    ("n", [3]), ("t", [1]), ("z", 1),
]  # fmt: skip
NEW: list[Any] = [
    ("parse", 1), ("i", 3), ("n", 5), ("new", []), ("new", ()), ("new", None), ("a.b", 2),
    ("new", (1, 2)), ("_x", 1),
]  # fmt: skip


def outcomes(hparam: Any) -> dict[str, str]:
    """By case, what came of it: a value as Python writes it, or an error."""
    cases = _of_texts(hparam) + _of_values(hparam) + _of_whole(hparam)
    return {case: _outcome(run) for case, run in cases}


def _outcome(run: Callable[[], Any]) -> str:
    try:
        return repr(run())
    except (AssertionError, AttributeError, KeyError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def made(hparam: Any, **more: Any) -> Any:
    given = {"i": 1, "f": 2.5, "s": "x", "b": True, "li": [1, 2], "lf": [0.5]}
    return hparam.HParams(ls=["a", "b"], lb=[True, False], t=(1, 2), **given, **more)


def _of_texts(hparam: Any) -> list[Any]:
    found: list[Any] = []
    for text in TEXTS:
        found += [
            (f"parse {text}", partial(_parsed, hparam, text)),
            (f"values of {text}", partial(hparam.parse_values, text, TYPES)),
            (f"known of {text}", partial(hparam.parse_values, text, TYPES, ignore_unknown=True)),
        ]
    for text in ('{"i": 3, "ls": ["q"]}', '{"i": "3"}', '{"zz": 3}'):
        found.append((f"JSON {text}", partial(_of_json, hparam, text)))
    return found


def _of_values(hparam: Any) -> list[Any]:
    found: list[Any] = []
    for name, value in VALUES:
        case = f"{name} = {value!r}"
        found.append((f"set {case}", partial(_overridden, hparam, {name: value})))
        found.append((f"get {case}", partial(made(hparam, n=None).get, name, value)))
    for name, value in NEW:
        found.append(
            (f"add {name} = {value!r}", partial(_added, made(hparam, n=None), name, value))
        )
    return found


def _of_whole(hparam: Any) -> list[Any]:
    whole = made(hparam, n=None)
    message = made(hparam).to_proto()
    return [
        *((name, getattr(whole, name)) for name in ("__str__", "__repr__", "to_json", "to_proto")),
        ("sorted JSON", partial(whole.to_json, indent=1, sort_keys=True)),
        ("bytes", partial(message.SerializeToString, deterministic=True)),
        ("back", lambda: sorted(hparam.HParams(hparam_def=message).values().items())),
        ("both", partial(hparam.HParams, hparam_def=message, z=1)),
        ("unknown type", hparam.HParams(d={1: 2}).to_proto),
    ]


def _parsed(hparam: Any, text: str) -> Any:
    return made(hparam, n=None).parse(text).values()


def _of_json(hparam: Any, text: str) -> Any:
    return made(hparam).parse_json(text).values()


def _overridden(hparam: Any, values: Any) -> Any:
    return made(hparam, n=None).override_from_dict(values).values()


def _added(hparams: Any, name: str, value: Any) -> Any:
    hparams.add_hparam(name, value)
    told = name in hparams, getattr(hparams, name)
    hparams.del_hparam(name)
    hparams.del_hparam(name)
    return told, name in hparams


if __name__ == "__main__":
    from tensorflow.contrib.training.python.training import hparam

    print(json.dumps(outcomes(hparam), indent=1, sort_keys=True))

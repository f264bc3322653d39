"""All findings by their codes, as `--ignore` takes them, with an example of each."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from queueio.compare.findings.case import DIFFERENT, NOTE, UNKNOWN, WORSE

CODES: dict[str, tuple[str, str]] = {
    "batch-size": (WORSE, "The batch size is 32 in the old side, 64 in the new one."),
    "both-fail": (NOTE, "Both sides stop with DataLossError, after 90 and 90 examples."),
    "buckets": (NOTE, "words of up to 5 values and of 6 or more is in no batch of one side."),
    "byte-order-mark": (DIFFERENT, "line begins with a byte order mark on one side."),
    "carriage-return": (DIFFERENT, "line has a carriage return at the end on one side."),
    "case": (DIFFERENT, "name differs in upper and lower case."),
    "changed": (DIFFERENT, "label has another value in 2 examples."),
    "channels": (DIFFERENT, "image has its channels in reverse order in 100 examples."),
    "component-missing": (DIFFERENT, "The old side has 3 components, the new one 2."),
    "component-order": (DIFFERENT, "Components 1 and 2 are swapped."),
    "compression": (DIFFERENT, "The new side reads gzip files without decompressing them."),
    "cut-off": (NOTE, "Both sides were stopped after 20,000 examples."),
    "dict-keys": (DIFFERENT, "Dict keys are renamed: 'image' is 'picture'."),
    "distribution": (DIFFERENT, "image is drawn anew in each run, from another distribution."),
    "dtype": (DIFFERENT, "The dtype of score is widened: float32 became float64."),
    "encoding": (DIFFERENT, "name is in another string encoding."),
    "end": (DIFFERENT, "The old side ends with the end of the input, the new one with an error."),
    "epoch-borders": (NOTE, "Epoch borders are blurred in the old side and sharp in the new one."),
    "epoch-rests": (NOTE, "Each epoch of the new side ends with a batch of 16."),
    "epochs": (DIFFERENT, "Each example comes 2 times in the old side, 3 times in the new one."),
    "examples": (DIFFERENT, "8 of 100 examples of the old side are not in the new one."),
    "file-missing": (DIFFERENT, "1 file missing on the new side: two.csv (40 examples)."),
    "file-twice": (DIFFERENT, "1 file read 2 times on the new side: two.csv."),
    "files-only-shuffled": (WORSE, "The new side shuffles files but not records."),
    "filter-inverted": (DIFFERENT, "No example is common to both sides."),
    "first-missing": (DIFFERENT, "The first record of one.csv is missing on the new side."),
    "flipped": (DIFFERENT, "image is flipped in 100 examples: left to right."),
    "float-difference": (DIFFERENT, "score differs by rounding: by 3e-07 at most."),
    "full-batches": (
        NOTE,
        "All batches are full here; the new side would drop a smaller last one.",
    ),
    "header": (DIFFERENT, "The new side reads the header line as data."),
    "how-often": (DIFFERENT, "The new side delivers 1 example too often, in each of its runs."),
    "how-often-varies": (
        NOTE,
        "How often an example comes differs between runs of one side, by up to 5.",
    ),
    "kind": (DIFFERENT, "tags is sparse in the old side and dense in the new one."),
    "labels-swapped": (DIFFERENT, "label is swapped between 2 examples."),
    "linear": (DIFFERENT, "image is scaled and shifted: new = old × 0.00392 − 0.5."),
    "missing": (DIFFERENT, "1 example of the old side is missing from the new one."),
    "extra": (DIFFERENT, "1 example of the new side is not in the old one."),
    "duplicated": (DIFFERENT, "1 example is delivered more often by the new side."),
    "never-ends": (DIFFERENT, "The new side goes on and on: it was stopped after 20,000 examples."),
    "newline": (DIFFERENT, "line ends with a newline on one side."),
    "no-shuffle": (WORSE, "The new side has the same order each time, as without a shuffle."),
    "not-compared": (UNKNOWN, "Not compared: image. It cannot be ignored."),
    "offset": (DIFFERENT, "image is shifted by a constant: by 0.5."),
    "order": (NOTE, "Both sides keep a fixed order, but not the same one."),
    "order-unknown": (NOTE, "How well the sides mix was not judged: 2 different examples."),
    "padding": (NOTE, "words is padded to the longest of its batch."),
    "padding-length": (DIFFERENT, "words is padded to another length."),
    "padding-value": (DIFFERENT, "words is padded with another value: 0, and -1."),
    "path": (DIFFERENT, "file differs in the directory of a path."),
    "pool": (NOTE, "The new side mixes less, but as much as min_after_dequeue promises."),
    "random": (DIFFERENT, "The new side delivers other values in image each time it runs."),
    "remainder": (NOTE, "Both sides drop an incomplete last batch."),
    "same-epochs": (WORSE, "Each of the 3 epochs of the new side has the same order."),
    "scale": (DIFFERENT, "image is multiplied by a constant factor: by 0.00392 = 1/255."),
    "seeded": (NOTE, "Both sides shuffle with a seed: the new side has the same order each time."),
    "shape": (DIFFERENT, "The example shape of label is [1] in the old side and [] in the new."),
    "shuffle-added": (
        NOTE,
        "The new side shuffles anew each time, the old one has the same order.",
    ),
    "static-shape": (WORSE, "The static shape is lost: image (32, 28) became (None, 28)."),
    "structure": (NOTE, "The nests differ: a tuple against a dict."),
    "tail-batch": (DIFFERENT, "The tail batch is dropped by the new side."),
    "tolerance": (NOTE, "score differs within the tolerance in 100 examples."),
    "tolerance-unproven": (DIFFERENT, "score differs within the tolerance in those looked at."),
    "torn": (DIFFERENT, "The pairs are torn: label is another one in 90 examples."),
    "trailing-nul": (DIFFERENT, "text ends with NUL bytes on one side."),
    "transposed": (DIFFERENT, "image is transposed: axes 0 and 1 of each example."),
    "weak-shuffle": (WORSE, "The shuffle buffer is too small."),
    "whitespace": (DIFFERENT, "line differs in white space."),
}


def check(codes: Iterable[str]) -> None:
    """Refuses codes that no finding has.

    Raises:
      ValueError: which, and the nearest that there is.
    """
    for code in codes:
        if code in CODES:
            continue
        near = difflib.get_close_matches(code, CODES, 1, 0.4)
        meant = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(sorted(CODES))}."
        raise ValueError(f"ignore={code!r}: no finding has this code. {meant}")


def markdown() -> str:
    """The table of all findings, for the guide."""
    rows = [f"| `{c}` | {severity} | {text} |" for c, (severity, text) in sorted(CODES.items())]
    return "\n".join(["| code | is | for example |", "|---|---|---|", *rows])

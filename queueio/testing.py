"""For test suites: the failure message is the finding."""

from __future__ import annotations

from typing import Any


def assert_equivalent(old: Any, new: Any, **options: Any) -> Any:
    """Fails unless both input pipelines deliver the same examples, equally well shuffled.

        def test_the_migrated_input():
            assert_equivalent(old_input_fn, new_dataset, epochs=2)

    Args:
      old, new: as for `queueio.compare`: functions, datasets, plans, recordings, script.py:name.
      **options: as for `queueio.compare`; the cost is not measured unless `cost=True` is given.

    Returns:
      The `Result`.

    Raises:
      AssertionError: they differ; the text is the verdict with all findings.
      CannotRun: a side cannot be built or read.
    """
    from queueio.compare.run import compare

    __tracebackhide__ = True
    result = compare(old, new, **{"cost": False, **options})
    if not result.ok:
        raise AssertionError(str(result))
    return result

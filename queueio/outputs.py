"""Files that queueio writes. What fails has the file's name, which the command line tells.

A disk that is full fails a write, not an open, and that error of Python's names no file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


def write(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file of queueio's own.

    Args:
      path: the file; it may be a device.
      text: what it holds then, as UTF-8.

    Raises:
      OSError: it cannot be written; with the file's name.
    """
    with named(path):
        Path(path).write_text(text, encoding="utf-8")


def replace(path: str | os.PathLike[str], contents: bytes) -> None:
    """Gives a file of the user's other contents, or leaves it as it was.

    They are written beside it first: a disk that is full would leave half a script.

    Args:
      path: the file; where it is a link, what it leads to.
      contents: what it holds then.

    Raises:
      OSError: it could not be written, and is as it was; with the file's name.
    """
    real = Path(path).resolve()
    if real.exists() and not real.is_file():  # a device, which would be no more
        raise OSError(errno.EINVAL, "it is no regular file", os.fspath(path))
    fresh = real.with_name(f".{real.name}.{os.getpid()}")
    with named(path):
        try:
            fresh.write_bytes(contents)
            shutil.copymode(real, fresh)
            with contextlib.suppress(OSError):  # who may not give files away owns this one
                os.chown(fresh, real.stat().st_uid, real.stat().st_gid)
            fresh.replace(real)
        finally:
            with contextlib.suppress(OSError):
                fresh.unlink()


@contextlib.contextmanager
def named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Names a file in the errors of writing it, within a `with` block.

    Args:
      path: the file.

    Raises:
      OSError: as within; with the file's name.
    """
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None

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

_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")


def write(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file of queueio's own, whole or not at all.

    Args:
      path: the file; it may be a device.
      text: what it holds then, as UTF-8.

    Raises:
      OSError: it cannot be written, and is as it was; with the file's name.
    """
    with whole(path) as fresh:
        fresh.write_text(text, encoding="utf-8")


def replace(path: str | os.PathLike[str], contents: bytes) -> None:
    """Gives a file of the user's other contents, or leaves it as it was.

    Args:
      path: the file; where it is a link, what it leads to.
      contents: what it holds then.

    Raises:
      OSError: it could not be written, and is as it was; with the file's name.
    """
    real = Path(path).resolve()
    if real.exists() and not real.is_file():  # a device, which would be no more
        raise OSError(errno.EINVAL, "it is no regular file", os.fspath(path))
    if real.exists() and not os.access(real.parent, os.W_OK):
        raise OSError(errno.EACCES, "permission denied", os.fspath(real.parent))
    with whole(path) as fresh:
        fresh.write_bytes(contents)


@contextlib.contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Has a file written beside another, whose place it takes at the end of a `with` block.

    A disk that is full, or an end in the middle, would leave half of it. A device is written
    itself, and so is a file in a folder that takes no other.

    Args:
      path: the file; where it is a link, what it leads to.

    Yields:
      Where to write.

    Raises:
      OSError: it could not be written, and is as it was; with the file's name.
    """
    if _written_itself(path):
        with _named(path):
            yield Path(path)
        return
    real = Path(path).resolve()
    fresh = real.with_name(f".{os.getpid()}.{real.name}")
    with _named(path, instead_of=fresh):
        try:
            yield fresh
            if real.exists():
                _as_before(real, fresh)
            _in_place(fresh, real)
        finally:
            with contextlib.suppress(OSError):
                fresh.unlink()


def _written_itself(path: str | os.PathLike[str]) -> bool:
    if os.fspath(path).startswith(_STREAMS):
        return True  # another file in its place would not be what the stream goes to
    there = Path(path)
    return there.exists() and not (there.is_file() and os.access(there.resolve().parent, os.W_OK))


def _in_place(fresh: Path, real: Path) -> None:
    try:
        fresh.replace(real)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        shutil.copyfile(fresh, real)  # mounted by itself, as a container has a single file


def _as_before(real: Path, fresh: Path) -> None:
    """Who may do what with a file is what it was."""
    with contextlib.suppress(OSError):  # a file system of another kind has no modes
        shutil.copymode(real, fresh)
    with contextlib.suppress(OSError):  # who may not give files away owns this one
        os.chown(fresh, real.stat().st_uid, real.stat().st_gid)


@contextlib.contextmanager
def _named(path: str | os.PathLike[str], instead_of: Path | None = None) -> Iterator[None]:
    """Names a file in the errors of writing it, within a `with` block.

    Args:
      path: the file.
      instead_of: the only other name that an error may give it; None for any.

    Raises:
      OSError: as within; with the file's name.
    """
    try:
        yield
    except OSError as error:
        if instead_of is not None and error.filename not in (None, str(instead_of)):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None

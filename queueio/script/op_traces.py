"""TensorFlow notes the whole Python stack in every op, and prints it in that op's errors.

Under `queueio run`, the outer frames of that stack are the launcher's, and some inner ones are
queueio's. TensorFlow can leave the frames of given files out of its notes; this asks it to.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

_launcher: set[str] = set()


def note_launcher(frame: FrameType | None) -> None:
    """Remembers the files of `frame` and of all that called it, before the script starts."""
    while frame is not None:
        _launcher.add(frame.f_code.co_filename)
        frame = frame.f_back


def leave_out_own_frames() -> None:
    """Tells TensorFlow, once it is imported, which files to leave out; in this thread."""
    try:
        from tensorflow.python.util import tf_stack

        base = tf_stack.StackTraceFilter
    except (ImportError, AttributeError):  # not a public interface: without it, only more text
        return
    # As Python spells them in code objects: by the path that the package was imported from.
    folder = Path(sys.modules["queueio"].__path__[0])
    hidden = _launcher | {str(file) for file in folder.rglob("*.py")}

    class OwnFrames(base):  # type: ignore[misc, valid-type]
        """A filter that stays for the rest of the process."""

        def get_filtered_filenames(self) -> set[str]:
            """The files to leave out."""
            return hidden

    OwnFrames().__enter__()

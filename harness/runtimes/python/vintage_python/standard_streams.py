"""Keeps standard output for one writer, and captures standard error while something runs.

Text that a library prints, from Python or from C++, would stand between the frames of a protocol or
inside a JSON document. So the descriptor is copied for that writer, and everybody else's standard
output becomes standard error.

Where an exception hides its reason, the libraries under it have often written it to standard error.
The captured text goes on to the original standard error, in order. If the process dies, a child
that waits for that passes the rest on, so that a crash keeps its last words.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def keep_standard_output() -> Iterator[BinaryIO]:
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    python_stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        with os.fdopen(os.dup(kept), "wb") as stream:
            yield stream
            stream.flush()
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        sys.stdout = python_stdout


_BLOCK = 1 << 16


class StandardErrorKept:
    """From its making on; to be made before there are threads, since it forks."""

    def __init__(self) -> None:
        sys.stderr.flush()
        self._real = os.dup(2)
        self._kept = os.memfd_create("standard-error")
        waits, lives = os.pipe()
        if os.fork() == 0:
            os.close(lives)
            self._pass_on_after(waits)
        os.close(waits)
        self._lives = lives  # Closed by the end of the process, whatever ends it.
        os.dup2(os.open(f"/proc/self/fd/{self._kept}", os.O_WRONLY | os.O_APPEND), 2)

    def _pass_on_after(self, waits: int) -> None:
        """In the child: waits until the process is gone. It has a group of its own, since
        whoever ends the process ends the process's group."""
        os.setpgid(0, 0)
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        try:
            os.read(waits, 1)
            self._copy()
        finally:
            os._exit(0)

    def _copy(self) -> bytes:
        """The captured text that was not passed on yet. The child cannot know how much was; the
        process that passes text on cuts it off the file."""
        text = b""
        while block := os.pread(self._kept, _BLOCK, len(text)):
            text += block
        rest = text
        while rest:
            rest = rest[os.write(self._real, rest) :]
        return text

    def take(self) -> str:
        """The text that was written since the last call."""
        sys.stderr.flush()
        text = self._copy()
        os.ftruncate(self._kept, 0)
        return text.decode(errors="replace")

"""Keeps standard output for one writer.

What a library prints, from Python or from C++, would stand between the frames
of a protocol or inside a JSON document. The descriptor is copied for us, and
everybody else's standard output becomes standard error.
"""

from __future__ import annotations

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

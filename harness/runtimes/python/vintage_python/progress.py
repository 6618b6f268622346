"""A program's reports while it works, and its answer.

For people it is a line on standard error. For a program that started this one (`--format lines`)
it is a JSON object on a line of standard output: `{"note": …}`, `{"progress": …}`, and at the end
`{"result": …}`. A line is written at once, so that several processes can share one output.
"""

import json
import os
import sys
import time
from typing import Any

_SECONDS_BETWEEN_PEOPLES_LINES = 5.0
_SECONDS_BETWEEN_LINES = 0.5


class _Output:
    descriptor: int | None = None  # None: people watch.
    noted = 0.0


def write_lines_to(descriptor: int) -> None:
    _Output.descriptor = descriptor


def _write(kind: str, value: Any) -> None:
    if _Output.descriptor is not None:
        rest = (json.dumps({kind: value}) + "\n").encode()
        while rest:
            rest = rest[os.write(_Output.descriptor, rest) :]


def note(text: str) -> None:
    if _Output.descriptor is None:
        print(text, file=sys.stderr, flush=True)
    _write("note", text)


def progress(part: str, what: str, done: int, total: int) -> None:
    """A few times a second at most, but the last always. `part`: I/N of several processes."""
    people = _Output.descriptor is None
    wait = _SECONDS_BETWEEN_PEOPLES_LINES if people else _SECONDS_BETWEEN_LINES
    if time.monotonic() - _Output.noted < wait and (people or done < total):
        return
    _Output.noted = time.monotonic()
    if people:
        label = "" if part == "1/1" else f"part {part}: "
        note(f"{label}{what}: {done} of {total} cases")
    _write("progress", {"part": part, "what": what, "done": done, "total": total})


def result(value: dict[str, Any]) -> None:
    _write("result", value)

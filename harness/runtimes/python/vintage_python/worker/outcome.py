"""The outcome of one artifact."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from vintage_python.worker.meter import Meter

_LONGEST_SENTENCE = 300
_LONGEST_DETAIL = 6000


_Result = TypeVar("_Result")


class UnsupportedError(Exception):
    """This release cannot do it at all, which is no failure."""


@dataclass
class Progress:
    """The stage that was reached, the seconds that each part took, and what a reader of the outcome
    should know even where it ran."""

    stage: str = "load"
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    meter: Meter | None = None  # None: nothing is measured.

    @contextmanager
    def timed(self, stage: str, part: str) -> Iterator[None]:
        self.stage = stage
        processor, start = time.process_time(), time.perf_counter()
        try:
            yield
        finally:
            wall = time.perf_counter() - start
            self.seconds[part] = self.seconds.get(part, 0.0) + wall
            if self.meter is not None:
                self.meter.add(part, wall, time.process_time() - processor)

    def executed(self, execute: Callable[[], _Result]) -> _Result:
        """Returns the result of `execute`, which is the execution alone until its results are
        ready. A measured execution runs as often as the request asks."""
        return execute() if self.meter is None else self.meter.executed(execute)


def first_sentence(text: str) -> str:
    """The first line that says something, not too long."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _LONGEST_SENTENCE else line[:_LONGEST_SENTENCE] + " …"


def first_error(text: str) -> str:
    """A compiler's messages from its first error on, that one's reason before its place."""
    start = text.find("error: ")
    if start < 0:
        return text.strip()
    return text[start + len("error: ") :].strip()


def detail_of(problem: BaseException) -> str:
    """A short first sentence, and the rest below it where there is more."""
    text = str(problem).strip()
    first = first_sentence(text)
    head = f"{type(problem).__name__}: {first}" if first else type(problem).__name__
    if len(text) <= len(first):
        return head
    rest = text if len(text) <= _LONGEST_DETAIL else text[:_LONGEST_DETAIL] + " … (cut off)"
    return f"{head}\n{rest}"

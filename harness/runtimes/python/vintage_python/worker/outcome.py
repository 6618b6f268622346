"""What came of one artifact."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_LONGEST_SENTENCE = 300
_LONGEST_DETAIL = 6000


class UnsupportedError(Exception):
    """What this release cannot do at all: no failure of it."""


@dataclass
class Progress:
    """The stage that was reached, the seconds that each part took, and what a reader of the outcome
    should know even where it ran."""

    stage: str = "load"
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @contextmanager
    def timed(self, stage: str, part: str) -> Iterator[None]:
        self.stage = stage
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - start


def first_sentence(text: str) -> str:
    """The first line that says something, not too long."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _LONGEST_SENTENCE else line[:_LONGEST_SENTENCE] + " …"


def detail_of(problem: BaseException) -> str:
    """A short first sentence, and the rest below it where there is more."""
    text = str(problem).strip()
    first = first_sentence(text)
    head = f"{type(problem).__name__}: {first}" if first else type(problem).__name__
    if len(text) <= len(first):
        return head
    rest = text if len(text) <= _LONGEST_DETAIL else text[:_LONGEST_DETAIL] + " … (cut off)"
    return f"{head}\n{rest}"

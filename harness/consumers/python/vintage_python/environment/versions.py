"""Release numbers, their order, and the ways to ask for several of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from vintage_python.failure import UsageFailure

Version = tuple[int, ...]

_RELEASE = re.compile(r"\d+(\.\d+)*")


def parse_version(text: str) -> Version:
    if not _RELEASE.fullmatch(text):
        raise UsageFailure(
            f"'{text}' is no release; 0.8.1, 0.4.30..0.12, latest and window are accepted"
        )
    return tuple(int(part) for part in text.split("."))


def is_release(text: str) -> bool:
    """Whether it is neither a pre-release nor a development build."""
    return _RELEASE.fullmatch(text) is not None


@dataclass(frozen=True)
class Window:
    """The days on which the promises of a day look."""

    today: date
    backward_days: int
    forward_days: int

    def covers(self, released: date) -> bool:
        """Whether one of the promises names a build of that day: as the producer
        of an old artifact, or as the consumer of a new one."""
        reach = max(self.backward_days, self.forward_days)
        return self.today - timedelta(days=reach) <= released <= self.today


def in_range(text: str, known: Sequence[str]) -> list[str]:
    """The known releases of `A..B`. Both ends are inside, and an end stands for
    everything that begins with it: 0.12 for 0.12.0.1."""
    first, _, last = text.partition("..")
    low, high = parse_version(first), parse_version(last)
    if low > high:
        raise UsageFailure(f"the range {text} ends before it begins; write {last}..{first}")
    chosen = [v for v in known if low <= (n := parse_version(v)) and n[: len(high)] <= high]
    if not chosen:
        raise UsageFailure(f"no release lies in {text}; known are {known[0]} to {known[-1]}")
    return chosen


def neighbours(wanted: str, known: Sequence[str]) -> str:
    """'0.4.36 and 0.4.38', for a message about 0.4.37."""
    number = parse_version(wanted)
    before = [v for v in known if parse_version(v) < number][-1:]
    after = [v for v in known if parse_version(v) > number][:1]
    return " and ".join(before + after)

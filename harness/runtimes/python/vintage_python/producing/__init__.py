"""What the producers share: which cases are chosen, what was done, and an artifact's folder."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from typing import TypeVar

from vintage_python.failure import UsageFailure

_FILTERS = ("name", "primitive", "variant")

CaseLike = TypeVar("CaseLike")  # With these fields.


def patterns_of(filters: Sequence[str]) -> dict[str, list[str]]:
    """`primitive=add*` and the like, by field."""
    patterns: dict[str, list[str]] = {}
    for text in filters:
        field, sign, pattern = text.partition("=")
        if not sign or field not in _FILTERS:
            raise UsageFailure(f"--filter {text}: {', '.join(_FILTERS)} are known, as in "
                               "primitive=add*")  # fmt: skip
        patterns.setdefault(field, []).append(pattern)
    return patterns


def matching(cases: Sequence[CaseLike], patterns: Mapping[str, Sequence[str]]) -> list[CaseLike]:
    """Those that one pattern of each field fits."""
    return [
        case
        for case in cases
        if all(
            any(fnmatch.fnmatchcase(getattr(case, field), pattern) for pattern in several)
            for field, several in patterns.items()
        )
    ]


def part_of(text: str) -> tuple[int, int]:
    """`1/4` is the first of four parts: (0, 4)."""
    first, _, last = text.partition("/")
    if not (first.isdigit() and last.isdigit() and 1 <= int(first) <= int(last)):
        raise UsageFailure(f"--shard {text}: 1/4 is the first of four parts")
    return int(first) - 1, int(last)

"""Models of moderate size."""

from __future__ import annotations

from vintage_jax.produce.case import Case, cases_of

_MODULES: tuple[str, ...] = ()


def cases() -> list[Case]:
    return cases_of(__name__, _MODULES)

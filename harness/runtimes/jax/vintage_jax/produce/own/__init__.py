"""Our own functions: the uses that JAX's harnesses lack."""

from __future__ import annotations

from vintage_jax.produce.case import Case
from vintage_jax.produce.own import (
    custom_calls,
    derivatives,
    effects,
    element_types,
    kernels,
    platforms,
    polymorphic,
    sharded,
    solvers,
)

_MODULES = (
    derivatives, polymorphic, platforms, effects, sharded, element_types, solvers, kernels,
    custom_calls,
)  # fmt: skip


def own_cases() -> list[Case]:
    cases = [case for module in _MODULES for case in module.cases()]
    names = [case.name for case in cases]
    assert len(names) == len(set(names)), "two of our own functions have one name"
    return cases

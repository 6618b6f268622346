"""Our own functions: the uses that JAX's harnesses lack."""

from __future__ import annotations

import importlib

from vintage_jax.produce.case import Case

_MODULES = (
    "derivatives", "polymorphic", "platforms", "effects", "sharded", "element_types", "solvers",
    "kernels",
)  # fmt: skip


def own_cases() -> list[Case]:
    modules = [importlib.import_module(f"{__name__}.{name}") for name in _MODULES]
    cases = [case for module in modules for case in module.cases()]
    names = [case.name for case in cases]
    assert len(names) == len(set(names)), "two of our own functions have one name"
    return cases

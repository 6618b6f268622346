"""Our own functions: the uses that JAX's harnesses lack."""

from vintage_jax.produce.case import Case, cases_of

_MODULES = (
    "derivatives", "polymorphic", "platforms", "effects", "sharded", "element_types", "solvers",
    "kernels",
)  # fmt: skip


def cases() -> list[Case]:
    return cases_of(__name__, _MODULES)

"""Models of moderate size, in plain JAX: weights and inputs come from seeds, so that every release
exports the same, and a golden is small."""

from vintage_jax.produce.case import Case, cases_of

_MODULES = ("language", "vision", "science", "narrow", "with_flax")


def cases() -> list[Case]:
    return cases_of(__name__, _MODULES)

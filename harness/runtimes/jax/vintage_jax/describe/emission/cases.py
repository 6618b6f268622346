"""The uses of primitives that are lowered to see which targets a release calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vintage_jax.describe.emission.linear_algebra import linear_algebra_cases
from vintage_jax.produce.case import Case
from vintage_jax.produce.harnesses import harness_cases, load_harnesses
from vintage_jax.produce.own import own_cases

# Groups of JAX's harnesses whose lowerings call libraries, or have called them on some platform.
_GROUPS = (
    "approx_top_k", "argmax", "argmin", "cholesky", "cum", "custom_linear_solve", "eig", "erf_inv",
    "fft", "iota_2x32_shape", "lgamma", "lu", "qr", "random", "reduce_precision", "rng_bit",
    "schur", "sort", "svd", "tan", "top_k", "triangular_solve", "tridiagonal",
)  # fmt: skip
# Where each dtype has a target of its own; elsewhere a class of dtypes is enough.
_BY_DTYPE = (
    "cholesky", "custom_linear_solve", "eig", "fft", "lu", "qr", "schur", "svd",
    "triangular_solve", "tridiagonal",
)  # fmt: skip
_OWN = ("own:custom_call/", "own:effects/", "own:pallas", "own:sharded2/", "own:solver/")
_LARGE = 32  # From this size on lowerings for GPUs choose another algorithm.
_RANK_OF_ONE = 2  # For more matrices those lowerings make one call for all, or a batched one.
# Parameters that choose among values of the same call.
_IGNORED = (
    "compute_left_eigenvectors", "compute_right_eigenvectors", "compute_uv", "conjugate_a",
    "full_matrices", "is_max", "left_side", "lower", "subset_by_index", "tranpose_a",
    "unit_diagonal",
)  # fmt: skip


def emission_cases(harness_file: Path | None, environment: Path | None) -> tuple[list[Case], str]:
    """One of JAX's harnesses for each primitive, dtype and kind of parameters, and our own
    functions; where the harnesses are from."""
    module, source = load_harnesses(harness_file, environment)
    by_name = {harness.fullname: harness for harness in module.all_harnesses}
    kept: dict[tuple[Any, ...], Case] = {}
    for case in harness_cases(module):
        if case.primitive.startswith(_GROUPS):
            harness = by_name[case.harness]
            if 0 not in harness.params.get("shape", ()):  # Nothing is called for no elements.
                kept.setdefault(_kind(case.primitive, harness), case)
    own = [case for case in own_cases() if case.name.startswith(_OWN)]
    return [*kept.values(), *own, *linear_algebra_cases()], source


def _kind(primitive: str, harness: Any) -> tuple[Any, ...]:
    parameters = tuple(
        (name, _kind_of_value(value))
        for name, value in sorted(harness.params.items())
        if name not in _IGNORED
    )
    by_dtype = primitive.startswith(_BY_DTYPE)
    return primitive, _dtype(harness.dtype, by_dtype), parameters if by_dtype else ()


def _dtype(dtype: Any, exact: bool) -> str:
    import numpy as np

    name: str = np.dtype(dtype).name
    return name if exact else name.rstrip("0123456789")


def _kind_of_value(value: Any) -> str:
    if isinstance(value, tuple) and all(isinstance(size, int) for size in value):
        batch = "one" if len(value) <= _RANK_OF_ONE else "batch"
        return f"{batch} {'large' if max(value, default=0) >= _LARGE else 'small'}"
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return str(value)

"""The uses of primitives that are lowered to see which targets a release calls."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from vintage_jax.produce import own
from vintage_jax.produce.case import Case, Prepared
from vintage_jax.produce.harnesses import harness_cases, load_harnesses

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
    ours = [case for case in own.cases() if case.name.startswith(_OWN)]
    return [*kept.values(), *ours, *linear_algebra_cases()], source


def _kind(primitive: str, harness: Any) -> tuple[Any, ...]:
    parameters = tuple(
        (name, _kind_of_value(value))
        for name, value in sorted(harness.params.items())
        if name not in _IGNORED
    )
    by_dtype = primitive.startswith(_BY_DTYPE)
    return primitive, _dtype(harness.dtype, by_dtype), parameters if by_dtype else ()


def _dtype(dtype: Any, exact: bool) -> str:
    name: str = np.dtype(dtype).name
    return name if exact else name.rstrip("0123456789")


def _kind_of_value(value: Any) -> str:
    if isinstance(value, tuple) and all(isinstance(size, int) for size in value):
        batch = "one" if len(value) <= _RANK_OF_ONE else "batch"
        return f"{batch} {'large' if max(value, default=0) >= _LARGE else 'small'}"
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return str(value)


# Calls of linear-algebra libraries that JAX's harnesses lack.
_DTYPES = ("float32", "float64", "complex64", "complex128")
_SIZE = 4


def _by_linalg(name: str, **parameters: Any) -> Callable[[Any], Any]:
    """A function of jax.lax.linalg; an AttributeError where the release has none."""
    return partial(getattr(jax.lax.linalg, name), **parameters)


def _pivoted_qr() -> Callable[[Any], Any]:
    import jax.scipy.linalg

    return lambda a: jax.scipy.linalg.qr(a, pivoting=True)


def _svd(algorithm: str) -> Callable[[Any], Any]:
    return _by_linalg("svd", algorithm=getattr(jax.lax.linalg.SvdAlgorithm, algorithm))


_FUNCTIONS: dict[str, tuple[str, Callable[[], Callable[[Any], Any]]]] = {
    "schur": ("schur", partial(_by_linalg, "schur")),
    "hessenberg": ("hessenberg", partial(_by_linalg, "hessenberg")),
    "tridiagonal": ("tridiagonal", partial(_by_linalg, "tridiagonal")),
    "tridiagonal_solve": (
        "tridiagonal_solve",
        lambda: lambda a: jax.lax.linalg.tridiagonal_solve(a[0], a[1], a[2], a),
    ),
    "pivoted_qr": ("geqp3", _pivoted_qr),
    "householder_product": (
        "householder_product",
        lambda: lambda a: jax.lax.linalg.householder_product(a, a[0]),
    ),
    "svd_by_qr": ("svd", partial(_svd, "QR")),
    "svd_by_jacobi": ("svd", partial(_svd, "JACOBI")),
    "pure_callback": (
        "pure_callback",
        lambda: lambda a: jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct(a.shape, a.dtype), a),
    ),
}


def _prepare(make: Callable[[], Callable[[Any], Any]], dtype: str) -> Prepared:
    return Prepared(make(), ((np.eye(_SIZE) * 3 + 1).astype(dtype),))


def linear_algebra_cases() -> Iterator[Case]:
    for name, (primitive, make) in _FUNCTIONS.items():
        for dtype in _DTYPES:
            yield Case(f"emission:{name}_{dtype}", primitive, partial(_prepare, make, dtype))

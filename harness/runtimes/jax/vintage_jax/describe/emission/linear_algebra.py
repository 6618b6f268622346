"""Calls of linear-algebra libraries that JAX's harnesses lack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import numpy as np

from vintage_jax.produce.case import Case, Prepared

_DTYPES = ("float32", "float64", "complex64", "complex128")
_SIZE = 4


def _by_linalg(name: str, **parameters: Any) -> Callable[[Any], Any]:
    """A function of jax.lax.linalg; an AttributeError where the release has none."""
    return partial(getattr(jax.lax.linalg, name), **parameters)


def _tridiagonal_solve() -> Callable[[Any], Any]:
    return lambda a: jax.lax.linalg.tridiagonal_solve(a[0], a[1], a[2], a)


def _pivoted_qr() -> Callable[[Any], Any]:
    import jax.scipy.linalg

    return lambda a: jax.scipy.linalg.qr(a, pivoting=True)


def _product_of_reflectors() -> Callable[[Any], Any]:
    return lambda a: jax.lax.linalg.householder_product(a, a[0])


def _svd(algorithm: str) -> Callable[[Any], Any]:
    chosen = getattr(jax.lax.linalg.SvdAlgorithm, algorithm)
    return _by_linalg("svd", algorithm=chosen)


def _pure_callback() -> Callable[[Any], Any]:
    return lambda a: jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct(a.shape, a.dtype), a)


_FUNCTIONS: dict[str, tuple[str, Callable[[], Callable[[Any], Any]]]] = {
    "schur": ("schur", partial(_by_linalg, "schur")),
    "hessenberg": ("hessenberg", partial(_by_linalg, "hessenberg")),
    "tridiagonal": ("tridiagonal", partial(_by_linalg, "tridiagonal")),
    "tridiagonal_solve": ("tridiagonal_solve", _tridiagonal_solve),
    "pivoted_qr": ("geqp3", _pivoted_qr),
    "householder_product": ("householder_product", _product_of_reflectors),
    "svd_by_qr": ("svd", partial(_svd, "QR")),
    "svd_by_jacobi": ("svd", partial(_svd, "JACOBI")),
    "pure_callback": ("pure_callback", _pure_callback),
}


def _prepare(make: Callable[[], Callable[[Any], Any]], dtype: str) -> Prepared:
    return Prepared(make(), ((np.eye(_SIZE) * 3 + 1).astype(dtype),))


def linear_algebra_cases() -> Iterator[Case]:
    for name, (primitive, make) in _FUNCTIONS.items():
        for dtype in _DTYPES:
            yield Case(f"emission:{name}_{dtype}", primitive, "", "static",
                       partial(_prepare, make, dtype))  # fmt: skip

"""Functions with a factorization inside that is not what they return, and roundings that a
compiler may leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from vintage_jax.produce.case import Case, Prepared

_DTYPES = ("float32", "complex128")


def _matrix(size: int, dtype: str) -> Any:
    random = np.random.RandomState(size)
    matrix = random.standard_normal((size, size)) + size * np.eye(size)
    if dtype.startswith("complex"):
        matrix = matrix + 1j * random.standard_normal((size, size))
    return matrix.astype(dtype)


def _singular(a: Any) -> Any:
    return jnp.linalg.svd(a, compute_uv=False)


def _upper(a: Any) -> Any:
    return jnp.linalg.qr(a, mode="r")


def _symmetric_values(a: Any) -> Any:
    return jnp.linalg.eigvalsh(a @ jnp.conj(a.T))


def _exponential(a: Any) -> Any:
    import jax.scipy.linalg

    return jax.scipy.linalg.expm(a / 4)


def _least_squares(a: Any) -> Any:
    return jnp.linalg.lstsq(a, a[:, :2] + 1)


def _functions() -> dict[str, Callable[[Any], Any]]:
    return {
        "det": jnp.linalg.det,
        "slogdet": lambda a: tuple(jnp.linalg.slogdet(a)),
        "inv": jnp.linalg.inv,
        "solve": lambda a: jnp.linalg.solve(a, a[:, :2] + 1),
        "expm": _exponential,
        "lstsq": _least_squares,
        "pinv": jnp.linalg.pinv,
        "singular_values": _singular,
        "qr_r": _upper,
        "eigvalsh": _symmetric_values,
        "eigvals": jnp.linalg.eigvals,
    }


_PRIMITIVES = {
    "det": "lu", "slogdet": "lu", "inv": "lu", "solve": "lu", "expm": "lu", "lstsq": "svd",
    "pinv": "svd", "singular_values": "svd", "qr_r": "qr", "eigvalsh": "eigh", "eigvals": "eig",
}  # fmt: skip


def _prepare(name: str, dtype: str) -> Prepared:
    return Prepared(_functions()[name], (_matrix(4, dtype),))


def _rounded(name: str) -> Prepared:
    """There and back, and with a sine and a product between."""
    dtype = getattr(jnp, name)
    values = np.array([1.001, 0.3334, 3.14159, -7.7], np.float32)

    def function(x: Any) -> Any:
        narrow = x.astype(dtype)
        return narrow.astype(jnp.float32), (jnp.sin(narrow) * 3).astype(jnp.float32)

    return Prepared(function, (values,))


def cases() -> Iterator[Case]:
    for name, primitive in _PRIMITIVES.items():
        for dtype in _DTYPES:
            yield Case(f"own:solver/{name}_{dtype}", primitive, "", "static",
                       partial(_prepare, name, dtype))  # fmt: skip
    for name in ("bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"):
        yield Case(f"own:rounding/{name}", "convert_element_type", "", "static",
                   partial(_rounded, name))  # fmt: skip

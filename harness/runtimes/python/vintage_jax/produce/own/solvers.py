"""Functions with a factorization inside that is not what they return, and roundings that a
compiler may leave out."""

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


def _exponential(a: Any) -> Any:
    import jax.scipy.linalg

    return jax.scipy.linalg.expm(a / 4)


# With the primitive that factors inside.
_FUNCTIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "det": ("lu", jnp.linalg.det),
    "slogdet": ("lu", lambda a: tuple(jnp.linalg.slogdet(a))),
    "inv": ("lu", jnp.linalg.inv),
    "solve": ("lu", lambda a: jnp.linalg.solve(a, a[:, :2] + 1)),
    "expm": ("lu", _exponential),
    "lstsq": ("svd", lambda a: jnp.linalg.lstsq(a, a[:, :2] + 1)),
    "pinv": ("svd", jnp.linalg.pinv),
    "singular_values": ("svd", lambda a: jnp.linalg.svd(a, compute_uv=False)),
    "qr_r": ("qr", lambda a: jnp.linalg.qr(a, mode="r")),
    "eigvalsh": ("eigh", lambda a: jnp.linalg.eigvalsh(a @ jnp.conj(a.T))),
    "eigvals": ("eig", jnp.linalg.eigvals),
}


def _prepare(function: Callable[[Any], Any], dtype: str) -> Prepared:
    return Prepared(function, (_matrix(4, dtype),))


def _rounded(name: str) -> Prepared:
    """There and back, and with a sine and a product between."""
    dtype = getattr(jnp, name)
    values = np.array([1.001, 0.3334, 3.14159, -7.7], np.float32)

    def function(x: Any) -> Any:
        narrow = x.astype(dtype)
        return narrow.astype(jnp.float32), (jnp.sin(narrow) * 3).astype(jnp.float32)

    return Prepared(function, (values,))


def cases() -> Iterator[Case]:
    for name, (primitive, function) in _FUNCTIONS.items():
        for dtype in _DTYPES:
            yield Case(f"own:solver/{name}_{dtype}", primitive, partial(_prepare, function, dtype))
    for name in ("bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"):
        yield Case(f"own:rounding/{name}", "convert_element_type", partial(_rounded, name))

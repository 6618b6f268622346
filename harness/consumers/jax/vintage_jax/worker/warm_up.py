"""What a process does that lowers programs itself before it loads an artifact.

Lowering initializes libraries of a release that calling an artifact may not;
users do both, and a case that passes in one of the two only is news.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def _programs() -> Iterator[tuple[Callable[..., Any], Any]]:
    import jax
    import jax.numpy as jnp
    import numpy as np

    matrix = np.eye(3, dtype=np.float32)
    vector = np.ones(3, np.float32)
    linalg = jax.lax.linalg
    for name in ("cholesky", "eig", "eigh", "hessenberg", "lu", "qr", "schur", "svd",
                 "tridiagonal"):  # fmt: skip
        if hasattr(linalg, name):
            yield getattr(linalg, name), matrix
    yield lambda a: linalg.triangular_solve(a, a, left_side=True), matrix
    yield lambda d: linalg.tridiagonal_solve(d, d, d, d[:, None]), vector
    yield jnp.fft.fft, vector
    yield jnp.sort, vector
    yield lambda x: jax.lax.top_k(x, 2), vector
    yield lambda x: jax.random.normal(jax.random.PRNGKey(0), x.shape), vector
    yield lambda x: jax.lax.scan(lambda c, y: (c + y, c), x[0], x), vector


def warm_up() -> None:
    import jax

    for function, argument in _programs():
        try:
            jax.jit(function).lower(argument)
        except Exception:  # A release that lacks one is as warm as it can be.
            continue

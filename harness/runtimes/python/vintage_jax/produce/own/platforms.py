"""Functions that are exported once for several platforms."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from vintage_jax.produce.case import PLATFORMS, Case, Prepared


def _functions() -> Iterator[tuple[str, str, Callable[..., Any], tuple[Any, ...]]]:
    vector = np.linspace(-2, 2, 8, dtype=np.float32)
    matrix = (np.eye(4) * 3 + np.ones((4, 4))).astype(np.float32)
    yield "sin", "sin", jnp.sin, (vector,)
    yield "sort", "sort", jnp.sort, (vector,)
    yield "top_k", "top_k", lambda x: jax.lax.top_k(x, 3), (vector,)
    yield "cumsum", "cumsum", jnp.cumsum, (vector,)
    yield "cholesky", "cholesky", jnp.linalg.cholesky, (matrix,)
    yield "eigh", "eigh", jnp.linalg.eigvalsh, (matrix,)
    yield "solve", "lu", jnp.linalg.solve, (matrix, matrix[:, :1])
    yield "fft", "fft", jnp.fft.fft, (vector,)
    yield "uniform", "random_bits", lambda x: jax.random.uniform(
        jax.random.PRNGKey(1), x.shape), (vector,)  # fmt: skip
    yield "matmul", "dot_general", jnp.matmul, (matrix, matrix)
    yield "by_platform", "platform_index", _by_platform, (vector,)


def _by_platform(x: Any) -> Any:
    return jax.lax.platform_dependent(
        x, cpu=lambda v: v + 1, cuda=lambda v: v + 2, rocm=lambda v: v + 3, tpu=lambda v: v + 4
    )


def cases() -> Iterator[Case]:
    both = (PLATFORMS, ("tpu", "cpu"))
    for name, primitive, function, arguments in _functions():
        prepare = partial(Prepared, function, arguments)
        yield Case(
            f"own:multi_platform/{name}", primitive, prepare, "multi_platform", platforms=both
        )

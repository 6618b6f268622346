"""Functions with their derivatives, of order 1 and 2."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from vintage_jax.produce.case import Case, Prepared


def _normal(*shape: int, dtype: str = "float32") -> Any:
    return np.random.RandomState(len(shape)).standard_normal(shape).astype(dtype)


def _positive_definite(size: int, dtype: str = "float32") -> Any:
    a = _normal(size, size, dtype=dtype)
    return (a @ a.T + size * np.eye(size)).astype(dtype)


def _functions() -> Iterator[tuple[str, str, Callable[..., Any], tuple[Any, ...]]]:
    yield "sin", "sin", jnp.sin, (_normal(4, 3),)
    yield "tanh_f64", "tanh", jnp.tanh, (_normal(5, dtype="float64"),)
    yield "matmul", "dot_general", jnp.matmul, (_normal(3, 4), _normal(4, 2))
    yield "softmax", "exp", jax.nn.softmax, (_normal(3, 5),)
    yield "logsumexp", "logsumexp", jax.scipy.special.logsumexp, (_normal(6),)
    yield "cumsum", "cumsum", partial(jnp.cumsum, axis=0), (_normal(5, 2),)
    yield "cumprod", "cumprod", partial(jnp.cumprod, axis=0), (_normal(5, 2),)
    yield "sort", "sort", jnp.sort, (_normal(7),)
    yield "cholesky", "cholesky", jnp.linalg.cholesky, (_positive_definite(4),)
    yield "triangular_solve", "triangular_solve", _solve_triangular, (
        np.tril(_positive_definite(4)), _normal(4, 2))  # fmt: skip
    yield "eigh", "eigh", lambda a: tuple(jnp.linalg.eigh(a)), (_positive_definite(3),)
    yield "solve", "lu", jnp.linalg.solve, (_positive_definite(4), _normal(4, 1))
    yield "conv", "conv_general_dilated", _convolution, (_normal(1, 2, 6, 6), _normal(3, 2, 3, 3))
    yield "max_pool", "reduce_window_max", _max_pool, (_normal(1, 6, 6, 1),)
    yield "gather", "gather", lambda x, i: x[i], (_normal(6, 2), np.array([4, 0, 4]))
    yield "scatter_add", "scatter_add", lambda x, u: x.at[1:3].add(u), (_normal(5), _normal(2))
    yield "dynamic_slice", "dynamic_slice", _slice, (_normal(6), np.int32(2))
    yield "scan", "scan", _scan, (_normal(), _normal(4))
    yield "cond", "cond", _cond, (np.bool_(True), _normal(3))
    yield "complex_product", "mul", jnp.multiply, (
        _normal(3).astype("complex64"), (1j * _normal(3)).astype("complex64"))  # fmt: skip
    yield "fft", "fft", lambda x: jnp.abs(jnp.fft.fft(x)), (_normal(8),)
    yield "layer_norm", "rsqrt", _layer_norm, (_normal(2, 8), _normal(8), _normal(8))


def _solve_triangular(a: Any, b: Any) -> Any:
    return jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=True)


def _convolution(x: Any, kernel: Any) -> Any:
    return jax.lax.conv(x, kernel, (1, 1), "SAME")


def _max_pool(x: Any) -> Any:
    return jax.lax.reduce_window(x, -float("inf"), jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def _slice(x: Any, start: Any) -> Any:
    return jax.lax.dynamic_slice(x, (start,), (3,))


def _scan(start: Any, values: Any) -> Any:
    return jax.lax.scan(lambda carry, x: (jnp.sin(carry * x), carry), start, values)


def _cond(which: Any, x: Any) -> Any:
    return jax.lax.cond(which, jnp.sin, jnp.cos, x)


def _layer_norm(x: Any, scale: Any, shift: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + shift


def _prepare(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Prepared:
    outputs = jax.tree_util.tree_leaves(jax.eval_shape(function, *arguments))
    cotangents = []
    for number, output in enumerate(outputs):
        if jax.dtypes.issubdtype(output.dtype, np.inexact):
            values = np.random.RandomState(number).standard_normal(output.shape)
            cotangents.append(np.asarray(values, output.dtype))
        else:
            cotangents.append(np.zeros(output.shape, jax.dtypes.float0))
    return Prepared(function, arguments, cotangents=tuple(cotangents))


def cases() -> Iterator[Case]:
    for order in (1, 2):
        for name, primitive, function, arguments in _functions():
            prepare = partial(_prepare, function, arguments)
            yield Case(f"own:vjp{order}/{name}", primitive, prepare, "vjp", vjp_order=order)

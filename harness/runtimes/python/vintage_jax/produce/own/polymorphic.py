"""Functions with dimension variables and constraints on them."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from vintage_jax.produce.case import Case, Prepared


def _array(*shape: int) -> Any:
    count = int(np.prod(shape, dtype=int))
    return (np.arange(count, dtype=np.float32).reshape(shape) % 7 - 3) / 2


def _functions() -> Iterator[
    tuple[str, str, Callable[..., Any], tuple[str, ...], tuple[str, ...], tuple[Any, ...]]
]:
    """Name, primitive, function, shapes with variables, constraints, arguments."""
    yield "sin", "sin", jnp.sin, ("b, 4",), (), (_array(3, 4),)
    yield "add_two", "add", jnp.add, ("b, c", "b, c"), (), (_array(2, 3), _array(2, 3))
    yield "matmul", "dot_general", jnp.matmul, ("b, k", "k, 5"), (), (_array(3, 4), _array(4, 5))
    yield "flatten", "reshape", lambda x: x.reshape(-1), ("a, b, 2",), (), (_array(3, 2, 2),)
    yield "halve", "reshape", lambda x: x.reshape(2, -1), ("2*a, 3",), (), (_array(4, 3),)
    yield "concatenate", "concatenate", lambda x, y: jnp.concatenate([x, y]), (
        "a, 2", "b, 2"), (), (_array(3, 2), _array(1, 2))  # fmt: skip
    yield "arange", "iota", lambda x: x + jnp.arange(x.shape[0]), ("b",), (), (_array(5),)
    yield "mean", "reduce_sum", lambda x: x.mean(0), ("b, 3",), (), (_array(4, 3),)
    yield "cumsum", "cumsum", partial(jnp.cumsum, axis=0), ("b, 3",), (), (_array(4, 3),)
    yield "cummax", "cummax", partial(jax.lax.cummax, axis=0), ("b, 3",), (), (_array(4, 3),)
    yield "sort", "sort", partial(jnp.sort, axis=0), ("b",), (), (_array(6),)
    yield "argmax", "argmax", partial(jnp.argmax, axis=0), ("b, 2",), (), (_array(5, 2),)
    yield "take_last", "dynamic_slice", lambda x: x[-1], ("b, 2",), ("b >= 1",), (_array(4, 2),)
    yield "drop_first", "slice", lambda x: x[2:], ("b",), ("b >= 4",), (_array(6),)
    yield "pad", "pad", lambda x: jnp.pad(x, ((1, 2), (0, 0))), ("b, 2",), (), (_array(3, 2),)
    yield "pooling", "reduce_window_sum", _pooling, ("b, h, h, 1",), ("h >= 2",), (
        _array(2, 4, 4, 1),)  # fmt: skip
    yield "conv", "conv_general_dilated", _convolution, ("b, 2, h, 5",), ("h >= 3",), (
        _array(2, 2, 4, 5),)  # fmt: skip
    yield "softmax", "exp", jax.nn.softmax, ("b, v",), (), (_array(2, 5),)
    yield "attention", "dot_general", _attention, ("b, s, 4",), ("s <= 64",), (_array(2, 3, 4),)
    yield "top_k", "top_k", lambda x: jax.lax.top_k(x, 2), ("b, c",), ("c >= 2",), (_array(2, 5),)
    yield "scan", "scan", _scan, ("b, 2",), (), (_array(4, 2),)
    yield "cholesky", "cholesky", _cholesky, ("b, 3, 3",), (), (_array(2, 3, 3),)
    yield "random", "random_bits", _random, ("b",), (), (_array(5),)
    yield "compared_sizes", "slice", lambda x, y: x[: y.shape[0]] + y, ("a", "b"), (
        "a >= b",), (_array(8), _array(5))  # fmt: skip


def _pooling(x: Any) -> Any:
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID")


def _convolution(x: Any) -> Any:
    kernel = np.ones((3, 2, 3, 3), np.float32)
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), ((1, 1), (1, 1)))


def _attention(x: Any) -> Any:
    weights = jax.nn.softmax(jnp.einsum("bsd,btd->bst", x, x))
    return jnp.einsum("bst,btd->bsd", weights, x)


def _scan(x: Any) -> Any:
    return jax.lax.scan(lambda carry, row: (carry + row, carry * row), x[0], x)


def _cholesky(x: Any) -> Any:
    return jnp.linalg.cholesky(x @ jnp.swapaxes(x, -1, -2) + 3 * jnp.eye(3, dtype=x.dtype))


def _random(x: Any) -> Any:
    return x + jax.random.uniform(jax.random.PRNGKey(3), x.shape)


def _prepare(
    function: Callable[..., Any],
    shapes: tuple[str, ...],
    constraints: tuple[str, ...],
    arguments: tuple[Any, ...],
) -> Prepared:
    from jax import export  # Symbolic shapes with constraints are as old as this module.

    scope = export.SymbolicScope(constraints)
    specifications = tuple(
        jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), argument.dtype)
        for shape, argument in zip(shapes, arguments, strict=True)
    )
    return Prepared(function, arguments, specifications=specifications)


def cases() -> Iterator[Case]:
    for name, primitive, function, shapes, constraints, arguments in _functions():
        prepare = partial(_prepare, function, shapes, constraints, arguments)
        yield Case(f"own:poly/{name}", primitive, prepare, "poly")

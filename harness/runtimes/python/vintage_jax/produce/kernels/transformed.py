"""Kernels under JAX's transformations: vmap, jvp, custom_vjp with its gradient, scan and cond."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.kernels.kernel import (
    Kernel,
    Made,
    Setting,
    block,
    cases_of_kernels,
    fractions,
    numbers,
    shape_of,
)


def _swish_call(s: Setting) -> Any:
    def kernel(x: Any, out: Any) -> None:
        out[...] = x[...] / (1 + jnp.exp(-x[...]))

    rows = block((8, 128), lambda i: (i, 0))
    return s.call(kernel, shape_of(s.dtype, 16, 128), grid=(2,), inputs=[rows], outputs=rows)


def _mapped(s: Setting) -> Made:
    return jax.vmap(_swish_call(s)), (fractions(s.dtype, 3, 16, 128),)


def _mapped_twice(s: Setting) -> Made:
    return jax.vmap(jax.vmap(_swish_call(s))), (fractions(s.dtype, 2, 3, 16, 128),)


def _pushed(s: Setting) -> Made:
    def function(x: Any, tangent: Any) -> Any:
        return jax.jvp(_swish_call(s), (x,), (tangent,))

    return function, (fractions(s.dtype, 16, 128), fractions(s.dtype, 16, 128, seed=2))


def _gradient(s: Setting) -> Made:
    """The derivative's kernel is written by hand."""
    forward = _swish_call(s)

    def kernel(x: Any, cotangent: Any, out: Any) -> None:
        likely = 1 / (1 + jnp.exp(-x[...]))
        out[...] = cotangent[...] * likely * (1 + x[...] * (1 - likely))

    rows = block((8, 128), lambda i: (i, 0))
    backward = s.call(kernel, shape_of(s.dtype, 16, 128), grid=(2,), inputs=[rows, rows],
                      outputs=rows)  # fmt: skip

    swish: Any = jax.custom_vjp(forward)
    swish.defvjp(lambda x: (forward(x), x), lambda x, cotangent: (backward(x, cotangent),))
    return jax.value_and_grad(lambda x: (swish(x) ** 2).sum()), (fractions(s.dtype, 16, 128),)


def _doubled(s: Setting) -> Any:
    def kernel(x: Any, out: Any) -> None:
        out[...] = x[...] * 2 - 1

    return s.call(kernel, shape_of(s.dtype, 8, 128))


def _scanned(s: Setting) -> Made:
    call = _doubled(s)

    def function(x: Any) -> Any:
        return lax.scan(lambda carry, row: (call(carry) + row, carry.sum()), x[0], x)

    return function, (numbers(s.dtype, 3, 8, 128),)


def _chosen(s: Setting) -> Made:
    call = _doubled(s)

    def function(x: Any, y: Any) -> Any:
        return lax.cond(x.sum() > y.sum(), lambda: call(x), lambda: call(call(y)))

    return function, (numbers(s.dtype, 8, 128), numbers(s.dtype, 8, 128, seed=2))


_KERNELS = (
    Kernel("vmap", _mapped),
    Kernel("vmap_twice", _mapped_twice),
    Kernel("jvp", _pushed),
    Kernel("gradient_custom_vjp", _gradient),
    Kernel("scan", _scanned),
    Kernel("cond", _chosen),
)


def cases() -> Iterator[Case]:
    return cases_of_kernels(_KERNELS)

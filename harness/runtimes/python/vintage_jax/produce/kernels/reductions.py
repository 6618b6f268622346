"""Reductions, scans and the normalisations that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.kernels import kernel as kernels


def _by_rows(
    compute: Callable[[Any], Any], *, small: bool = False
) -> Callable[[kernels.Setting], kernels.Made]:
    """A block of rows in each program."""

    def make(s: kernels.Setting) -> kernels.Made:
        def kernel(x: Any, out: Any) -> None:
            out[...] = compute(x[...]).astype(out.dtype)

        x = (kernels.fractions if small else kernels.numbers)(s.dtype, 32, 128)
        made = jax.eval_shape(compute, x[:8])
        dtype = made.dtype if jnp.issubdtype(made.dtype, jnp.integer) else s.dtype
        call = s.call(
            kernel, kernels.shape_of(dtype, 32, made.shape[1]), grid=(4,),
            inputs=[kernels.block((8, 128), lambda i: (i, 0))],
            outputs=kernels.block((8, made.shape[1]), lambda i: (i, 0)))  # fmt: skip
        return call, (x,)

    return make


def _wide(x: Any) -> Any:
    return x.astype(jnp.float32)


def _softmax(x: Any) -> Any:
    e = jnp.exp(_wide(x) - _wide(x).max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _layer_norm(x: Any) -> Any:
    centred = _wide(x) - _wide(x).mean(1, keepdims=True)
    return centred * lax.rsqrt((centred * centred).mean(1, keepdims=True) + 1e-5)


def _rms_norm(x: Any) -> Any:
    return _wide(x) * lax.rsqrt((_wide(x) * _wide(x)).mean(1, keepdims=True) + 1e-5)


def _log_sum_exp(x: Any) -> Any:
    largest = x.max(1, keepdims=True)
    return jnp.log(jnp.exp(x - largest).sum(1, keepdims=True)) + largest


def _columns(s: kernels.Setting) -> kernels.Made:
    def kernel(x: Any, out: Any) -> None:
        out[...] = x[...].sum(0, keepdims=True)

    return s.call(kernel, kernels.shape_of(s.dtype, 1, 128)), (kernels.numbers(s.dtype, 32, 128),)


def _over_the_grid(s: kernels.Setting) -> kernels.Made:
    """Each program adds to the same block, which is what only TPUs do in order."""

    def kernel(x: Any, out: Any) -> None:
        @kernels.when(kernels.pallas().program_id(0) == 0)
        def start() -> None:
            out[...] = jnp.zeros_like(out)

        out[...] = out[...] * 2 + x[...]

    call = s.call(kernel, kernels.shape_of(s.dtype, 8, 128), grid=(4,),
                  inputs=[kernels.block((8, 128), lambda i: (i, 0))],
                  outputs=kernels.block((8, 128), lambda i: (0, 0)))  # fmt: skip
    return call, (kernels.numbers(s.dtype, 32, 128),)


_KERNELS = (
    kernels.Kernel("row_sum", _by_rows(lambda x: x.sum(1, keepdims=True)), ("f32", "i32")),
    kernels.Kernel("row_max", _by_rows(lambda x: x.max(1, keepdims=True)), ("f32", "i32")),
    kernels.Kernel("row_min", _by_rows(lambda x: x.min(1, keepdims=True))),
    kernels.Kernel("row_argmax", _by_rows(lambda x: jnp.argmax(x, 1).astype(jnp.int32)[:, None])),
    kernels.Kernel("column_sum", _columns, ("f32", "i32")),
    kernels.Kernel("sum_over_the_grid", _over_the_grid, backends=kernels.TPU),
    kernels.Kernel(
        "cumulative_sum", _by_rows(lambda x: jnp.cumsum(x, 1)), ("f32", "i32"), kernels.GPU
    ),
    kernels.Kernel("softmax", _by_rows(_softmax, small=True), ("f32", "bf16")),
    kernels.Kernel("layer_norm", _by_rows(_layer_norm, small=True), ("f32", "bf16")),
    kernels.Kernel("rms_norm", _by_rows(_rms_norm, small=True)),
    kernels.Kernel("log_sum_exp", _by_rows(_log_sum_exp, small=True)),
)


def cases() -> Iterator[Case]:
    return kernels.cases_of_kernels(_KERNELS)

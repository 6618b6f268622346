"""Kernels that compute each element from those at its place, over grids of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.kernels import kernel as kernels

_ROWS, _COLUMNS = 16, 128


def _whole(compute: Callable[..., Any], count: int, *, small: bool = False) -> Any:
    """A kernel of whole arrays without a grid; `small`: of fractions."""

    def make(s: kernels.Setting) -> kernels.Made:
        def kernel(*refs: Any) -> None:
            refs[-1][...] = compute(*(ref[...] for ref in refs[:-1]))

        data = kernels.fractions if small else kernels.numbers
        arguments = tuple(data(s.dtype, _ROWS, _COLUMNS, seed=1 + i) for i in range(count))
        result = jax.eval_shape(compute, *arguments)
        return s.call(kernel, kernels.shape_of(result.dtype, *result.shape)), arguments

    return make


def _gelu(x: Any) -> Any:
    return 0.5 * x * (1 + jnp.tanh(0.75 * (x + 0.0625 * x * x * x)))


def _transcendental(x: Any) -> Any:
    positive = x * x + 1
    return jnp.exp(x) + jnp.log(positive) * lax.rsqrt(positive) - jnp.sqrt(positive)


def _bits(x: Any, y: Any) -> Any:
    return ((x << 3) ^ (y & 5)) | (x >> 1)


def _converted(x: Any) -> Any:
    return (x.astype(jnp.bfloat16) * 2).astype(jnp.float32).astype(jnp.int32) + 1


def _chosen(x: Any, y: Any) -> Any:
    return jnp.where((x > y) & (x != 3), x - y, jnp.minimum(x, -y))


def _triangle(x: Any) -> Any:
    rows = lax.broadcasted_iota(jnp.int32, x.shape, 0)
    columns = lax.broadcasted_iota(jnp.int32, x.shape, 1)
    return jnp.where(rows * 8 >= columns, x, jnp.zeros_like(x))


def _blocks(s: kernels.Setting) -> kernels.Made:
    """The blocks of one operand lie transposed, and each adds its place in the grid."""

    def kernel(x: Any, y: Any, out: Any) -> None:
        i, j = kernels.pallas().program_id(0), kernels.pallas().program_id(1)
        out[...] = x[...] + y[...] + (10 * i + j).astype(s.dtype)

    straight, crossed = (
        kernels.block((8, 128), lambda i, j: (i, j)),
        kernels.block((8, 128), lambda i, j: (j, i)),
    )
    call = s.call(kernel, kernels.shape_of(s.dtype, 16, 256), grid=(2, 2),
                  inputs=[straight, crossed], outputs=straight)  # fmt: skip
    return call, (kernels.numbers(s.dtype, 16, 256), kernels.numbers(s.dtype, 16, 256, seed=2))


def _row_and_column(s: kernels.Setting) -> kernels.Made:
    def kernel(row: Any, column: Any, out: Any) -> None:
        out[...] = row[...] * column[...] - column[...]

    arguments = kernels.numbers(s.dtype, 1, 128), kernels.numbers(s.dtype, 16, 1, seed=2)
    return s.call(kernel, kernels.shape_of(s.dtype, 16, 128)), arguments


def _in_place(s: kernels.Setting) -> kernels.Made:
    def kernel(x: Any, out: Any) -> None:
        out[...] = x[...] + jnp.ones_like(x)

    rows = kernels.block((8, 128), lambda i: (i, 0))
    call = s.call(kernel, kernels.shape_of(s.dtype, 32, 128), grid=(4,), inputs=[rows],
                  outputs=rows, aliases={0: 0})  # fmt: skip
    return call, (kernels.numbers(s.dtype, 32, 128),)


def _uneven(s: kernels.Setting) -> kernels.Made:
    """The last block lies partly beyond the array."""

    def kernel(x: Any, out: Any) -> None:
        out[...] = x[...] * 3

    rows = kernels.block((8, 128), lambda i: (i, 0))
    call = s.call(
        kernel, kernels.shape_of(s.dtype, 20, 128), grid=(3,), inputs=[rows], outputs=rows
    )
    return call, (kernels.numbers(s.dtype, 20, 128),)


def _several_outputs(s: kernels.Setting) -> kernels.Made:
    def kernel(x: Any, low: Any, high: Any) -> None:
        low[...], high[...] = jnp.minimum(x[...], 0), jnp.maximum(x[...], 0)

    out = kernels.shape_of(s.dtype, _ROWS, _COLUMNS)
    return s.call(kernel, (out, out)), (kernels.numbers(s.dtype, _ROWS, _COLUMNS),)


def _conditional(s: kernels.Setting) -> kernels.Made:
    """Each program takes a branch, and loops as often as its place says."""

    def kernel(x: Any, out: Any) -> None:
        i = kernels.pallas().program_id(0)
        turned = lax.cond(i % 2 == 0, lambda v: v + 1, lambda v: -v, x[...])
        out[...] = lax.fori_loop(0, i, lambda _, v: v * 2 - 1, turned)

    rows = kernels.block((8, 128), lambda i: (i, 0))
    call = s.call(
        kernel, kernels.shape_of(s.dtype, 32, 128), grid=(4,), inputs=[rows], outputs=rows
    )
    return call, (kernels.numbers(s.dtype, 32, 128),)


_KERNELS = (
    kernels.Kernel("add", _whole(lambda x, y: x + y, 2), ("f32", "bf16", "i32"), kernels.ALL),
    kernels.Kernel("add_halves", _whole(lambda x, y: x + y, 2), ("f16",), kernels.ALL[1:]),
    kernels.Kernel("gelu", _whole(_gelu, 1, small=True), ("f32",)),
    kernels.Kernel("transcendental", _whole(_transcendental, 1, small=True)),
    kernels.Kernel("sine", _whole(lambda x: jnp.sin(x) + jnp.cos(x), 1, small=True)),
    kernels.Kernel("bits", _whole(_bits, 2), ("i32",)),
    kernels.Kernel("remainder", _whole(lambda x: (x + 9) % 5 + lax.div(x, jnp.full_like(x, 3)), 1),
           ("i32",)),
    kernels.Kernel("power", _whole(lambda x: x**3 - 2 * x, 1), ("f32", "i32")),
    kernels.Kernel("converted", _whole(_converted, 1)),
    kernels.Kernel("chosen", _whole(_chosen, 2), ("f32", "i32")),
    kernels.Kernel("triangle", _whole(_triangle, 1), ("f32", "bf16")),
    kernels.Kernel("blocks", _blocks, ("f32", "i32")),
    kernels.Kernel("row_and_column", _row_and_column),
    kernels.Kernel("in_place", _in_place),
    kernels.Kernel("uneven", _uneven, backends=kernels.TPU),
    kernels.Kernel("several_outputs", _several_outputs),
    kernels.Kernel("conditional", _conditional),
)  # fmt: skip


def cases() -> Iterator[Case]:
    return kernels.cases_of_kernels(_KERNELS)

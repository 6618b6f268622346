"""Products of matrices by blocks, with an activation in the same kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.kernels import kernel as kernels


def _dot(x: Any, y: Any, contracted: tuple[int, int] = (1, 0), **options: Any) -> Any:
    options.setdefault("preferred_element_type", jnp.float32)
    numbers_of = (((contracted[0],), (contracted[1],)), ((), ()))
    return lax.dot_general(x, y, numbers_of, **options)


def _whole(s: kernels.Setting) -> kernels.Made:
    def kernel(x: Any, y: Any, out: Any) -> None:
        out[...] = _dot(x[...], y[...])

    arguments = kernels.fractions(s.dtype, 16, 128), kernels.fractions(s.dtype, 128, 128, seed=2)
    return s.call(kernel, kernels.shape_of(jnp.float32, 16, 128)), arguments


def _highest(s: kernels.Setting) -> kernels.Made:
    def kernel(x: Any, y: Any, out: Any) -> None:
        out[...] = _dot(x[...], y[...], precision=lax.Precision.HIGHEST)

    x, y = kernels.fractions(s.dtype, 16, 128), kernels.fractions(s.dtype, 128, 128, seed=2)
    return s.call(kernel, kernels.shape_of(jnp.float32, 16, 128)), (x / 3, y / 7)


def _transposed(s: kernels.Setting) -> kernels.Made:
    def kernel(x: Any, y: Any, out: Any) -> None:
        out[...] = _dot(x[...], y[...], (1, 1))

    arguments = kernels.fractions(s.dtype, 16, 128), kernels.fractions(s.dtype, 128, 128, seed=2)
    return s.call(kernel, kernels.shape_of(jnp.float32, 16, 128)), arguments


def _integers(s: kernels.Setting) -> kernels.Made:
    def kernel(x: Any, y: Any, out: Any) -> None:
        out[...] = _dot(x[...], y[...], preferred_element_type=jnp.int32)

    arguments = kernels.numbers(s.dtype, 32, 128), kernels.numbers(s.dtype, 128, 128, seed=2)
    return s.call(kernel, kernels.shape_of(jnp.int32, 32, 128)), arguments


def _blocked(s: kernels.Setting) -> kernels.Made:
    """Sums in its output over the last dimension of the grid; the last step activates."""

    def kernel(x: Any, y: Any, out: Any) -> None:
        @kernels.when(kernels.pallas().program_id(2) == 0)
        def start() -> None:
            out[...] = jnp.zeros_like(out)

        out[...] += _dot(x[...], y[...])

        @kernels.when(kernels.pallas().program_id(2) == kernels.pallas().num_programs(2) - 1)
        def finish() -> None:
            out[...] = jnp.maximum(out[...], 0)

    call = s.call(
        kernel, kernels.shape_of(jnp.float32, 32, 256), grid=(2, 2, 2),
        inputs=[kernels.block((16, 128), lambda i, j, k: (i, k)),
                kernels.block((128, 128), lambda i, j, k: (k, j))],
        outputs=kernels.block((16, 128), lambda i, j, k: (i, j)))  # fmt: skip
    return call, (kernels.fractions(s.dtype, 32, 256), kernels.fractions(s.dtype, 256, 256, seed=2))


def _accumulated(s: kernels.Setting) -> kernels.Made:
    """Sums in a scratch buffer, and writes in the output's own dtype."""

    def kernel(x: Any, y: Any, out: Any, total: Any) -> None:
        @kernels.when(kernels.pallas().program_id(1) == 0)
        def start() -> None:
            total[...] = jnp.zeros_like(total)

        total[...] += _dot(x[...], y[...])

        @kernels.when(kernels.pallas().program_id(1) == kernels.pallas().num_programs(1) - 1)
        def finish() -> None:
            activated = total[...] / (1 + jnp.exp(-total[...]))
            out[...] = activated.astype(out.dtype)

    call = s.call(
        kernel, kernels.shape_of(s.dtype, 32, 128), grid=(2, 2),
        inputs=[kernels.block((16, 128), lambda i, k: (i, k)),
                kernels.block((128, 128), lambda i, k: (k, 0))],
        outputs=kernels.block((16, 128), lambda i, k: (i, 0)),
        scratch=[kernels.tpu().VMEM((16, 128), jnp.float32)])  # fmt: skip
    return call, (
        kernels.fractions(s.dtype, 32, 256),
        kernels.fractions(s.dtype, 256, 128, seed=2) / 8,
    )


def _batched(s: kernels.Setting) -> kernels.Made:
    def kernel(x: Any, y: Any, out: Any) -> None:
        out[...] = _dot(x[...], y[...])

    one = kernels.block((None, 16, 128), lambda b: (b, 0, 0))
    call = s.call(kernel, kernels.shape_of(jnp.float32, 3, 16, 128), grid=(3,),
                  inputs=[one, kernels.block((None, 128, 128), lambda b: (b, 0, 0))],
                  outputs=one)  # fmt: skip
    return call, (
        kernels.fractions(s.dtype, 3, 16, 128),
        kernels.fractions(s.dtype, 3, 128, 128, seed=2),
    )


def _looped(s: kernels.Setting) -> kernels.Made:
    """Each program loops over its row and column of blocks."""

    def kernel(x: Any, y: Any, out: Any) -> None:
        def step(k: Any, total: Any) -> Any:
            part = kernels.pallas().dslice(k * 32, 32)
            return total + _dot(x[:, part], y[part, :])

        total = lax.fori_loop(0, 4, step, jnp.zeros(out.shape, jnp.float32))
        out[...] = jnp.maximum(total, 0).astype(out.dtype)

    call = s.call(
        kernel, kernels.shape_of(s.dtype, 32, 64), grid=(2, 2),
        inputs=[kernels.block((16, 128), lambda i, j: (i, 0)),
                kernels.block((128, 32), lambda i, j: (0, j))],
        outputs=kernels.block((16, 32), lambda i, j: (i, j)))  # fmt: skip
    return call, (kernels.fractions(s.dtype, 32, 128), kernels.fractions(s.dtype, 128, 64, seed=2))


_KERNELS = (
    kernels.Kernel("matmul", _whole, ("f32", "bf16")),
    kernels.Kernel("matmul_highest", _highest),
    kernels.Kernel("matmul_transposed", _transposed, ("f32", "bf16")),
    kernels.Kernel("matmul_integers", _integers, ("i8",)),
    kernels.Kernel("matmul_blocked_relu", _blocked, ("f32", "bf16"), kernels.TPU),
    kernels.Kernel("matmul_accumulated_silu", _accumulated, ("f32", "bf16"), kernels.TPU),
    kernels.Kernel("matmul_batched", _batched),
    kernels.Kernel("matmul_looped_relu", _looped, ("f32", "bf16", "f16"), kernels.GPU),
)


def cases() -> Iterator[Case]:
    return kernels.cases_of_kernels(_KERNELS)

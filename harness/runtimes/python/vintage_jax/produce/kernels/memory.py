"""Kernels that choose where they read and write: scalar prefetch, slices, DMA, semaphores, masks
and atomics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.kernels.kernel import (
    BOTH,
    GPU,
    TPU,
    Kernel,
    Made,
    Setting,
    anywhere,
    block,
    cases_of_kernels,
    numbers,
    pallas,
    shape_of,
    tpu,
    triton,
    when,
)

_ORDER = np.array([3, 0, 2, 2], np.int32)


def _copy(_: Any, x: Any, out: Any) -> None:
    out[...] = x[...]


def _gather(s: Setting) -> Made:
    """The index map of the operand reads which block comes."""
    call = s.call(
        _copy, shape_of(s.dtype, 32, 128), grid=(4,), prefetched=1,
        inputs=[block((8, 128), lambda i, order: (order[i], 0))],
        outputs=block((8, 128), lambda i, order: (i, 0)))  # fmt: skip
    return call, (_ORDER, numbers(s.dtype, 32, 128))


def _scatter(s: Setting) -> Made:
    """The index map of the output reads where the block goes; other blocks keep their numbers."""

    def kernel(order: Any, x: Any, _: Any, out: Any) -> None:
        out[...] = x[...] * 2

    target = block((8, 128), lambda i, order: (order[i], 0))
    call = s.call(
        kernel, shape_of(s.dtype, 48, 128), grid=(3,), prefetched=1,
        inputs=[block((8, 128), lambda i, order: (i, 0)), target], outputs=target,
        aliases={2: 0})  # fmt: skip
    order = np.array([4, 0, 2], np.int32)
    return call, (order, numbers(s.dtype, 24, 128), numbers(s.dtype, 48, 128, seed=2))


def _ragged(s: Setting) -> Made:
    """Sums the first rows of each group; how many, a prefetched array says."""

    def kernel(lengths: Any, x: Any, out: Any) -> None:
        length = lengths[pallas().program_id(0)]
        rows = lax.broadcasted_iota(jnp.int32, (16, 128), 0)
        kept = jnp.where(rows < length, x[...], 0)
        out[...] = jnp.broadcast_to(kept.sum(0, keepdims=True), (8, 128))

    call = s.call(
        kernel, shape_of(s.dtype, 32, 128), grid=(4,), prefetched=1,
        inputs=[block((16, 128), lambda g, lengths: (g, 0))],
        outputs=block((8, 128), lambda g, lengths: (g, 0)))  # fmt: skip
    return call, (np.array([5, 0, 16, 1], np.int32), numbers(s.dtype, 64, 128))


def _slices(s: Setting) -> Made:
    """Rows from a place that a loop computes."""

    def kernel(x: Any, out: Any) -> None:
        def step(i: Any, total: Any) -> Any:
            return total * 2 + x[pallas().dslice(pl_multiple(i), 8), :]

        out[...] = lax.fori_loop(0, 4, step, jnp.zeros((8, 128), s.dtype))

    def pl_multiple(i: Any) -> Any:
        return pallas().multiple_of(i * 8, 8)

    return s.call(kernel, shape_of(s.dtype, 8, 128)), (numbers(s.dtype, 32, 128),)


def _strided(s: Setting) -> Made:
    def kernel(x: Any, out: Any) -> None:
        out[...] = x[pallas().ds(1, 8, 2), :]

    return s.call(kernel, shape_of(s.dtype, 8, 128)), (numbers(s.dtype, 32, 128),)


def _rolled(s: Setting) -> Made:
    def kernel(x: Any, out: Any) -> None:
        out[...] = tpu().roll(x[...], 3, 1) + tpu().roll(x[...], 1, 0)

    return s.call(kernel, shape_of(s.dtype, 8, 128)), (numbers(s.dtype, 8, 128),)


def _repeated(s: Setting) -> Made:
    def kernel(x: Any, out: Any) -> None:
        out[...] = jnp.concatenate([x[...], x[...] + 1], axis=1)

    return s.call(kernel, shape_of(s.dtype, 8, 256)), (numbers(s.dtype, 8, 128),)


def _scalars(s: Setting) -> Made:
    """A loop over scalar memory: a polynomial by Horner's rule."""

    def kernel(coefficients: Any, x: Any, out: Any) -> None:
        out[...] = lax.fori_loop(
            0, 5, lambda i, total: total * x[...] + coefficients[i], jnp.zeros_like(x)
        )

    call = s.call(kernel, shape_of(s.dtype, 8, 128), inputs=[block(space=tpu().SMEM), block()])
    return call, (numbers(s.dtype, 5), numbers(s.dtype, 8, 128, seed=2, low=-3, high=3))


def _dma(s: Setting) -> Made:
    """HBM into VMEM, computed there, and back."""

    def kernel(x: Any, out: Any, buffer: Any, semaphore: Any) -> None:
        load = tpu().make_async_copy(x, buffer, semaphore)
        load.start()
        load.wait()
        buffer[...] = buffer[...] + 1
        store = tpu().make_async_copy(buffer, out, semaphore)
        store.start()
        store.wait()

    call = s.call(
        kernel, shape_of(s.dtype, 16, 128), inputs=[anywhere()], outputs=anywhere(),
        scratch=[tpu().VMEM((16, 128), s.dtype), tpu().SemaphoreType.DMA],
        simulated=True)  # fmt: skip
    return call, (numbers(s.dtype, 16, 128),)


def _double_buffered(s: Setting) -> Made:
    """While one buffer is summed, the next part comes into the other."""
    parts = 4

    def kernel(x: Any, out: Any, buffers: Any, semaphores: Any) -> None:
        def part(i: Any) -> Any:
            slot = lax.rem(i, 2)
            rows = x.at[pallas().ds(i * 8, 8)]
            return tpu().make_async_copy(rows, buffers.at[slot], semaphores.at[slot])

        part(0).start()
        out[...] = jnp.zeros_like(out)

        def step(i: Any, _: Any) -> Any:
            @when(i + 1 < parts)
            def go_on() -> None:
                part(i + 1).start()

            part(i).wait()
            out[...] += buffers[lax.rem(i, 2)]
            return 0

        lax.fori_loop(0, parts, step, 0)

    call = s.call(
        kernel, shape_of(s.dtype, 8, 128), inputs=[anywhere()], outputs=block(),
        scratch=[tpu().VMEM((2, 8, 128), s.dtype), tpu().SemaphoreType.DMA((2,))],
        simulated=True)  # fmt: skip
    return call, (numbers(s.dtype, 8 * parts, 128),)


def _semaphores(s: Setting) -> Made:
    def kernel(x: Any, out: Any, semaphore: Any) -> None:
        signal = getattr(tpu(), "semaphore_signal", None) or pallas().semaphore_signal
        wait = getattr(tpu(), "semaphore_wait", None) or pallas().semaphore_wait
        signal(semaphore, 3)
        wait(semaphore, 2)
        out[...] = x[...] + 1
        wait(semaphore, 1)

    call = s.call(kernel, shape_of(s.dtype, 8, 128), inputs=[block()], outputs=block(),
                  scratch=[tpu().SemaphoreType.REGULAR], simulated=True)  # fmt: skip
    return call, (numbers(s.dtype, 8, 128),)


def _scoped(s: Setting) -> Made:
    """A buffer that lives in a part of the kernel."""

    def kernel(x: Any, out: Any) -> None:
        def within(buffer: Any) -> None:
            buffer[...] = x[...] * 2
            out[...] = buffer[...] + x[...]

        scoped = getattr(pallas(), "run_scoped", None) or tpu().run_scoped
        scoped(within, tpu().VMEM((8, 128), s.dtype))

    return s.call(kernel, shape_of(s.dtype, 8, 128)), (numbers(s.dtype, 8, 128),)


def _pipelined(s: Setting) -> Made:
    """A pipeline of blocks inside of the kernel."""

    def kernel(x: Any, out: Any) -> None:
        def body(part: Any, target: Any) -> None:
            target[...] = part[...] * 2 + 1

        rows = block((8, 128), lambda i: (i, 0))
        tpu().emit_pipeline(body, grid=(4,), in_specs=[rows], out_specs=[rows])(x, out)

    call = s.call(kernel, shape_of(s.dtype, 32, 128), inputs=[anywhere()], outputs=anywhere(),
                  simulated=True)  # fmt: skip
    return call, (numbers(s.dtype, 32, 128),)


def _masked(s: Setting) -> Made:
    """A vector whose length is no multiple of its blocks."""
    size, length = 64, 150

    def kernel(x: Any, out: Any) -> None:
        places = pallas().program_id(0) * size + jnp.arange(size)
        mask = places < length
        if triton() is pallas():
            value = pallas().load(x, (places,), mask=mask, other=0)
            pallas().store(out, (places,), value + 1, mask=mask)
        else:
            value = triton().load(x.at[places], mask=mask, other=0)
            triton().store(out.at[places], value + 1, mask=mask)

    whole = block((length,), lambda i: (0,))
    call = s.call(kernel, shape_of(s.dtype, length), grid=(3,), inputs=[whole], outputs=whole)
    return call, (numbers(s.dtype, length),)


def _atomic(name: str) -> Any:
    """Programs change the same few numbers, each of them once: interpret mode forgets all changes
    of a place but the last."""

    def make(s: Setting) -> Made:
        def kernel(places: Any, values: Any, _: Any, out: Any) -> None:
            i = pallas().program_id(0)
            change = getattr(triton(), name)
            change(out, (places[i, :],), values[i, :])

        rows, total = block((4, 8), lambda i: (0, 0)), block((8,), lambda i: (0,))
        call = s.call(kernel, shape_of(s.dtype, 8), grid=(4,), inputs=[rows, rows, total],
                      outputs=total, aliases={2: 0})  # fmt: skip
        rows_of = np.tile(np.arange(8, dtype=np.int32), (4, 1))
        places = np.random.default_rng(1).permuted(rows_of, axis=1)
        return call, (places, numbers(s.dtype, 4, 8, seed=2), np.zeros(8, s.dtype))

    return make


_KERNELS = (
    Kernel("gather_prefetched", _gather, ("f32", "bf16", "i32"), TPU),
    Kernel("scatter_prefetched", _scatter, backends=TPU),
    Kernel("ragged_sum", _ragged, ("f32", "i32"), TPU),
    Kernel("slices", _slices, ("f32", "i32"), BOTH),
    Kernel("strided", _strided, backends=TPU),
    Kernel("rolled", _rolled, backends=TPU),
    Kernel("concatenated", _repeated, backends=TPU),
    Kernel("scalars", _scalars, ("f32", "i32"), TPU),
    Kernel("dma", _dma, ("f32", "bf16"), TPU),
    Kernel("dma_double_buffered", _double_buffered, backends=TPU),
    Kernel("semaphores", _semaphores, backends=TPU),
    Kernel("scoped", _scoped, backends=TPU),
    Kernel("pipelined", _pipelined, backends=TPU),
    Kernel("masked", _masked, ("f32", "i32"), GPU),
    Kernel("atomic_add", _atomic("atomic_add"), ("f32", "i32"), GPU),
    Kernel("atomic_max", _atomic("atomic_max"), ("i32",), GPU),
)


def cases() -> Iterator[Case]:
    return cases_of_kernels(_KERNELS)

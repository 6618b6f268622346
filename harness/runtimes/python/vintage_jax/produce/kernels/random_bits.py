"""Dropout: with bits that the kernel computes, and with those of the TPU's own generator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.kernels.kernel import (
    TPU,
    Kernel,
    Made,
    Setting,
    block,
    cases_of_kernels,
    numbers,
    shape_of,
    tpu,
)

_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)


def _threefry(key: tuple[Any, Any], x: Any) -> Any:
    """Threefry-2x32 of (x, 0), its first word, in 20 rounds."""
    keys = (*key, key[0] ^ key[1] ^ jnp.uint32(0x1BD11BDA))
    a, b = x + keys[0], jnp.zeros_like(x) + keys[1]
    for turn in range(5):
        for rotation in _ROTATIONS[4 * (turn % 2) : 4 * (turn % 2) + 4]:
            a = a + b
            b = ((b << jnp.uint32(rotation)) | (b >> jnp.uint32(32 - rotation))) ^ a
        a = a + keys[(turn + 1) % 3]
        b = b + keys[(turn + 2) % 3] + jnp.uint32(turn + 1)
    return a


def _computed(s: Setting) -> Made:
    def kernel(key: Any, x: Any, out: Any) -> None:
        rows = lax.broadcasted_iota(jnp.int32, x.shape, 0)
        places = (rows * 128 + lax.broadcasted_iota(jnp.int32, x.shape, 1)).astype(jnp.uint32)
        words = key[0], key[1]
        bits = _threefry(words, places)
        kept = (bits >> jnp.uint32(9)).astype(jnp.int32) < 6_000_000
        out[...] = jnp.where(kept, x[...] * 2, 0)

    inputs = [block(space=tpu().SMEM), block()] if s.backend == "mosaic" else None
    call = s.call(kernel, shape_of(s.dtype, 16, 128), inputs=inputs)
    return call, (np.array([7, 2026], np.uint32), numbers(s.dtype, 16, 128))


def _generated(s: Setting) -> Made:
    """No one else knows the generator's bits; that each element is dropped or doubled holds for
    any."""

    def kernel(seed: Any, x: Any, out: Any) -> None:
        tpu().prng_seed(seed[0])
        bits = tpu().prng_random_bits(x.shape)
        dropped = jnp.where(bits < 0, x[...] * 2, 0)
        holds = (dropped == 0) | (dropped == x[...] * 2)
        out[...] = holds.astype(jnp.int32)

    call = s.call(kernel, shape_of(jnp.int32, 16, 128), inputs=[block(space=tpu().SMEM), block()],
                  simulated=True)  # fmt: skip
    return call, (np.array([3], np.int32), numbers(s.dtype, 16, 128))


_KERNELS = (
    Kernel("dropout_threefry", _computed),
    Kernel("dropout_generator", _generated, backends=TPU),
)


def cases() -> Iterator[Case]:
    return cases_of_kernels(_KERNELS)

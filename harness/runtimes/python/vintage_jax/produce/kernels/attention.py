"""Flash attention: softmax(q k^T) v by blocks of keys, with a running maximum and sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.kernels.kernel import (
    TPU,
    Kernel,
    Made,
    Setting,
    block,
    cases_of_kernels,
    fractions,
    pallas,
    shape_of,
    tpu,
    when,
)

_LENGTH, _WIDTH, _QUERIES, _KEYS = 128, 64, 32, 32
_MASKED = -1e30


def _dot(x: Any, y: Any, contracted: tuple[int, int]) -> Any:
    """By default devices would round f32 before they multiply."""
    precision = lax.Precision.HIGHEST if x.dtype == jnp.float32 else None
    return lax.dot_general(x, y, (((contracted[0],), (contracted[1],)), ((), ())),
                           precision=precision, preferred_element_type=jnp.float32)  # fmt: skip


def _step(scores: Any, v: Any, state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    total, largest, weight = state
    new = jnp.maximum(largest, scores.max(1, keepdims=True))
    e = jnp.exp(scores - new)
    shrunk = jnp.exp(largest - new)
    return (total * shrunk + _dot(e.astype(v.dtype), v, (1, 0)), new,
            weight * shrunk + e.sum(1, keepdims=True))  # fmt: skip


def _scores(q: Any, k: Any, first_query: Any, first_key: Any, causal: bool) -> Any:
    scores = _dot(q, k, (1, 1)) * 0.125
    if not causal:
        return scores
    queries = lax.broadcasted_iota(jnp.int32, scores.shape, 0) + first_query
    keys = lax.broadcasted_iota(jnp.int32, scores.shape, 1) + first_key
    return jnp.where(queries >= keys, scores, _MASKED)


def _arguments(s: Setting) -> tuple[Any, ...]:
    return tuple(fractions(s.dtype, _LENGTH, _WIDTH, seed=seed) for seed in (1, 2, 3))


def _looped(causal: bool) -> Callable[[Setting], Made]:
    """A program has a block of queries and loops over the keys."""

    def make(s: Setting) -> Made:
        def kernel(q: Any, k: Any, v: Any, out: Any) -> None:
            first = pallas().program_id(0) * _QUERIES
            queries = q[...]

            def step(j: Any, state: Any) -> Any:
                part = pallas().dslice(j * _KEYS, _KEYS)
                return _step(_scores(queries, k[part, :], first, j * _KEYS, causal), v[part, :],
                             state)  # fmt: skip

            start = (jnp.zeros((_QUERIES, _WIDTH), jnp.float32),
                     jnp.full((_QUERIES, 1), _MASKED, jnp.float32),
                     jnp.zeros((_QUERIES, 1), jnp.float32))  # fmt: skip
            total, _, weight = lax.fori_loop(0, _LENGTH // _KEYS, step, start)
            out[...] = (total / weight).astype(out.dtype)

        rows = block((_QUERIES, _WIDTH), lambda i: (i, 0))
        whole = block((_LENGTH, _WIDTH), lambda i: (0, 0))
        call = s.call(kernel, shape_of(s.dtype, _LENGTH, _WIDTH), grid=(_LENGTH // _QUERIES,),
                      inputs=[rows, whole, whole], outputs=rows)  # fmt: skip
        return call, _arguments(s)

    return make


def _over_the_grid(s: Setting) -> Made:
    """The grid's last dimension walks over the keys; the state is in scratch buffers."""
    steps = _LENGTH // _KEYS

    def kernel(q: Any, k: Any, v: Any, out: Any, total: Any, largest: Any, weight: Any) -> None:
        i, j = pallas().program_id(0), pallas().program_id(1)

        @when(j == 0)
        def start() -> None:
            total[...] = jnp.zeros_like(total)
            largest[...] = jnp.full_like(largest, _MASKED)
            weight[...] = jnp.zeros_like(weight)

        scores = _scores(q[...], k[...], i * _QUERIES, j * _KEYS, causal=True)
        state = _step(scores, v[...], (total[...], largest[...], weight[...]))
        total[...], largest[...], weight[...] = state

        @when(j == steps - 1)
        def finish() -> None:
            out[...] = (total[...] / weight[...]).astype(out.dtype)

    rows = block((_QUERIES, _WIDTH), lambda i, j: (i, 0))
    keys = block((_KEYS, _WIDTH), lambda i, j: (j, 0))
    call = s.call(
        kernel, shape_of(s.dtype, _LENGTH, _WIDTH), grid=(_LENGTH // _QUERIES, steps),
        inputs=[rows, keys, keys], outputs=rows,
        scratch=[tpu().VMEM((_QUERIES, width), jnp.float32)
                 for width in (_WIDTH, 1, 1)])  # fmt: skip
    return call, _arguments(s)


_KERNELS = (
    Kernel("flash_attention", _looped(causal=False), ("f32", "bf16")),
    Kernel("flash_attention_causal", _looped(causal=True)),
    Kernel("flash_attention_grid", _over_the_grid, ("f32", "bf16"), TPU),
)


def cases() -> Iterator[Case]:
    return cases_of_kernels(_KERNELS)

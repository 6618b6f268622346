"""Operations that move elements: gather and scatter, slices, windows, permuted dimensions."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from vintage_jax.produce.case import Case
from vintage_jax.produce.seeded_case import Seeded, seeded
from vintage_jax.produce.sized.idiom import FEW, ROWS, WHOLE, Idiom, Sizes, cases_of_idioms, wide

_SCATTERS: Sizes = {
    "f32": (1, 255, 8193, 1_000_000),
    "f64": (16385,),
    "i32": (65537,),
}
_SOME: Sizes = {"f32": (255, 8193, 32769), "f64": (16385,), "i32": (4095,)}


def _vector(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n),)


def _rows(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n, 6),)


def _indices(n: int, most: int, seed: int = 3) -> Seeded:
    return seeded("i32", n, seed=seed, low=0, high=most)


def _table_and_indices(n: int, dtype: str) -> tuple[Seeded, ...]:
    return seeded(dtype, 64, 3), _indices(n, 63)


def _large_table(n: int, dtype: str) -> tuple[Seeded, ...]:
    return seeded(dtype, n), _indices(64, n - 1)


def _values_and_places(n: int, dtype: str) -> tuple[Seeded, ...]:
    return seeded(dtype, n), _indices(n, 60)


def _spread_over(n: int, dtype: str) -> tuple[Seeded, ...]:
    return seeded(dtype, n), seeded(dtype, 48, seed=2), _indices(48, n - 1)


def _gathered(table: Any, indices: Any) -> Any:
    return wide(table)[indices].sum(1)


def _scattered(x: Any, places: Any) -> Any:
    return jnp.zeros(64, wide(x).dtype).at[places].add(wide(x))


def _largest_of_segments(x: Any, places: Any) -> Any:
    return jax.ops.segment_max(x, places, num_segments=61)


def _few_scattered(x: Any, updates: Any, places: Any) -> Any:
    return wide(x).at[places].add(wide(updates))


def _slices(x: Any, starts: Any) -> Any:
    size = min(4, x.size)
    return jax.vmap(lambda start: jax.lax.dynamic_slice(wide(x), (start,), (size,)).sum())(starts)


def _one_hot(table: Any, indices: Any) -> Any:
    return (jax.nn.one_hot(indices, 64, dtype=wide(table).dtype) @ wide(table)).sum(1)


def _around(x: Any) -> Any:
    x = wide(x)
    padded = jnp.pad(x, (2, 1))
    return jnp.concatenate([x[::-1][:3], padded[3:] - padded[:-3], jnp.roll(x, 5)])


def _windows(x: Any) -> Any:
    x = wide(x)
    zero = jnp.zeros((), x.dtype)
    return jax.lax.reduce_window(x, zero, jax.lax.add, (5,), (1,), "SAME")


def _row_windows(x: Any) -> Any:
    low = jnp.array(-100, x.dtype)
    return jax.lax.reduce_window(x, low, jax.lax.max, (3, 2), (2, 2), "SAME").sum(1)


_IDIOMS = (
    Idiom("gathered_rows", "gather", _gathered, _table_and_indices, ROWS),
    Idiom("gathered_from_many", "gather", lambda table, i: table[i], _large_table, WHOLE),
    Idiom("scattered_sums", "scatter_add", _scattered, _values_and_places, _SCATTERS),
    Idiom("largest_of_segments", "scatter_max", _largest_of_segments, _values_and_places, _SOME),
    Idiom("few_scattered", "scatter_add", _few_scattered, _spread_over, _SOME),
    Idiom("vmapped_dynamic_slices", "dynamic_slice", _slices, _large_table, WHOLE),
    Idiom("one_hot_product", "dot_general", _one_hot, _table_and_indices, FEW),
    Idiom("padded_and_rolled", "pad", _around, _vector, _SOME),
    Idiom("window_sums", "reduce_window_sum", _windows, _vector, ROWS),
    Idiom("window_maxima", "reduce_window_max", _row_windows, _rows, _SOME),
)  # fmt: skip


def cases() -> Iterator[Case]:
    return cases_of_idioms(_IDIOMS)

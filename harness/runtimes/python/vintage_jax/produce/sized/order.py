"""Prefixes, sorting, and what is chosen by order."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from vintage_jax.produce.case import Case
from vintage_jax.produce.seeded_case import Seeded, seeded
from vintage_jax.produce.sized.idiom import FEW, ROWS, WHOLE, Idiom, Sizes, cases_of_idioms, wide

_MOST_KEPT = 65537
_SORTS: Sizes = {
    "f32": (1, 255, 4095, 65537, 1_000_000),
    "f64": (7, 8193),
    "bf16": (4095,),
    "i32": (32769,),
}


def _vector(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n),)


def _spread(n: int, dtype: str) -> tuple[Seeded, ...]:
    """With few ties, but for bf16."""
    bound = 200 if dtype == "bf16" else 1 << 20
    return (seeded(dtype, n, low=-bound, high=bound),)


def _rows(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n, 7, low=-100, high=100),)


def _table_and_queries(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (
        seeded(dtype, n, low=-1000, high=1000),
        seeded(dtype, 64, seed=2, low=-1000, high=1000),
    )


def _sampled(x: Any) -> Any:
    """All of it, or every so manieth element where that is much."""
    return x if x.size <= _MOST_KEPT else x[:: x.size // 4096]


def _pairs_sorted(x: Any) -> Any:
    return jax.lax.sort((x, jnp.arange(x.size, dtype=jnp.int32)), num_keys=1, is_stable=True)


def _top(x: Any) -> Any:
    return tuple(jax.lax.top_k(x, min(5, x.size)))


def _row_tops(x: Any) -> Any:
    values, places = jax.lax.top_k(x, 3)
    return wide(values).sum(1), places[:, 2]


def _searched(table: Any, queries: Any) -> Any:
    return jnp.searchsorted(jnp.sort(table), queries)


def _running(x: Any) -> Any:
    return jax.lax.associative_scan(jnp.add, wide(x))


_IDIOMS = (
    Idiom("cumulative_sum", "cumsum", lambda x: jnp.cumsum(wide(x)), _vector, ROWS),
    Idiom("cumulative_sum_down", "cumsum", lambda x: jnp.cumsum(wide(x), axis=0).max(1), _rows,
          FEW),
    Idiom("cumulative_max", "cummax", lambda x: jax.lax.cummax(x, axis=0), _spread, ROWS),
    Idiom("associative_scan", "associative_scan", _running, _vector, FEW),
    Idiom("sorted", "sort", lambda x: _sampled(jnp.sort(x)), _spread, _SORTS),
    Idiom("sorted_rows", "sort", lambda x: jnp.sort(x, axis=1)[:, ::3].sum(1), _rows, FEW),
    Idiom("sorted_pairs", "sort", _pairs_sorted, _vector, FEW),
    Idiom("top_of_all", "top_k", _top, _spread, WHOLE),
    Idiom("top_of_rows", "top_k", _row_tops, _rows, FEW),
    Idiom("searched", "sort", _searched, _table_and_queries, FEW),
)  # fmt: skip


def cases() -> Iterator[Case]:
    return cases_of_idioms(_IDIOMS)

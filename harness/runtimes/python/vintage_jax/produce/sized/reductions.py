"""Sums, maxima and other folds, of rows, of columns and of everything."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from vintage_jax.produce.case import Case
from vintage_jax.produce.seeded_case import Seeded, seeded
from vintage_jax.produce.sized.idiom import (
    FLOAT_ROWS,
    FLOAT_WHOLE,
    ROWS,
    WHOLE,
    Idiom,
    cases_of_idioms,
    wide,
)


def _rows(columns: int) -> Any:
    return lambda n, dtype: (seeded(dtype, n, columns, seed=columns),)


def _vector(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n),)


def _signs(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n, low=0, high=1),)


def _row_statistics(x: Any) -> Any:
    x = wide(x)
    return x.mean(1), x.var(1)


def _extremes(x: Any) -> Any:
    return x.max(1), x.argmin(1)


def _counts(x: Any) -> Any:
    return jnp.any(x > 7), jnp.all(x > -9), jnp.count_nonzero(x == 3)


_IDIOMS = (
    Idiom("row_sum", "reduce_sum", lambda x: wide(x).sum(1), _rows(5), ROWS),
    Idiom("row_extremes", "reduce_max", _extremes, _rows(5), ROWS),
    Idiom("row_statistics", "reduce_sum", _row_statistics, _rows(8), FLOAT_ROWS),
    Idiom("row_logsumexp", "logsumexp", lambda x: jax.nn.logsumexp(wide(x), axis=1), _rows(6),
          FLOAT_ROWS),
    Idiom("column_sum", "reduce_sum", lambda x: wide(x).sum(0), _rows(3), WHOLE),
    Idiom("full_sum", "reduce_sum", lambda x: wide(x).sum(), _vector, WHOLE),
    Idiom("product_of_signs", "reduce_prod", lambda x: (1 - 2 * wide(x)).prod(), _signs,
          FLOAT_WHOLE),
    Idiom("counts", "reduce_or", _counts, _vector, WHOLE),
    Idiom("first_extremes", "argmax", lambda x: (x.argmax(), x.argmin()), _vector, WHOLE),
)  # fmt: skip


def cases() -> Iterator[Case]:
    return cases_of_idioms(_IDIOMS)

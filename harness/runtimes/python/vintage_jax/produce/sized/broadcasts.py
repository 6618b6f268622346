"""Arrays of five to eight dimensions, broadcast against each other, multiplied and reduced."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from vintage_jax.produce.case import Case
from vintage_jax.produce.seeded_case import Seeded, seeded
from vintage_jax.produce.sized.idiom import Idiom, Sizes, cases_of_idioms, wide

_RANKS = (5, 6, 7, 8)
_ROWS: Sizes = {"f32": (255, 16385), "f64": (8193,)}
_WHOLE: Sizes = {"f32": (7, 8193), "f64": (16385,), "bf16": (255,), "i32": (4095,)}


def _arguments(rank: int, n: int, dtype: str) -> tuple[Seeded, ...]:
    """Arrays of the shapes (n, 2, 1, 2, …) and (1, 1, 2, 1, …)."""
    ones = [(2, 1)[dimension % 2] for dimension in range(rank - 1)]
    others = [3 - one for one in ones]
    return (
        seeded(dtype, n, *ones, seed=rank, low=-4, high=4),
        seeded(dtype, 1, *others, seed=2, low=-4, high=4),
    )


def _each(x: Any, y: Any) -> Any:
    """A number for each of the first dimension."""
    return (wide(x) * wide(y)).sum(tuple(range(1, x.ndim)))


def _along(x: Any, y: Any) -> Any:
    return (wide(x) * wide(y) - wide(y)).sum((0, 2, x.ndim - 1))


def cases() -> Iterator[Case]:
    for rank in _RANKS:
        arguments = partial(_arguments, rank)
        yield from cases_of_idioms(
            (
                Idiom(f"broadcast_{rank}_rows", "mul", _each, arguments, _ROWS),
                Idiom(f"broadcast_{rank}_columns", "mul", _along, arguments, _WHOLE),
            )
        )

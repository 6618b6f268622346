"""Cases whose arguments are given by seeds."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from vintage_jax.produce.case import Prepared
from vintage_python.producing.seeded_inputs import SeededInput

DTYPES = {"f32": "float32", "f64": "float64", "bf16": "bfloat16", "i32": "int32"}


@dataclass(frozen=True)
class Seeded:
    """An array to be: a leaf of a tree of arguments."""

    shape: tuple[int, ...]
    dtype: str  # "f32", "f64", "bf16", "i32"
    input: SeededInput


def seeded(
    dtype: str, *shape: int, seed: int = 1, low: int = -8, high: int = 8, exponent: int = 0
) -> Seeded:
    """By default integers in floats, so that sums of them are exact in whatever order."""
    return Seeded(shape, dtype, SeededInput(seed, low, high, exponent))


def prepared(function: Any, arguments: tuple[Any, ...]) -> Prepared:
    """`arguments`: trees of Seeded."""
    arrays = jax.tree_util.tree_map(
        lambda leaf: leaf.input.elements(getattr(jnp, DTYPES[leaf.dtype]), leaf.shape), arguments
    )
    leaves = jax.tree_util.tree_leaves(arguments)
    return Prepared(function, arrays, seeds=tuple(leaf.input for leaf in leaves))

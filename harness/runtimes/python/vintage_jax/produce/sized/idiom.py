"""An idiom, its sizes, and the cases that they make."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax.numpy as jnp

from vintage_jax.produce.case import Case
from vintage_jax.produce.seeded_case import Seeded, prepared

Sizes = Mapping[str, tuple[int, ...]]  # By dtype.

# For functions with an output for each row.
ROWS: Sizes = {
    "f32": (1, 8193, 32769, 65537),
    "f64": (255, 16385),
    "bf16": (4095,),
    "i32": (16385,),
}
FLOAT_ROWS: Sizes = {dtype: sizes for dtype, sizes in ROWS.items() if dtype != "i32"}
# For functions whose output is small, whatever comes in.
WHOLE: Sizes = {
    "f32": (1, 255, 8193, 65537, 1_000_000),
    "f64": (7, 16385),
    "bf16": (32769,),
    "i32": (32769,),
}
FLOAT_WHOLE: Sizes = {dtype: sizes for dtype, sizes in WHOLE.items() if dtype != "i32"}
# For functions that take longer, or have several outputs a row.
FEW: Sizes = {"f32": (7, 4095, 16385), "f64": (8193,), "i32": (255,)}
FEW_FLOATS: Sizes = {dtype: sizes for dtype, sizes in FEW.items() if dtype != "i32"}


@dataclass(frozen=True)
class Idiom:
    name: str
    primitive: str
    function: Callable[..., Any]
    arguments: Callable[[int, str], tuple[Seeded, ...]]  # Of a size and a dtype.
    sizes: Sizes


def wide(x: Any) -> Any:
    """bf16 as f32, anything else as it is."""
    return x.astype(jnp.float32) if x.dtype == jnp.bfloat16 else x


def _prepare(idiom: Idiom, size: int, dtype: str) -> Any:
    return prepared(idiom.function, idiom.arguments(size, dtype))


def cases_of_idioms(idioms: Iterable[Idiom]) -> Iterator[Case]:
    for idiom in idioms:
        for dtype, sizes in idiom.sizes.items():
            for size in sizes:
                yield Case(
                    f"sized:{idiom.name}_{dtype}_n{size}",
                    idiom.primitive,
                    partial(_prepare, idiom, size, dtype),
                    platforms=(("cpu",),),
                )

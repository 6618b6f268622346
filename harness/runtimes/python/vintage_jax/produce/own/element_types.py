"""Keys, types of eight bits and fewer, arrays without elements, no inputs, no outputs."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from vintage_jax.produce.case import Case, Prepared


def _key(seed: int, implementation: str) -> Any:
    return jax.random.key(seed, impl=implementation)


def _keys() -> Iterator[tuple[str, Callable[[], Prepared]]]:
    for implementation in ("threefry2x32", "rbg", "unsafe_rbg"):
        yield f"split_{implementation}", lambda i=implementation: Prepared(
            lambda key: jax.random.split(key, 3), (_key(7, i),))  # type: ignore[misc]  # fmt: skip
        yield f"bits_{implementation}", lambda i=implementation: Prepared(
            lambda key: jax.random.bits(key, (4,)), (_key(7, i),))  # type: ignore[misc]  # fmt: skip
    yield "fold_in", lambda: Prepared(jax.random.fold_in, (_key(7, "threefry2x32"), 3))


def _narrow(name: str) -> Prepared:
    """To a type of eight bits or fewer, and what it holds seen as float32."""
    dtype = getattr(jnp, name)
    values = np.array([[0, 1, 2], [3, 4, 6]], np.float32).astype(dtype)
    return Prepared(lambda x: (x, x.astype(jnp.float32) * 2), (values,))


_NARROW = (
    "int2", "int4", "uint2", "uint4", "float4_e2m1fn", "float8_e3m4", "float8_e4m3",
    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float8_e8m0fnu",
)  # fmt: skip


def _sizes() -> Iterator[tuple[str, Callable[[], Prepared]]]:
    empty = np.zeros((0, 3), np.float32)
    yield "sin_of_nothing", lambda: Prepared(jnp.sin, (empty,))
    yield "sum_of_nothing", lambda: Prepared(lambda x: x.sum(0), (empty,))
    yield "sort_of_nothing", lambda: Prepared(lambda x: jnp.sort(x, 0), (empty,))
    yield "no_input", lambda: Prepared(lambda: jnp.arange(5), ())
    yield "no_output", lambda: Prepared(lambda x: (), (empty,))
    yield "unused_input", lambda: Prepared(lambda x, y: y + 1, (empty, np.float32(2)))
    yield (
        "nested",
        lambda: Prepared(
            lambda tree: {"sum": tree["a"] + tree["b"][0], "rest": tree["b"][1]},
            ({"a": np.float32(1), "b": (np.float32(2), np.ones(2, np.int8))},),
        ),
    )


def cases() -> Iterator[Case]:
    for name, prepare in _keys():
        yield Case(f"own:key/{name}", "random_bits", prepare)
    for name in _NARROW:
        yield Case(f"own:narrow/{name}", "convert_element_type", partial(_narrow, name))
    for name, prepare in _sizes():
        yield Case(f"own:size/{name}", "shape", prepare)

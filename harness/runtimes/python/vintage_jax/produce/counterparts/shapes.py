"""Functions that move elements."""

from __future__ import annotations

from typing import Any

from jax import lax

from vintage_jax.produce.counterparts.use import Counterpart, Use, dtype_name


def typed(text: str) -> tuple[str, tuple[int, ...]]:
    """ "f32[2,3]" at the beginning of a label."""
    name, _, rest = text.partition("[")
    return dtype_name(name), tuple(int(size) for size in rest.partition("]")[0].split(",") if size)


def _reshape(use: Use) -> Any:
    sizes = () if use.field("new") == "scalar" else use.sizes("new")
    order = use.sizes("dimensions") if use.has("dimensions") else None
    return lambda x: lax.reshape(x, sizes, order)


def _dimensions(use: Use) -> Any:
    dimensions = () if use.field("dims") == "none" else use.sizes("dims")
    return lambda x: getattr(lax, use.primitive)(x, dimensions)


def _pad(use: Use) -> Any:
    edges = list(zip(use.sizes("low"), use.sizes("high"), use.sizes("interior"), strict=True))
    return lambda x, value: lax.pad(x, value, edges)


def _iota(use: Use) -> Any:
    dtype, shape = typed(use.label)
    return lambda: lax.broadcasted_iota(dtype, shape, int(use.field("dimension")))


COUNTERPARTS: dict[str, Counterpart] = {
    "squeeze": _dimensions,
    "expand_dims": _dimensions,
    "rev": _dimensions,
    "broadcast_in_dim": lambda use: (
        lambda x: lax.broadcast_in_dim(x, use.sizes("shape"), use.sizes("dims"))
    ),
    "reshape": _reshape,
    "transpose": lambda use: lambda x: lax.transpose(x, use.sizes("permutation")),
    "slice": lambda use: (
        lambda x: lax.slice(x, use.sizes("start"), use.sizes("limit"), use.sizes("strides"))
    ),
    "concatenate": lambda use: lambda *x: lax.concatenate(x, int(use.field("dim"))),
    "split": lambda use: lambda x: lax.split(x, use.sizes("sizes"), int(use.field("axis"))),
    "pad": _pad,
    "iota": _iota,
}

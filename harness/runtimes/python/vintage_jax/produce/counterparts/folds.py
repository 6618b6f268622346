"""Reductions, windows, running folds, sorts."""

import importlib
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax import windowed_reductions

from vintage_jax.produce.counterparts.use import Counterpart, Use


def _reduce(use: Use) -> Any:
    axes = use.sizes("axes")
    primitive = getattr(lax, f"{use.primitive}_p")
    by_name = getattr(importlib.import_module("jax._src.lax.lax"), f"_{use.primitive}", None)
    if by_name is not None:  # It knows the parameters that came later.
        return lambda x: by_name(x, axes)
    return lambda x: primitive.bind(x, axes=axes)


def _operator(name: str) -> Any:
    return getattr(lax, {"xor": "bitwise_xor"}.get(name, name))


def _identity(name: str, dtype: str) -> Any:
    if name in ("add", "xor"):
        return np.zeros((), dtype)
    found = jnp.dtype(dtype)
    if found.kind == "b":
        return np.array(name == "min", found)
    if jnp.issubdtype(found, np.inexact):
        return np.array(-np.inf if name == "max" else np.inf, found)
    limits = jnp.iinfo(found)
    return np.array(limits.min if name == "max" else limits.max, found)


def _pair(use: Use) -> Any:
    """Two folds in one pass."""
    first, second = use.field("computation").split("-")
    start = (_identity(first, use.dtype), _identity(second, "int32"))
    if np.dtype(start[0].dtype).kind == "c":
        return None  # An extreme of complex numbers has no one way to be written.

    def fold(left: Any, right: Any) -> Any:
        return _operator(first)(left[0], right[0]), _operator(second)(left[1], right[1])

    return lambda x, y: lax.reduce((x, y), start, fold, (0,))


# Window, strides, low and high padding, dilation of the base and of the window.
_ONES = (1, 1)
_NONE = (0, 0)
_REDUCE_WINDOWS = {
    "valid": ((2, 2), _ONES, _NONE, _NONE, _ONES, _ONES),
    "same": ((2, 3), _ONES, (0, 1), (1, 1), _ONES, _ONES),
    "strides": ((2, 2), (1, 2), _NONE, _NONE, _ONES, _ONES),
    "padding": ((2, 2), _ONES, (1, 2), (1, 1), _ONES, _ONES),
    "base_dilation": ((2, 2), _ONES, _NONE, _NONE, (2, 3), _ONES),
    "window_dilation": ((2, 2), _ONES, _NONE, _NONE, _ONES, (2, 2)),
}
_SCATTER_WINDOWS = {
    "apart": ((2, 2), (2, 2), _NONE, _NONE),
    "overlapping": ((2, 3), _ONES, _NONE, _NONE),
    "padding": ((2, 2), (2, 2), (0, 1), _NONE),
}
_GATHER_WINDOWS = {
    "apart": ((2, 3), (2, 3), _NONE, _NONE, _ONES, _ONES),
    "overlapping": ((2, 2), _ONES, _NONE, _NONE, _ONES, _ONES),
    "padding": ((2, 2), (1, 2), (1, 0), (0, 1), _ONES, _ONES),
    "base_dilation": ((3, 3), _ONES, _NONE, _NONE, (2, 2), _ONES),
    "window_dilation": ((2, 2), _ONES, _NONE, _NONE, _ONES, (2, 2)),
}


def _edges(low: tuple[int, ...], high: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    return tuple(zip(low, high, strict=True))


def _reduce_window(use: Use) -> Any:
    window, strides, low, high, base, dilation = _REDUCE_WINDOWS[use.label]
    name = use.primitive.removeprefix("reduce_window_")
    start: Any = np.ones((), use.dtype) if name == "mul" else _identity(name, use.dtype)
    return lambda x: lax.reduce_window(
        x, start, _operator(name), window, strides, _edges(low, high), base, dilation
    )


def _select(use: Use) -> Any:
    return getattr(lax, f"{use.field('select')}_p")


def _scatter(use: Use) -> Any:
    window, strides, low, high = _SCATTER_WINDOWS[use.label.partition("_select")[0]]
    return lambda operand, source: windowed_reductions.select_and_scatter_add_p.bind(
        source, operand, select_prim=_select(use), window_dimensions=window,
        window_strides=strides, padding=_edges(low, high)
    )  # fmt: skip


def _gather(use: Use) -> Any:
    window, strides, low, high, base, dilation = _GATHER_WINDOWS[use.label.partition("_select")[0]]
    return lambda tangents, operand: windowed_reductions.select_and_gather_add_p.bind(
        tangents, operand, select_prim=_select(use), window_dimensions=window,
        window_strides=strides, padding=_edges(low, high), base_dilation=base,
        window_dilation=dilation
    )  # fmt: skip


def _approx_top_k(use: Use) -> Any:
    function = lax.approx_max_k if use.flag("max") else lax.approx_min_k
    return lambda x: function(
        x, int(use.field("k")), reduction_dimension=int(use.field("dimension"))
    )


_FOLDS = ("sum", "prod", "max", "min", "and", "or", "xor")
_WINDOWS = ("add", "mul", "max", "min")
_CUMULATIVE = ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")

COUNTERPARTS: dict[str, Counterpart] = {
    **dict.fromkeys([f"reduce_{name}" for name in _FOLDS], _reduce),
    **dict.fromkeys([f"reduce_window_{name}" for name in _WINDOWS], _reduce_window),
    **dict.fromkeys(
        _CUMULATIVE,
        lambda use: lambda x: getattr(lax, use.primitive)(
            x, axis=int(use.field("axis")), reverse=use.flag("reverse")
        ),
    ),
    **dict.fromkeys(
        ["argmax", "argmin"],
        lambda use: lambda x: getattr(lax, use.primitive)(
            x, int(use.field("axis")), use.field("index")
        ),
    ),
    "reduce": _pair,
    "select_and_scatter_add": _scatter,
    "select_and_gather_add": _gather,
    "sort": lambda use: lambda *x: lax.sort(
        x if len(x) > 1 else x[0], dimension=int(use.field("dimension")),
        is_stable=use.label.endswith("_stable"), num_keys=int(use.field("keys").split("_")[0])
    ),
    "top_k": lambda use: lambda x: lax.top_k(x, int(use.field("k"))),
    "approx_top_k": _approx_top_k,
}  # fmt: skip

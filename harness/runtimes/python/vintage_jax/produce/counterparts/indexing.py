"""Functions that move elements: shapes, slices, gather, scatter; and products."""

from typing import Any

import jax.numpy as jnp
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


# For each use: slice sizes; offset and collapsed dimensions; the batch dimensions of the operand
# and of the indices; and the dimension to which each index points.
_INDEXING: dict[str, tuple[tuple[int, ...], ...]] = {
    "points": ((1,), (), (0,), (), (), (0,)),
    "windows": ((2,), (1,), (), (), (), (0,)),
    "rows": ((1, 3), (1,), (0,), (), (), (0,)),
    "pairs": ((1, 1), (), (0, 1), (), (), (0, 1)),
    "columns": ((3, 1), (1,), (1,), (), (), (1,)),
    "batched": ((1, 1), (), (1,), (0,), (0,), (1,)),
}
_MODES = {"clip": "clip", "fill": "fill", "promise": "promise_in_bounds"}


def _indexing(use: Use) -> tuple[tuple[int, ...], ...]:
    return _INDEXING[use.label.partition("_")[0]]


def _batching(**dimensions: Any) -> dict[str, Any]:
    """Releases up to 0.4.31 have no batching dimensions, and need none to be empty."""
    return dimensions if any(dimensions.values()) else {}


def _gather(use: Use) -> Any:
    sizes, offset, collapsed, operand_batch, index_batch, starts = _indexing(use)
    numbers = lax.GatherDimensionNumbers(
        offset_dims=offset, collapsed_slice_dims=collapsed, start_index_map=starts,
        **_batching(operand_batching_dims=operand_batch, start_indices_batching_dims=index_batch)
    )  # fmt: skip
    mode = _MODES[use.field("mode")]
    return lambda x, indices: lax.gather(x, indices, numbers, sizes, mode=mode)


def _scatter(use: Use) -> Any:
    _, offset, collapsed, operand_batch, index_batch, starts = _indexing(use)
    numbers = lax.ScatterDimensionNumbers(
        update_window_dims=offset, inserted_window_dims=collapsed,
        scatter_dims_to_operand_dims=starts,
        **_batching(
            operand_batching_dims=operand_batch, scatter_indices_batching_dims=index_batch
        )
    )  # fmt: skip
    return lambda x, indices, updates: getattr(lax, use.primitive)(
        x, indices, updates, numbers, mode=_MODES[use.field("mode")],
        indices_are_sorted=use.flag("sorted"), unique_indices=use.flag("unique")
    )  # fmt: skip


def _scalars(starts: Any) -> list[Any]:
    """Each index by itself, with as few operations as there can be."""
    return [lax.squeeze(lax.slice(starts, (i,), (i + 1,)), (0,)) for i in range(starts.shape[0])]


# Batch and contracting dimensions, by the shapes that a label does not repeat.
_BATCHES: dict[Any, tuple[tuple[int, ...], tuple[int, ...]]] = {
    ((3, 4, 4), (3, 4, 4)): ((0,), (0,)),
    ((3, 2, 4), (5, 4, 3)): ((0,), (2,)),
}


def _dot_general(use: Use) -> Any:
    contracting = tuple(
        tuple(int(i) for i in side.split("-") if i) for side in use.field("contract").split("x")
    )
    shapes = (use.arguments[0].shape, use.arguments[1].shape)
    numbers = (contracting, _BATCHES.get(shapes, ((), ())))
    precision = use.field("precision").lower() if use.has("precision") else None
    return lambda x, y: lax.dot_general(
        x, y, numbers, precision=precision, preferred_element_type=_preferred(use)
    )


def _preferred(use: Use) -> Any:
    name = use.label.partition("_preferred=")[2]
    return jnp.dtype(name) if name else None


_LAYOUTS = {
    "nhwc": ("NHWC", "HWIO", "NHWC"), "nchw": ("NCHW", "OIHW", "NCHW"), "nwc": ("NWC", "WIO", "NWC")
}  # fmt: skip
# Strides, low and high padding, dilation of the input and the kernel, groups of features and
# of batches.
_CONVOLUTIONS: dict[str, tuple[Any, ...]] = {
    "plain": ((1, 1), (0, 0), (0, 0), (1, 1), (1, 1), 1, 1),
    "padding": ((1, 1), (1, 2), (1, 0), (1, 1), (1, 1), 1, 1),
    "strides": ((2, 3), (0, 0), (0, 0), (1, 1), (1, 1), 1, 1),
    "input_dilation": ((1, 1), (1, 2), (1, 2), (2, 2), (1, 1), 1, 1),
    "kernel_dilation": ((1, 1), (0, 0), (0, 0), (1, 1), (2, 3), 1, 1),
    "feature_groups": ((1, 1), (0, 0), (0, 0), (1, 1), (1, 1), 2, 1),
    "depthwise": ((1, 1), (0, 0), (0, 0), (1, 1), (1, 1), 3, 1),
    "batch_groups": ((1, 1), (0, 0), (0, 0), (1, 1), (1, 1), 1, 2),
    "line": ((2,), (1,), (1,), (1,), (1,), 1, 1),
}


def _convolution(use: Use) -> Any:
    words = use.label.split("_precision=")[0].split("_preferred=")[0]
    name, _, layout = words.rpartition("_")
    strides, low, high, base, dilation, features, batches = _CONVOLUTIONS[name]
    precision = use.field("precision").lower() if use.has("precision") else None
    return lambda x, kernel: lax.conv_general_dilated(
        x, kernel, strides, tuple(zip(low, high, strict=True)), base, dilation, _LAYOUTS[layout],
        features, batches, precision=precision, preferred_element_type=_preferred(use)
    )  # fmt: skip


def _fft(use: Use) -> Any:
    kind, lengths = use.label.partition("_")[0], use.sizes("lengths")
    return lambda x: lax.fft(x, kind, lengths)


COUNTERPARTS: dict[str, Counterpart] = {
    **dict.fromkeys(["squeeze", "expand_dims", "rev"], _dimensions),
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
    **dict.fromkeys(
        ["scatter", "scatter_add", "scatter_mul", "scatter_min", "scatter_max"], _scatter
    ),
    "gather": _gather,
    "dynamic_slice": lambda use: (
        lambda x, starts: lax.dynamic_slice(x, _scalars(starts), use.sizes("sizes"))
    ),
    "dynamic_update_slice": lambda use: (
        lambda x, update, starts: lax.dynamic_update_slice(x, update, _scalars(starts))
    ),
    "dot_general": _dot_general,
    "conv_general_dilated": _convolution,
    "fft": _fft,
    "ragged_dot_general": lambda use: lax.ragged_dot,
}

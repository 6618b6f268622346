"""Executes a serialized Exported, as those do who archive them: deserialize and call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from vintage_jax.release import (
    call_exported,
    deserialize,
    platforms_of,
)
from vintage_jax.worker.placement import Placement, devices_of
from vintage_python.worker.elements import Array
from vintage_python.worker.outcome import Progress, UnsupportedError, first_sentence

# How releases word that an artifact is too old for their own windows.
_EXPIRED = ("backward-compatibility window", "compatibility window and cannot be")


def load(data: bytes) -> Any:
    try:
        return deserialize(data)
    except ValueError as problem:
        if any(words in str(problem) for words in _EXPIRED):
            raise UnsupportedError(f"expired: {first_sentence(str(problem))}") from problem
        raise


def run_exported(
    data: bytes, inputs: Sequence[Array], platform: str, progress: Progress
) -> list[Array]:
    with progress.timed("load", "load"):
        exported = load(data)
        if platform not in platforms_of(exported):
            raise UnsupportedError(
                f"the artifact is for {', '.join(platforms_of(exported))}, not for {platform}"
            )
        devices_of(platform, getattr(exported, "nr_devices", 1))
        own = len(exported.in_avals)
        derivative = None
        if len(inputs) != own:
            if len(inputs) != own + len(exported.out_avals):
                raise ValueError(f"{len(inputs)} inputs came, and the artifact takes {own}")
            derivative = exported.vjp()
    outputs = call(exported, inputs[:own], platform, progress)
    if derivative is not None:
        outputs += call(derivative, inputs, platform, progress)
    return outputs


def call(exported: Any, inputs: Sequence[Array], platform: str, progress: Progress) -> list[Array]:
    progress.stage = "load"
    arguments = [_argument(a, aval) for a, aval in zip(inputs, exported.in_avals, strict=True)]
    options: dict[str, Any] = {}
    if getattr(exported, "nr_devices", 1) > 1:
        placement = Placement(exported, platform)
        arguments = placement.place(arguments)
        options["out_shardings"] = jax.tree_util.tree_unflatten(
            exported.out_tree, placement.outputs
        )
    args, kwargs = jax.tree_util.tree_unflatten(exported.in_tree, arguments)
    with progress.timed("verify", "compile"):
        lowered = jax.jit(call_exported(exported), **options).lower(*args, **kwargs)
    with progress.timed("compile", "compile"):
        compiled = lowered.compile()
    with progress.timed("run", "run"):
        results = compiled(*args, **kwargs)
        jax.block_until_ready(results)
        return [_result(leaf) for leaf in jax.tree_util.tree_leaves(results)]


def _argument(array: Array, aval: Any) -> Any:
    """An input as the artifact takes it: keys and float0 travel as what carries them."""
    if aval.dtype == jax.dtypes.float0:
        return np.zeros(array.shape, jax.dtypes.float0)
    if _is_key(aval.dtype):
        return jax.random.wrap_key_data(array, impl=aval.dtype._impl.name)
    return array


def _result(leaf: Any) -> Array:
    if leaf.dtype == jax.dtypes.float0:
        return np.zeros(leaf.shape, np.bool_)
    if _is_key(leaf.dtype):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf)


def _is_key(dtype: Any) -> bool:
    extended = getattr(jax.dtypes, "prng_key", None)
    return extended is not None and bool(jax.dtypes.issubdtype(dtype, extended))

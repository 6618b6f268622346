"""What this release computes on the CPU: the outputs that are recorded."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from vintage_jax.produce.case import Prepared
from vintage_python.worker.elements import Array


def carried(leaf: Any) -> Array:
    """A value as archives hold it: keys as their words, float0 as predicates."""
    if not hasattr(leaf, "dtype"):
        leaf = np.asarray(leaf)
    if leaf.dtype == jax.dtypes.float0:
        return np.zeros(leaf.shape, np.bool_)
    extended = getattr(jax.dtypes, "prng_key", None)
    if extended is not None and jax.dtypes.issubdtype(leaf.dtype, extended):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf)


def inputs_of(prepared: Prepared) -> list[Array]:
    # As tracing does it: Python's numbers become arrays of JAX's default dtype.
    leaves = jax.tree_util.tree_leaves((prepared.arguments, prepared.cotangents or ()))
    return [carried(leaf if hasattr(leaf, "dtype") else jax.numpy.asarray(leaf)) for leaf in leaves]


def outputs_of(prepared: Prepared) -> list[Array]:
    """What the function gives, and after it what its derivative gives."""
    with jax.default_device(jax.devices("cpu")[0]):
        function = jax.jit(prepared.function)
        results = jax.tree_util.tree_leaves(function(*prepared.arguments))
        if prepared.cotangents is not None:
            _, pullback = jax.vjp(prepared.function, *prepared.arguments)
            tree = jax.tree_util.tree_structure(function(*prepared.arguments))
            cotangents = jax.tree_util.tree_unflatten(tree, prepared.cotangents)
            results += jax.tree_util.tree_leaves(pullback(cotangents))
        return [carried(leaf) for leaf in results]

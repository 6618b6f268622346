"""Values of JAX as the arrays that an artifact takes and gives."""

from collections.abc import Iterable
from typing import Any


def leaves(tree: Any) -> list[Any]:
    import jax

    return list(jax.tree_util.tree_leaves(tree))


def are_concrete(values: Iterable[Any]) -> bool:
    """Not only shapes and types (jax.ShapeDtypeStruct)."""
    return all(_is_concrete(value) for value in values)


def _is_concrete(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex)) or hasattr(value, "__array__")


def as_arrays(values: Iterable[Any], types: Iterable[Any]) -> list[Any]:
    """Each value as a NumPy array of the type that the artifact says."""
    return [_as_array(value, kind) for value, kind in zip(values, types, strict=True)]


def _as_array(value: Any, kind: Any) -> Any:
    import jax
    import numpy

    dtype = getattr(kind, "dtype", None)
    if dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        return numpy.asarray(jax.random.key_data(value))
    if dtype == jax.dtypes.float0:
        return numpy.zeros(numpy.shape(value), dtype=bool)
    return numpy.asarray(value) if dtype is None else numpy.asarray(value).astype(dtype)


def typed(array: Any, name: str) -> Any:
    """An array that NumPy read as raw bytes, as the dtype that it is of (bfloat16, …)."""
    if array.dtype.kind != "V" and array.dtype.name == name:
        return array
    import ml_dtypes
    import numpy

    kind = getattr(ml_dtypes, name, None)
    if kind is None or numpy.dtype(kind).itemsize != array.dtype.itemsize:
        return array
    return array.view(kind)

"""Arrays as they travel: StableHLO's names of element types, and their bytes.

Types below eight bits take one byte an element: integers as the extended
value, floats as the bit pattern in the low bits.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# StableHLO's name, and NumPy's or that of ml_dtypes.
_NAMES = {
    "i1": "bool", "i2": "int2", "i4": "int4", "i8": "int8", "i16": "int16", "i32": "int32",
    "i64": "int64", "ui2": "uint2", "ui4": "uint4", "ui8": "uint8", "ui16": "uint16",
    "ui32": "uint32", "ui64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32",
    "f64": "float64", "complex<f32>": "complex64", "complex<f64>": "complex128",
    "f4E2M1FN": "float4_e2m1fn", "f6E2M3FN": "float6_e2m3fn", "f6E3M2FN": "float6_e3m2fn",
    "f8E3M4": "float8_e3m4", "f8E4M3": "float8_e4m3", "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
    "f8E4M3FN": "float8_e4m3fn", "f8E4M3FNUZ": "float8_e4m3fnuz", "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz", "f8E8M0FNU": "float8_e8m0fnu",
}  # fmt: skip
_SPELLED = {dtype: name for name, dtype in _NAMES.items()}
# Integers of less than eight bits travel as these; floats keep that many low bits.
_EXTENDED = {"int2": np.int8, "int4": np.int8, "uint2": np.uint8, "uint4": np.uint8}
_LOW_BITS = {"float4_e2m1fn": 0x0F, "float6_e2m3fn": 0x3F, "float6_e3m2fn": 0x3F}


class UnknownElementError(Exception):
    """An element type that this release has not."""


@cache
def dtype_of(name: str) -> np.dtype[Any]:
    """NumPy's dtype of one of StableHLO's names."""
    if name not in _NAMES:
        raise UnknownElementError(f"the element type {name} is not known")
    try:
        return np.dtype(_NAMES[name])
    except TypeError:
        pass
    import ml_dtypes

    scalar: Any = getattr(ml_dtypes, _NAMES[name], None)
    if scalar is None:
        version = getattr(ml_dtypes, "__version__", "here")
        raise UnknownElementError(f"ml_dtypes {version} has no element type {name}")
    dtype: np.dtype[Any] = np.dtype(scalar)
    return dtype


def spelled(dtype: np.dtype[Any]) -> str:
    """StableHLO's name of a dtype."""
    if dtype.name not in _SPELLED:
        raise UnknownElementError(f"an array of {dtype.name} has no form in the protocol")
    return _SPELLED[dtype.name]


def read_array(described: dict[str, Any], payload: bytes) -> Array:
    """As a header describes it."""
    name, shape = described["dtype"], described["shape"]
    dtype = dtype_of(name)
    travels = np.dtype(_EXTENDED.get(dtype.name, dtype))
    expected = math.prod(shape) * travels.itemsize
    if len(payload) != expected:
        raise ValueError(f"{name}{shape} came with {len(payload)} bytes and takes {expected}")
    if not payload:
        return np.zeros(shape, dtype)
    flat = np.frombuffer(payload, travels)
    return flat.astype(dtype, copy=False).reshape(tuple(shape))


def write_array(array: Array) -> bytes:
    name = array.dtype.name
    if name in _EXTENDED:
        return array.astype(_EXTENDED[name]).tobytes()
    if name in _LOW_BITS:
        return (np.ascontiguousarray(array).view(np.uint8) & _LOW_BITS[name]).tobytes()
    return np.ascontiguousarray(array).tobytes()


def describe_arrays(arrays: Sequence[Array]) -> list[dict[str, Any]]:
    return [{"dtype": spelled(a.dtype), "shape": list(a.shape)} for a in arrays]

"""How near two platforms' results are, in the terms of the results' own types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# Of the largest magnitude in an array, and of each element by itself: what rounding in another
# order gives over the few hundred operations of a harness.
_TOLERANCES = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 5e-5,
    "float64": 1e-11,
    "complex64": 5e-5,
    "complex128": 1e-11,
}
_NARROW_FLOATS = 0.13  # One step of the coarsest, float8_e5m2, half of it and rounding.


@dataclass(frozen=True)
class Comparison:
    difference: str = ""  # Empty: the same within the tolerance of their type.
    # The largest distance, in units of the type's epsilon times the larger of the element and
    # the largest magnitude of its array.
    epsilons: float = 0.0


def tolerance_of(dtype: Any) -> float:
    name = str(dtype)
    if name.startswith(("float8", "float4")):
        return _NARROW_FLOATS
    return _TOLERANCES.get(name, 0.0)


def compare(engine: Any, reference: Any) -> Comparison:
    if engine.shape != reference.shape or engine.dtype != reference.dtype:
        return Comparison(
            f"{engine.dtype}{list(engine.shape)} instead of "
            f"{reference.dtype}{list(reference.shape)}"
        )
    if reference.size == 0:
        return Comparison()
    if tolerance_of(reference.dtype) > 0:
        return _compare_inexact(engine, reference)
    unequal = np.asarray(engine != reference)
    return Comparison(_first_of(unequal, engine, reference) if unequal.any() else "")


def _first_of(wrong: Any, engine: Any, reference: Any) -> str:
    places = np.argwhere(wrong)
    at = tuple(int(i) for i in places[0])
    return (
        f"{len(places)} of {reference.size} elements differ, the first at {list(at)}: "
        f"{engine[at]} instead of {reference[at]}"
    )


def _epsilon(dtype: Any) -> float:
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype).eps)


def _wide(array: Any) -> Any:
    kind = np.complex128 if np.iscomplexobj(array) else np.float64
    return np.asarray(array).astype(kind)


def _compare_inexact(engine: Any, reference: Any) -> Comparison:
    ours, theirs = _wide(engine), _wide(reference)
    with np.errstate(all="ignore"):
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        finite = np.isfinite(ours) & np.isfinite(theirs)
        scale = np.max(np.abs(theirs[np.isfinite(theirs)]), initial=0.0)
        size = np.maximum(np.abs(theirs), scale)
        distance = np.abs(ours - theirs)
        # XLA's CPU flushes denormals to zero.
        flushed = 2.3e-308 if "64" in str(reference.real.dtype) else 1.2e-38
        near = finite & (distance <= tolerance_of(reference.dtype) * size + flushed)
        counted = finite & ~same & (distance > flushed)
        epsilons = distance[counted] / (size[counted] * _epsilon(reference.dtype))
    wrong = ~(same | near)
    return Comparison(
        _first_of(wrong, ours, theirs) if wrong.any() else "",
        float(np.max(epsilons, initial=0.0)),
    )

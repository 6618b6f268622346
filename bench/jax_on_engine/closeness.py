"""The distance of two platforms' results, in units of the results' own types."""

from dataclasses import dataclass
from typing import Any

import numpy as np

# In epsilons of the type: the effect of rounding in another order over the few hundred operations
# of a harness. Half precision and XLA's wider intermediate values differ by a few.
_WIDE, _HALF, _NARROW = 16, 4, 1


@dataclass(frozen=True)
class Comparison:
    difference: str = ""  # Empty: the same within the tolerance of their type.
    # The largest distance, in units of the type's epsilon times the larger of the element and
    # the largest magnitude of its array.
    epsilons: float = 0.0


def _epsilon(dtype: Any) -> float:
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype).eps)


def allowed_epsilons(dtype: Any) -> int:
    """0 for types that are compared exactly."""
    name = str(dtype)
    if name.startswith(("float8_", "float6_", "float4_")):
        return _NARROW
    if name in ("float16", "bfloat16"):
        return _HALF
    return _WIDE if name.startswith(("float", "complex")) else 0


def compare(engine: Any, reference: Any) -> Comparison:
    if engine.shape != reference.shape or engine.dtype != reference.dtype:
        return Comparison(
            f"{engine.dtype}{list(engine.shape)} instead of "
            f"{reference.dtype}{list(reference.shape)}"
        )
    if reference.size == 0:
        return Comparison()
    if allowed_epsilons(reference.dtype) > 0:
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
        unit = _epsilon(reference.dtype)
        allowed = allowed_epsilons(reference.dtype) * unit
        near = finite & (distance <= allowed * size + flushed)
        counted = finite & ~same & (distance > flushed)
        epsilons = distance[counted] / (size[counted] * unit)
    wrong = ~(same | near)
    return Comparison(
        _first_of(wrong, ours, theirs) if wrong.any() else "",
        float(np.max(epsilons, initial=0.0)),
    )

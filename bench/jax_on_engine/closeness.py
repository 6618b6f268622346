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
class Difference:
    what: str


def tolerance_of(dtype: Any) -> float:
    name = str(dtype)
    if name.startswith(("float8", "float4")):
        return _NARROW_FLOATS
    return _TOLERANCES.get(name, 0.0)


def _is_inexact(dtype: Any) -> bool:
    return tolerance_of(dtype) > 0


def difference(engine: Any, reference: Any) -> Difference | None:
    """None where both are the same within the tolerance of their type."""
    if engine.shape != reference.shape or engine.dtype != reference.dtype:
        return Difference(
            f"{engine.dtype}{list(engine.shape)} instead of "
            f"{reference.dtype}{list(reference.shape)}"
        )
    if not _is_inexact(reference.dtype):
        unequal = np.argwhere(np.asarray(engine != reference))
        if not len(unequal):
            return None
        at = tuple(int(i) for i in unequal[0])
        return Difference(
            f"{len(unequal)} of {reference.size} elements differ, the first at {list(at)}: "
            f"{engine[at]} instead of {reference[at]}"
        )
    return _inexact_difference(engine, reference)


def _wide(array: Any) -> Any:
    kind = np.complex128 if np.iscomplexobj(array) else np.float64
    return np.asarray(array).astype(kind)


def _inexact_difference(engine: Any, reference: Any) -> Difference | None:
    if reference.size == 0:
        return None
    tolerance = tolerance_of(reference.dtype)
    ours, theirs = _wide(engine), _wide(reference)
    with np.errstate(all="ignore"):
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        finite = np.isfinite(ours) & np.isfinite(theirs)
        scale = np.max(np.abs(theirs[np.isfinite(theirs)]), initial=0.0)
        distance = np.abs(ours - theirs)
        # XLA's CPU flushes denormals to zero.
        tiny = float(np.finfo(np.float32).tiny) if "64" not in str(reference.dtype) else 2.3e-308
        near = finite & (distance <= tolerance * np.maximum(np.abs(theirs), scale) + tiny)
    wrong = np.argwhere(~(same | near))
    if not len(wrong):
        return None
    at = tuple(int(i) for i in wrong[0])
    return Difference(
        f"{len(wrong)} of {reference.size} elements differ, the first at {list(at)}: "
        f"{ours[at]} instead of {theirs[at]}"
    )

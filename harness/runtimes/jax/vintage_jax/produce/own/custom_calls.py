"""Calls of targets that no release guarantees: the check is switched off."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import numpy as np

from vintage_jax.produce.case import Case, Prepared


def _unknown_target() -> Prepared:
    """A target that no runtime has: what it computes is not known."""
    ffi = getattr(jax, "ffi", None) or importlib.import_module("jax.extend.ffi")
    shape = jax.ShapeDtypeStruct((3,), np.float32)
    call = ffi.ffi_call("vintage_unknown_target", shape)
    function = call if callable(call) else partial(
        ffi.ffi_call, "vintage_unknown_target", shape)  # fmt: skip
    return Prepared(function, (np.ones(3, np.float32),))


def _svd_by_qr() -> Prepared:
    """LAPACK's gesvd, which is registered and was not listed for long."""
    algorithm = jax.lax.linalg.SvdAlgorithm.QR

    def values(x: Any) -> Any:
        return jax.lax.linalg.svd(x, compute_uv=False, algorithm=algorithm)

    return Prepared(values, (np.arange(12, dtype=np.float32).reshape(4, 3),))


def cases() -> Iterator[Case]:
    calls: tuple[tuple[str, str, Callable[[], Prepared]], ...] = (
        ("unknown_target", "ffi_call", _unknown_target),
        ("svd_by_qr", "svd", _svd_by_qr),
    )
    for name, primitive, prepare in calls:
        yield Case(f"own:custom_call/{name}", primitive, "", "static", prepare)

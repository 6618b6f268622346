"""Pallas kernels of the kinds in the documents of Pallas, lowered for TPU by Mosaic and for GPUs by
Triton or Mosaic.

The outputs come from JAX's own interpret mode on the CPU. It runs the Python function; the engine
runs the bytes of the artifact. A kernel that a release cannot express is refused with its reason,
as any other case is.
"""

from __future__ import annotations

from vintage_jax.produce.case import Case, cases_of

_MODULES = (
    "elementwise", "products", "reductions", "attention", "memory", "random_bits", "transformed",
    "devices",
)  # fmt: skip


def cases() -> list[Case]:
    return cases_of(__name__, _MODULES)

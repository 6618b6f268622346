"""Inputs that a seed gives, so that nobody has to keep their elements.

Element i is k * 2**exponent, where k is an integer from low to high:

    k = low + word(i) mod (high - low + 1)
    word(i) = the upper 32 bits of output i of SplitMix64 that is started with the seed

The archive computes the same in golden/compare/seeded_inputs.h, which has the sources.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from vintage_python.worker.elements import Array

ALGORITHM = "splitmix64"


@dataclass(frozen=True)
class SeededInput:
    seed: int
    low: int
    high: int
    exponent: int = 0  # -14 to 0; 0 for integers.

    def elements(self, dtype: Any, shape: tuple[int, ...]) -> Array:
        # Every number is a uint64: releases of NumPy differ in what they make of another one.
        outputs = np.arange(1, math.prod(shape) + 1, dtype=np.uint64)
        z = np.uint64(self.seed) + outputs * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        words = (z ^ (z >> np.uint64(31))) >> np.uint64(32)
        k = (words % np.uint64(self.high - self.low + 1)).astype(np.int64) + self.low
        values: Array = k if self.exponent == 0 else k * 2.0**self.exponent
        return values.astype(np.dtype(dtype)).reshape(shape)

    def described(self) -> dict[str, Any]:
        """As meta.json has it."""
        described = {"algorithm": ALGORITHM, "seed": self.seed, "low": self.low, "high": self.high}
        return described | ({"exponent": self.exponent} if self.exponent else {})

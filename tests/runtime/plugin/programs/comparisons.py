"""Pairs of results, and whether bench/jax_on_engine takes each for the same; prints a line each."""

import sys
from pathlib import Path

import ml_dtypes
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "bench/jax_on_engine"))

from closeness import compare
from meaning import same_by_meaning


class Harness:
    def __init__(self, group, **parameters):
        self.group_name, self.params = group, parameters


def same(engine, reference, dtype):
    found = compare(np.asarray(engine, dtype), np.asarray(reference, dtype))
    return not found.difference


def by_meaning(rows, expected, **parameters):
    arrays = [np.array(row) for row in rows], [np.array(row) for row in expected]
    return bool(same_by_meaning(Harness("sort", dimension=0, num_keys=1, **parameters), *arrays))


class TopK(Harness):
    def dyn_args_maker(self, _random):
        return (np.array([3.0, 1.0, 3.0, 2.0]),)


def top_k(places, expected):
    values = np.array([3.0, 3.0])
    arrays = [values, np.array(places)], [values, np.array(expected)]
    return bool(same_by_meaning(TopK("approx_top_k"), *arrays))


EPSILON = float(np.finfo(np.float32).eps)
for name, found in {
    "15 epsilons": same([1 + 15 * EPSILON], [1], np.float32),
    "15 epsilons of float64": same([1 + 15 * 2.0**-52], [1], np.float64),
    "17 epsilons": same([1 + 17 * EPSILON], [1], np.float32),
    "a small element beside a large one": same([1000, 1 + 50 * EPSILON], [1000, 1], np.float32),
    "float64 as exact as float32": same([1 + EPSILON], [1], np.float64),
    "a NaN for a number": same([np.nan], [1], np.float32),
    "two NaNs": same([np.nan, 1], [np.nan, 1], np.float32),
    "infinities of two signs": same([np.inf], [-np.inf], np.float32),
    "a denormal for zero": same([1e-40], [0], np.float32),
    "a denormal of float32 for zero in float64": same([1e-40], [0], np.float64),
    "an imaginary part": same([1 + 1e-3j], [1], np.complex64),
    "integers": same([3], [4], np.int32),
    "the second of two": same([1, 2], [1, 3], np.float32),
    "5 epsilons of bfloat16": same([1 + 5 / 128], [1], ml_dtypes.bfloat16),
    "another shape": not compare(np.zeros((2, 1)), np.zeros((1, 2))).difference,
    "another type": not compare(np.zeros(1, np.int8), np.zeros(1, np.uint8)).difference,
    "equal keys in another order": by_meaning([[1, 1, 2], [5, 4, 6]], [[1, 1, 2], [4, 5, 6]],
                                              is_stable=False),
    "a stable sort in another order": by_meaning([[1, 1, 2], [5, 4, 6]], [[1, 1, 2], [4, 5, 6]],
                                                 is_stable=True),
    "a value at another key": by_meaning([[1, 1, 2], [6, 4, 5]], [[1, 1, 2], [4, 5, 6]],
                                         is_stable=False),
    "places of equal values": top_k([2, 0], [0, 2]),
    "one place twice": top_k([2, 2], [0, 2]),
    "the place of another value": top_k([0, 3], [0, 2]),
}.items():  # fmt: skip
    print(f"{name}: {'same' if found else 'differs'}")

"""Inputs that a seed gives: the producers compute what the archive computes."""

import numpy as np
import pytest

from vintage_python.producing.folder import described
from vintage_python.producing.seeded_inputs import SeededInput

# The first outputs of Vigna's splitmix64.c that is started with SEED, as in
# tests/golden/compare/seeded_inputs_test.cpp.
SEED = 1234567
OUTPUTS = (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
           16408922859458223821)  # fmt: skip


def test_elements_are_the_published_generators_upper_bits():
    elements = SeededInput(SEED, 0, 2**31 - 1).elements("int64", (5,))
    assert elements.tolist() == [(output >> 32) % 2**31 for output in OUTPUTS]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_elements_are_integers_times_a_power_of_two(dtype):
    elements = SeededInput(SEED, -3, 4, -2).elements(dtype, (1, 5))
    assert elements.dtype == np.dtype(dtype)
    assert elements.shape == (1, 5)
    assert elements[0].tolist() == [((output >> 32) % 8 - 3) / 4 for output in OUTPUTS]


def test_the_largest_seed_and_no_elements():
    assert SeededInput(2**64 - 1, 0, 9).elements("int32", (3,)).max() <= 9
    assert SeededInput(1, 0, 9).elements("int32", (0, 3)).shape == (0, 3)
    assert SeededInput(1, 4, 4).elements("float32", ()).item() == 4


def test_meta_has_the_seed_behind_dtype_and_shape():
    seed = SeededInput(3, -1, 1)
    arrays = [seed.elements("float32", (2, 2))]
    assert described(arrays) == [["float32", [2, 2]]]
    assert described(arrays, [seed]) == [
        ["float32", [2, 2], {"algorithm": "splitmix64", "seed": 3, "low": -1, "high": 1}]
    ]
    assert SeededInput(3, -1, 1, -5).described()["exponent"] == -5

"""Idioms that people write, at sizes where compilers change their mind: they vectorize, split,
unroll, put on threads or call a library from some number of elements on.

An idiom is one jitted function of one size n, in several dtypes: sized:row_sum_f32_n16385. Sizes
lie beside powers of two, since whole blocks hide what goes wrong at an end. Inputs are integers in
floats: where sums are exact, each order of summation gives the same number, and one element or row
that is wrong stands out of the tolerance. bf16 is computed in f32, whose tolerance would otherwise
be that of bf16.
"""

from vintage_jax.produce.case import Case, cases_of

_MODULES = ("reductions", "products", "order", "indexing", "loops", "broadcasts", "constants")


def cases() -> list[Case]:
    return cases_of(__name__, _MODULES)

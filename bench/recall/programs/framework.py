"""Functions that a release traces wrongly or refuses to trace, before any compiler."""

from typing import Any

import numpy as np

from program import Program


def _float(*values: float) -> Any:
    return np.array(values, np.float32)


def padded_with_two_values() -> Program:
    import jax.numpy as jnp

    table = np.arange(1, 10, dtype=np.int32).reshape(3, 3)
    how: dict[str, Any] = {"mode": "constant", "constant_values": (1, 2)}
    return Program(lambda table: jnp.pad(table, 3, **how), (table,), np.pad(table, 3, **how))


def mantissas_scaled_far() -> Program:
    import jax.numpy as jnp

    mantissas = _float(0.5, float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max))
    exponents = np.array([128, 252, -252], np.int32)
    return Program(jnp.ldexp, (mantissas, exponents), np.ldexp(mantissas, exponents))


def argument_called_f() -> Program:
    import jax

    return Program(lambda x: jax.jit(lambda f: 2 * f)(f=x), (_float(1, 2),), _float(2, 4))


def inlined_result_returned_twice() -> Program:
    import jax

    def twice(x: Any) -> Any:
        more = jax.jit(lambda x: x + 1)(x)
        return more, more

    return Program(jax.jit(twice, inline=True), (_float(1, 2),), _float(2, 3))


def solved_while_tracing() -> Program:
    import jax
    import jax.numpy as jnp

    def function(x: Any) -> Any:
        with jax.ensure_compile_time_eval():
            solution = jnp.linalg.solve(2 * jnp.eye(2), jnp.ones(2))
        return x + solution

    return Program(function, (_float(1, 2),), _float(1.5, 2.5))


def zero_tangent_of_a_mapped_rule() -> Program:
    import jax

    def function(x: Any) -> Any:
        more = jax.custom_jvp(lambda x: x + 1)

        def rule(primals: Any, _: Any) -> Any:
            (x,) = primals
            return more(x), jax.custom_derivatives.zero_from_primal(x, symbolic_zeros=True)

        more.defjvp(rule)
        return jax.jvp(jax.vmap(jax.jit(more)), (x,), (x,))

    return Program(function, (_float(0, 1, 2),), _float(1, 2, 3))


def rule_with_an_unused_argument() -> Program:
    import jax

    def function(x: Any) -> Any:
        same = jax.custom_jvp(lambda pair: pair)

        def rule(primals: Any, tangents: Any) -> Any:
            return same(*primals), tangents[0]

        same.defjvp(rule, symbolic_zeros=True)
        return jax.jacfwd(jax.jacrev(lambda x: jax.jit(same)((x, 3.0))))(x)

    return Program(function, (_float(0, 0),), np.zeros((2, 2, 2)))


def slice_index_outside_of_a_batch() -> Program:
    import jax

    def gradient(x: Any, index: Any) -> Any:
        def take(x: Any, index: Any) -> Any:
            return jax.lax.dynamic_index_in_dim(x, index, keepdims=False)

        return jax.jacrev(jax.vmap(take, (None, 0)))(x, index)

    return Program(gradient, (_float(1), np.array([1], np.int32)), np.array([[1]]))


def clipped_index_outside_of_a_batch() -> Program:
    import jax

    def gradient(x: Any, index: Any) -> Any:
        def take(x: Any, index: Any) -> Any:
            return x.at[index].get(mode="clip")

        return jax.jacrev(jax.vmap(take, (None, 0)))(x, index)

    return Program(gradient, (_float(1), np.array([1], np.int32)), np.array([[1]]))


def narrow_index_beside_a_large_one() -> Program:
    column = np.arange(1000, dtype=np.int32)[:, None]
    return Program(lambda column, i: column[999, i], (column, np.int8(0)), np.int32(999))


def rounded_to_forty_decimals() -> Program:
    import jax.numpy as jnp

    values = _float(1.25, -3.5, 1e-3)
    return Program(lambda values: jnp.round(values, 40), (values,), values)


def least_unsigned_numbers() -> Program:
    import jax.numpy as jnp

    values = np.array([6, 255, 0, 4, 3, 1, 0, 7, 5, 2], np.uint8)
    return Program(
        lambda values: jnp.sort(jnp.partition(values, 4)[:4]), (values,), np.array([0, 0, 1, 2])
    )


def cosine_transform_of_a_larger_shape() -> Program:
    from jax.scipy import fft
    from scipy import fft as reference

    table = np.arange(10, dtype=np.float32).reshape(5, 2)
    how: dict[str, Any] = {"type": 2, "s": (12, 7), "axes": (-2, -1)}
    return Program(lambda table: fft.dctn(table, **how), (table,), reference.dctn(table, **how))


def cosine_transform_without_axes() -> Program:
    from jax.scipy import fft
    from scipy import fft as reference

    table = np.arange(3, dtype=np.float32).reshape(1, 3)
    how: dict[str, Any] = {"type": 2, "s": (5,)}
    return Program(lambda table: fft.dctn(table, **how), (table,), reference.dctn(table, **how))


def least_squares_of_nothing() -> Program:
    import jax.numpy as jnp

    return Program(
        lambda a, b: jnp.linalg.lstsq(a, b)[0],
        (np.zeros((3, 2), np.float32), np.ones((3, 2), np.float32)),
        np.zeros((2, 2)),
    )


def square_of_a_predicate_matrix() -> Program:
    import jax.numpy as jnp

    matrix = np.array([[True, True], [False, True]])
    return Program(
        lambda matrix: jnp.linalg.matrix_power(matrix, 2),
        (matrix,),
        np.linalg.matrix_power(matrix, 2),
    )


def cumulative_sum_as_predicates() -> Program:
    import jax.numpy as jnp

    values = np.array([-1, 0, 1, 1], np.int32)
    return Program(lambda values: jnp.cumsum(values, dtype=bool), (values,), np.array([True] * 4))


def nan_times_a_zero() -> Program:
    from jax.scipy.special import xlogy

    return Program(xlogy, (_float(0, 0), _float(np.nan, 2)), _float(np.nan, 0))


def quotients_by_zero() -> Program:
    import jax.numpy as jnp

    values, zeros = _float(-2, -1, 0, 1, 2), np.zeros(5, np.float32)
    return Program(
        jnp.floor_divide, (values, zeros), _float(-np.inf, -np.inf, np.nan, np.inf, np.inf)
    )


def step_at_a_nan() -> Program:
    import jax.numpy as jnp

    return Program(
        lambda x: jnp.heaviside(x, 0.5), (_float(np.nan, -1, 0, 1),), _float(np.nan, 0, 0.5, 1)
    )


def inverse_of_a_batch_of_singular_matrices() -> Program:
    import jax.numpy as jnp

    matrices = np.zeros((2, 2, 2), np.float32)
    matrices[0] = 1
    return Program(
        lambda matrices: jnp.isfinite(jnp.linalg.inv(matrices)),
        (matrices,),
        np.zeros((2, 2, 2), np.bool_),
    )


def quantile_of_a_wide_exponential() -> Program:
    from jax.scipy import stats

    return Program(
        lambda q: stats.expon.ppf(q, scale=2.0), (_float(0.5),), -2 * np.log(_float(0.5))
    )


def triangle_of_a_given_offset() -> Program:
    import jax.numpy as jnp

    return Program(lambda k: jnp.tri(3, 4, k), (np.int32(1),), np.tri(3, 4, 1))


def gradient_of_a_widening_convolution() -> Program:
    import jax
    import jax.numpy as jnp

    def function(x: Any, w: Any) -> Any:
        def total(x: Any, w: Any) -> Any:
            return jax.lax.conv_general_dilated(
                x, w, (1,), "VALID", dimension_numbers=("NLC", "LIO", "NLC"),
                preferred_element_type=jnp.float32,
            ).sum()  # fmt: skip

        narrow = x.astype(jnp.bfloat16), w.astype(jnp.bfloat16)
        return [each.astype(jnp.float32) for each in jax.grad(total, argnums=(0, 1))(*narrow)]

    inputs = np.ones((1, 3, 4), np.float32), np.ones((3, 4, 8), np.float32)
    return Program(function, inputs, np.full((1, 3, 4), 8))


def key_taken_outside_of_its_array() -> Program:
    import jax

    def function(words: Any) -> Any:
        keys = jax.random.wrap_key_data(words)
        return jax.random.key_data(keys.at[100].get(mode="fill"))

    return Program(function, (np.ones((4, 2), np.uint32),), np.array([2**32 - 1] * 2, np.uint32))


def second_derivative_of_a_solve() -> Program:
    import jax
    import jax.numpy as jnp

    def function(x: Any) -> Any:
        def solved(z: Any) -> Any:
            return jnp.linalg.solve(z.sum() * jnp.eye(3), jnp.array([1.0, 0.0, 0.0]))[0]

        def pulled(x: Any) -> Any:
            tangent = jax.vjp(lambda y: jax.jvp(jax.vmap(solved), (x,), (y,))[1], jnp.ones_like(x))
            return tangent[1](x)[0]

        return jax.jacrev(pulled)(x)

    # solved is 1 / x, its derivative -1 / x^2; pulled is that times x.
    return Program(function, (_float(2),), np.array([[0.25]]))

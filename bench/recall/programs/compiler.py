"""Sound programs that the compiler of a release gets wrong, dies at or refuses."""

from typing import Any

import numpy as np

from program import Program


def _two(*shape: int) -> tuple[Any, Any]:
    random = np.random.RandomState(0)
    return random.rand(*shape).astype(np.float32), random.rand(*shape).astype(np.float32)


def squares_of_mapped_products() -> Program:
    """A small matrix times each of many rows, squared and summed: one row more than 2^14."""
    import jax
    import jax.numpy as jnp

    rows = np.zeros((16385, 3))
    rows[:, 0] = np.arange(16385)
    matrix = np.eye(3)

    def function(matrix: Any, rows: Any) -> Any:
        return jax.vmap(lambda row: jnp.sum((matrix @ row) ** 2))(rows)

    return Program(function, (matrix, rows), (rows**2).sum(axis=1))


def product_summed_at_rank_7() -> Program:
    a, b = _two(3, 1, 2, 2, 8, 8, 8)
    return Program(lambda a, b: (a * b).sum(axis=3), (a, b), (a * b).sum(axis=3))


def broadcast_product_summed_at_rank_8() -> Program:
    import jax.numpy as jnp

    few, many = _two(10, 4, 6, 9, 9, 9, 9, 9)
    few = few[..., :1, :1, :1, :1, :1]
    return Program(
        lambda few, many: jnp.sum(few * many, axis=2), (few, many), (few * many).sum(axis=2)
    )


def keys_sorted_by_seventeen_columns() -> Program:
    import jax.numpy as jnp

    table = np.random.RandomState(0).randint(0, 3, (17, 6)).astype(np.int32)
    return Program(lambda table: jnp.lexsort(tuple(table)), (table,), np.lexsort(tuple(table)))


def transform_inside_a_loop() -> Program:
    import jax
    import jax.numpy as jnp

    cube = np.random.RandomState(0).rand(3, 3, 3).astype(np.complex64)

    def function(cube: Any) -> Any:
        return jax.lax.fori_loop(0, 2, lambda _, c: jnp.fft.fftn(c) / 27, cube)

    return Program(function, (cube,), np.fft.fftn(np.fft.fftn(cube) / 27) / 27)


def rows_moved_down_in_place() -> Program:
    """The update of a buffer is a shifted slice of the same buffer."""
    table = np.arange(128, dtype=np.int32).reshape(8, 16)

    def function(table: Any) -> Any:
        more = table + 1
        return more.at[1:].set(more[:-1]).reshape(1, 8, 16)

    expected = np.concatenate([table[:1], table[:-1]]) + 1
    return Program(function, (table,), expected.reshape(1, 8, 16))


def slice_of_a_rolled_vector() -> Program:
    """A start that is clamped, of a slice of a slice."""
    import jax
    import jax.numpy as jnp

    vector = np.arange(9, dtype=np.int32) * 10

    def function(vector: Any, shift: Any, start: Any) -> Any:
        return jax.lax.dynamic_slice(jnp.roll(vector, shift), [start], [4])

    return Program(function, (vector, np.int32(4), np.int32(12)), np.roll(vector, 4)[5:9])


def root_of_a_square_that_overflows() -> Program:
    import jax.numpy as jnp

    vector = np.array([np.finfo(np.float32).max, 2], np.float32)
    return Program(
        lambda vector: jnp.sqrt(jnp.abs(jnp.square(vector))), (vector,), np.array([np.inf, 2])
    )


def logarithm_of_an_exponential_that_overflows() -> Program:
    import jax.numpy as jnp

    vector = np.array([89, 200, 1], np.float32)
    return Program(lambda v: jnp.log(jnp.exp(v)), (vector,), np.array([np.inf, np.inf, 1]))


def magnitude_of_a_byte_that_wrapped() -> Program:
    import jax.numpy as jnp

    byte = np.array([12, 7, 20, 15, 11], np.int8)

    def function(byte: Any) -> Any:
        square = byte * byte
        return jnp.where(square < 0, jnp.abs(square), square)

    square = (byte.astype(np.int32) ** 2).astype(np.int8)
    return Program(function, (byte,), np.abs(square))


def loop_that_keeps_a_constant() -> Program:
    """A loop whose body holds another one that nobody uses, and whose condition a constant."""
    import jax
    import jax.numpy as jnp

    def function() -> Any:
        zero = jnp.zeros(2, jnp.int32)

        def body(state: Any) -> Any:
            jax.lax.fori_loop(0, 3, lambda _, count: count, 0)
            return jnp.zeros_like(state)

        return jax.lax.while_loop(lambda state: jnp.any(state != jnp.array([0, 0])), body, zero)

    return Program(function, (), np.zeros(2))

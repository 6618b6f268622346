"""Exports that another release does not read, or that call what it lacks."""

import numpy as np

from program import Program


def exported_cholesky() -> Program:
    import jax.numpy as jnp

    matrix = np.array([[4, 2], [2, 5]], np.float32)
    return Program(jnp.linalg.cholesky, (matrix,), np.linalg.cholesky(matrix))


def exported_triangular_solve() -> Program:
    import jax

    matrix, right = np.array([[2, 0], [1, 4]], np.float32), np.array([[2], [9]], np.float32)
    return Program(
        lambda a, b: jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=True),
        (matrix, right),
        np.linalg.solve(matrix, right),
    )


def exported_factors() -> Program:
    import jax

    matrix = np.array([[4, 2], [2, 5]], np.float32)
    return Program(lambda a: jax.lax.linalg.lu(a)[0], (matrix,), np.array([[4, 2], [0.5, 4]]))


def exported_sum() -> Program:
    return Program(lambda x: x + 1, (np.ones(3, np.float32),), np.full(3, 2))


def exported_sum_for_an_older_release() -> Program:
    return exported_sum()

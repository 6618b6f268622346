"""Factorizations and solves."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax._src.lax import linalg

from vintage_jax.produce.counterparts.use import Counterpart, Use


def _eigh(use: Use) -> Any:
    lower = use.flag("lower")
    triangle = jnp.tril if lower else jnp.triu
    return lambda x: lax.linalg.eigh(triangle(x), lower=lower, symmetrize_input=False)


def _triangular_solve(use: Use) -> Any:
    transposition = use.label.rpartition("unit=")[2].partition("_")[2]
    return lambda a, b: lax.linalg.triangular_solve_p.bind(
        a, b, left_side=use.flag("left"), lower=use.flag("lower"),
        transpose_a=transposition != "NO_TRANSPOSE", conjugate_a=transposition == "ADJOINT",
        unit_diagonal=use.flag("unit")
    )  # fmt: skip


def _named(use: Use) -> Any:
    return getattr(lax.linalg, use.primitive)


COUNTERPARTS: dict[str, Counterpart] = {
    **dict.fromkeys(["lu", "householder_product", "tridiagonal_solve", "hessenberg"], _named),
    "cholesky": lambda use: lambda x: lax.linalg.cholesky(x, symmetrize_input=False),
    "eig": lambda use: lambda x: lax.linalg.eig(
        x, compute_left_eigenvectors=use.flag("left"), compute_right_eigenvectors=use.flag("right")
    ),
    "eigh": _eigh,
    "svd": lambda use: lambda x: lax.linalg.svd_p.bind(
        x, full_matrices=use.flag("full"), compute_uv=use.flag("uv"), subset_by_index=None,
        algorithm=lax.linalg.SvdAlgorithm.DEFAULT
    ),
    "qr": lambda use: lambda x: lax.linalg.qr(x, full_matrices=use.flag("full")),
    "lu_pivots_to_permutation": lambda use: lambda x: lax.linalg.lu_pivots_to_permutation(
        x, int(use.field("size"))
    ),
    "geqrf": lambda use: linalg.geqrf,
    "tridiagonal": lambda use: lambda x: lax.linalg.tridiagonal_p.bind(x, lower=use.flag("lower")),
    "schur": lambda use: lambda x: lax.linalg.schur_p.bind(
        x, compute_schur_vectors=use.flag("vectors"), sort_eig_vals=use.flag("sort"),
        select_callable=None
    ),
    "triangular_solve": _triangular_solve,
}  # fmt: skip

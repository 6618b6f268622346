"""Factorizations and solves."""

from __future__ import annotations

from typing import Any

from vintage_jax.produce.counterparts.use import Counterpart, Use


def _cholesky(use: Use) -> Any:
    from jax import lax

    return lambda x: lax.linalg.cholesky(x, symmetrize_input=False)


def _eig(use: Use) -> Any:
    from jax import lax

    return lambda x: lax.linalg.eig(
        x, compute_left_eigenvectors=use.flag("left"), compute_right_eigenvectors=use.flag("right")
    )


def _eigh(use: Use) -> Any:
    import jax.numpy as jnp
    from jax import lax

    lower = use.flag("lower")
    triangle = jnp.tril if lower else jnp.triu
    return lambda x: lax.linalg.eigh(triangle(x), lower=lower, symmetrize_input=False)


def _svd(use: Use) -> Any:
    from jax import lax

    return lambda x: lax.linalg.svd_p.bind(
        x, full_matrices=use.flag("full"), compute_uv=use.flag("uv"), subset_by_index=None,
        algorithm=lax.linalg.SvdAlgorithm.DEFAULT
    )  # fmt: skip


def _qr(use: Use) -> Any:
    from jax import lax

    return lambda x: lax.linalg.qr(x, full_matrices=use.flag("full"))


def _named(use: Use) -> Any:
    from jax import lax

    return getattr(lax.linalg, use.primitive)


def _pivots(use: Use) -> Any:
    from jax import lax

    return lambda x: lax.linalg.lu_pivots_to_permutation(x, int(use.field("size")))


def _geqrf(use: Use) -> Any:
    from jax._src.lax import linalg

    return linalg.geqrf


def _tridiagonal(use: Use) -> Any:
    from jax import lax

    return lambda x: lax.linalg.tridiagonal_p.bind(x, lower=use.flag("lower"))


def _hessenberg(use: Use) -> Any:
    from jax import lax

    return lax.linalg.hessenberg


def _schur(use: Use) -> Any:
    from jax import lax

    return lambda x: lax.linalg.schur_p.bind(
        x, compute_schur_vectors=use.flag("vectors"), sort_eig_vals=use.flag("sort"),
        select_callable=None
    )  # fmt: skip


def _triangular_solve(use: Use) -> Any:
    from jax import lax

    transposition = use.label.rpartition("unit=")[2].partition("_")[2]
    return lambda a, b: lax.linalg.triangular_solve_p.bind(
        a, b, left_side=use.flag("left"), lower=use.flag("lower"),
        transpose_a=transposition != "NO_TRANSPOSE", conjugate_a=transposition == "ADJOINT",
        unit_diagonal=use.flag("unit")
    )  # fmt: skip


def counterparts() -> dict[str, Counterpart]:
    return dict.fromkeys(["lu", "householder_product", "tridiagonal_solve"], _named) | {
        "cholesky": _cholesky,
        "eig": _eig,
        "eigh": _eigh,
        "svd": _svd,
        "qr": _qr,
        "lu_pivots_to_permutation": _pivots,
        "geqrf": _geqrf,
        "tridiagonal": _tridiagonal,
        "hessenberg": _hessenberg,
        "schur": _schur,
        "triangular_solve": _triangular_solve,
    }

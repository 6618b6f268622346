"""Executes artifacts with JAX, in a process that may have lowered programs itself before."""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from vintage_python.worker.elements import Array
from vintage_python.worker.outcome import Progress, UnsupportedError
from vintage_python.worker.server import Consumer, Request


class JaxConsumer(Consumer):
    def outputs(self, request: Request, progress: Progress) -> list[Array]:
        if request.format == "exported":
            from vintage_jax.worker.run_exported import run_exported

            return run_exported(request, progress)
        if request.format == "portable artifact":
            from vintage_jax.worker.run_portable import run_portable

            return run_portable(request, progress)
        raise UnsupportedError(f"a {request.format} is not executed by JAX")

    def refined_stage(self, stage: str, message: str) -> str:
        """Lowering a call reads the module too: what fails at that is an upgrade. XLA looks for
        the targets of custom calls when it runs; one that is missing was never compiled."""
        if stage == "verify" and ("portable artifact" in message or "vhlo" in message):
            return "upgrade"
        if stage == "run" and "No registered implementation for" in message:
            return "compile"
        return stage

    def clear(self) -> None:
        jax.clear_caches()


def _programs() -> Iterator[tuple[Callable[..., Any], Any]]:
    matrix = np.eye(3, dtype=np.float32)
    vector = np.ones(3, np.float32)
    linalg = jax.lax.linalg
    for name in ("cholesky", "eig", "eigh", "hessenberg", "lu", "qr", "schur", "svd",
                 "tridiagonal"):  # fmt: skip
        if hasattr(linalg, name):
            yield getattr(linalg, name), matrix
    yield lambda a: linalg.triangular_solve(a, a, left_side=True), matrix
    yield lambda d: linalg.tridiagonal_solve(d, d, d, d[:, None]), vector
    yield jnp.fft.fft, vector
    yield jnp.sort, vector
    yield lambda x: jax.lax.top_k(x, 2), vector
    yield lambda x: jax.random.normal(jax.random.PRNGKey(0), x.shape), vector
    yield lambda x: jax.lax.scan(lambda c, y: (c + y, c), x[0], x), vector


def warm_up() -> None:
    """Lowering initializes libraries of a release that calling an artifact may not; users do both,
    and a case that passes in one of the two only is news."""
    for function, argument in _programs():
        try:
            jax.jit(function).lower(argument)
        except Exception:  # A release that lacks one is as warm as it can be.
            continue

"""Executes artifacts with JAX."""

from __future__ import annotations

from vintage_python.worker.elements import Array
from vintage_python.worker.outcome import Progress, UnsupportedError
from vintage_python.worker.server import Consumer, Request


class JaxConsumer(Consumer):
    def outputs(self, request: Request, progress: Progress) -> list[Array]:
        if request.format == "exported":
            from vintage_jax.worker.run_exported import run_exported

            return run_exported(request.artifact, request.inputs, request.platform, progress)
        if request.format == "portable artifact":
            from vintage_jax.worker.run_portable import run_portable

            return run_portable(
                request.artifact, request.inputs, request.platform, request.platforms, progress
            )
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
        import jax

        jax.clear_caches()

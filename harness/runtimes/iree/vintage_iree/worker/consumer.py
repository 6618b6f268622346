"""Executes artifacts with IREE: its compiler reads the module as it is."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vintage_iree.worker.compiler import compile_module
from vintage_iree.worker.execute import invoke, load
from vintage_python.exported import Exported
from vintage_python.worker.elements import Array
from vintage_python.worker.outcome import Progress, UnsupportedError
from vintage_python.worker.parts import Part, parts_of
from vintage_python.worker.server import Consumer, Request


class IreeConsumer(Consumer):
    def outputs(self, request: Request, progress: Progress) -> list[Array]:
        if request.mode != "compiled":
            raise UnsupportedError(f"IREE compiles; it has no mode {request.mode}")
        if request.format == "exported":
            outputs: list[Array] = []
            with progress.timed("load", "load"):
                parts = parts_of(request.artifact, request.inputs, request.platform)
                modules = [_arguments(part, request.platform) for part in parts]
            for part, arguments in zip(parts, modules, strict=True):
                outputs += _run(part.exported.module, arguments, progress)
            return outputs
        if request.format == "portable artifact":
            return _run(request.artifact, _bare_arguments(request), progress)
        raise UnsupportedError(f"a {request.format} is not executed by IREE")


def _arguments(part: Part, platform: str) -> list[Array]:
    exported: Exported = part.exported
    if exported.ordered_effects and exported.calling_convention >= 9:
        raise UnsupportedError("main takes a token, which IREE's runtime has not")
    kept = exported.kept_of(part.inputs)
    if len(exported.platforms) > 1:
        return [_index(exported.platforms, platform), *kept]
    return kept


def _index(platforms: Sequence[str], platform: str) -> Array:
    return np.array(platforms.index(platform), np.int32)


def _bare_arguments(request: Request) -> list[Array]:
    """A portable artifact does not say what it takes; one of several platforms takes the index
    of the one that runs, as JAX exports it."""
    if len(request.platforms) > 1:
        return [_index(request.platforms, request.platform), *request.inputs]
    return request.inputs


def _run(code: bytes, arguments: list[Array], progress: Progress) -> list[Array]:
    with tempfile.TemporaryDirectory(prefix="vintage-iree-") as folder:
        with progress.timed("compile", "compile"):
            compiled = compile_module(code, Path(folder))
        with progress.timed("run", "run"):
            context, function = load(compiled)
            return invoke(context, function, arguments)

"""Consumers that take the module as it is, and its arguments in main's order."""

from collections.abc import Sequence

import numpy as np

from vintage_python.framework import Framework
from vintage_python.worker.elements import Array
from vintage_python.worker.outcome import Progress, UnsupportedError
from vintage_python.worker.parts import Part, parts_of
from vintage_python.worker.server import Consumer, Request


class ModuleConsumer(Consumer):
    def __init__(self, framework: Framework) -> None:
        self._title = framework.title

    def run(self, code: bytes, arguments: list[Array], progress: Progress) -> list[Array]:
        """Compiles a portable artifact and runs it."""
        raise NotImplementedError

    def outputs(self, request: Request, progress: Progress) -> list[Array]:
        if request.mode != "compiled":
            raise UnsupportedError(f"{self._title} compiles; it has no mode {request.mode}")
        if request.format == "exported":
            outputs: list[Array] = []
            with progress.timed("load", "load"):
                parts = parts_of(request.artifact, request.inputs, request.platform)
                modules = [self._arguments(part, request.platform) for part in parts]
            for part, arguments in zip(parts, modules, strict=True):
                outputs += self.run(part.exported.module, arguments, progress)
            return outputs
        if request.format == "portable artifact":
            return self.run(request.artifact, _bare_arguments(request), progress)
        raise UnsupportedError(f"a {request.format} is not executed by {self._title}")

    def _arguments(self, part: Part, platform: str) -> list[Array]:
        exported = part.exported
        if exported.ordered_effects and exported.calling_convention >= 9:
            raise UnsupportedError(f"main takes a token, which {self._title}'s runtime has not")
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

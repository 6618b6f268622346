"""Executes artifacts with TensorFlow."""

from __future__ import annotations

import re

from vintage_python.exported import Aval
from vintage_python.standard_streams import StandardErrorKept
from vintage_python.worker.elements import Array
from vintage_python.worker.outcome import Progress, UnsupportedError, detail_of
from vintage_python.worker.parts import parts_of
from vintage_python.worker.server import Consumer, Request
from vintage_tensorflow.release import call_module_operation, stablehlo
from vintage_tensorflow.saved_model import run_saved_model
from vintage_tensorflow.worker.call_module import Module, run_module

_MOST_OF_STANDARD_ERROR = 3000
_REASON = re.compile(r"error: .+")  # A diagnostic of MLIR.


class TensorFlowConsumer(Consumer):
    def __init__(
        self, standard_error: StandardErrorKept, forced_version: int | None = None
    ) -> None:
        """`forced_version`: instead of the calling convention that an Exported says."""
        self._standard_error = standard_error
        self._forced_version = forced_version

    def outputs(self, request: Request, progress: Progress) -> list[Array]:
        self._standard_error.take()
        if request.format == "exported":
            return _run_exported(request, progress, self._forced_version)
        if request.format == "portable artifact":
            return _run_portable(request, progress)
        if request.format == "saved model":
            return run_saved_model(request.artifact, request.inputs, request.mode, progress)
        raise UnsupportedError(f"a {request.format} is not executed here")

    def refined_stage(self, stage: str, message: str) -> str:
        for words, refined in _STAGES:
            if re.search(words, message):
                return refined
        return stage

    def detail(self, problem: Exception) -> str:
        """The exception, and what was written to standard error beside it: in 2.16 to 2.19 the
        reason stands there alone."""
        written = self._standard_error.take().strip()
        detail = reason_first(problem)
        reason = next((found[0] for found in _REASON.finditer(written)), "")
        first, _, rest = detail.partition("\n")
        if reason and reason not in detail:
            first = f"{first.rstrip(':')}: {reason}"
        lines = [first, rest, f"standard error: {written[-_MOST_OF_STANDARD_ERROR:]}"]
        return "\n".join(line for line in lines[: 3 if written else 2] if line)

    def clear(self) -> None:
        import gc

        from tensorflow.python.eager import context

        context.context().clear_kernel_cache()
        gc.collect()


# Operations of a graph that XLA does not support; the graph's name differs in each process.
_NOT_COMPILED = re.compile(
    r"Detected unsupported operations when trying to compile graph \S+ on (\S+): (.+?) \(", re.S
)
_PLACE = re.compile(r"\{\{function_node \S+\}\} ?")  # Of an operation that is called by itself.


def reason_first(problem: Exception) -> str:
    """In a graph the message begins with the places of the call; the reason comes behind them."""
    text = str(problem)
    if found := _NOT_COMPILED.search(text):
        return f"{type(problem).__name__}: {found[1]} has no {found[2]}\n{text}"
    if not text.startswith("Graph execution error:"):
        first, _, rest = detail_of(problem).partition("\n")
        return "\n".join(line for line in (_PLACE.sub("", first), rest) if line)
    reason = text.partition("\n\t [[")[0].strip().splitlines()[-1].strip()
    return f"{type(problem).__name__}: {reason}\n{detail_of(problem).partition(chr(10))[2]}"


# Words of a message, and the stage that they name.
_STAGES = (
    (r"XlaCallModuleOp with version", "load"),
    (r"Cannot deserialize|failed to deserialize|vhlo\.|newer version", "upgrade"),
)


def _run_exported(request: Request, progress: Progress, forced_version: int | None) -> list[Array]:
    with progress.timed("load", "load"):
        parts = parts_of(request.artifact, request.inputs, request.platform)
    outputs: list[Array] = []
    for part in parts:
        module = Module.of(part.exported, forced_version)
        inputs = part.exported.kept_of(part.inputs)
        outputs += run_module(module, inputs, request.mode, progress)
    return outputs


def _run_portable(request: Request, progress: Progress) -> list[Array]:
    with progress.timed("upgrade", "load"):
        text = stablehlo().deserialize_portable_artifact_str(request.artifact)
        if isinstance(text, bytes):
            text = text.decode()
        arguments, results = main_type(text)
    arrays = [each for each in arguments if not each.token]
    platforms = request.platforms
    if len(arrays) != len(request.inputs) + (len(platforms) > 1):
        platforms = (request.platform,)
        if len(arrays) != len(request.inputs):
            raise ValueError(f"{len(request.inputs)} inputs came, and main takes {len(arrays)}")
    newest = int(call_module_operation().call_module_maximum_supported_version())
    outputs = tuple(each for each in results if not each.token)
    module = Module(request.artifact, newest, platforms, outputs)
    return run_module(module, request.inputs, request.mode, progress)


_MAIN = re.compile(
    r"func\.func(?: public)? @main\((?P<arguments>.*?)\)\s*(?:->\s*(?P<results>.*?))?\s*"
    r"(?:attributes\s*\{.*\}\s*)?\{\s*$",
    re.MULTILINE,
)
_TYPE = re.compile(r"tensor<([^<>]*(?:<[^<>]*>)?[^<>]*)>|(!stablehlo\.token)|(tuple<)")
_SHAPE = re.compile(r"((?:(?:\d+|\?)x)*)([^,]*)")


def main_type(text: str) -> tuple[list[Aval], list[Aval]]:
    """The types of its arguments and of its results, tokens included."""
    found = _MAIN.search(text)
    if found is None:
        raise ValueError("the module has no function main")
    return _types(found["arguments"]), _types(found["results"] or "")


def _types(text: str) -> list[Aval]:
    # Text in braces is an attribute of an argument, and names no type of it.
    plain = re.sub(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "", re.sub(r'"[^"]*"', "", text))
    return [_aval(each) for each in _TYPE.finditer(plain)]


def _aval(found: re.Match[str]) -> Aval:
    if found[3]:
        raise UnsupportedError("a tuple has no form in TensorFlow")
    if found[2]:
        return Aval("token", (), token=True)
    shape = _SHAPE.match(found[1])
    assert shape is not None  # It fits everything.
    sizes = shape[1].split("x")[:-1]
    return Aval(shape[2], tuple(None if size == "?" else int(size) for size in sizes))

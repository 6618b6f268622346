"""Answers the parent's requests, one after the other, until it closes the stream."""

from __future__ import annotations

from typing import Any, BinaryIO

from vintage_jax.failure import Failure
from vintage_jax.worker.elements import (
    Described,
    UnknownElementError,
    describe_arrays,
    read_array,
    write_array,
)
from vintage_jax.worker.frames import Frame, read_frame, write_frame
from vintage_jax.worker.outcome import Outcome, Progress, UnsupportedError, detail_of

# What a process keeps of programs that it has run would grow without an end.
_RUNS_BETWEEN_CLEARING = 200


def hello(runtime: dict[str, Any], condition: str) -> dict[str, Any]:
    suffix = "" if condition == "warm" else f" {condition}"
    return {
        "type": "hello",
        "protocol": 1,
        "name": runtime["name"] + suffix,
        "version": runtime["runtime_version"],
        "build_date": runtime["released"],
        "platforms": runtime["platforms"],
        "modes": runtime["modes"],
        "oldest_calling_convention": runtime["calling_convention"]["oldest"],
        "newest_calling_convention": runtime["calling_convention"]["newest"],
        "newest_serialization": runtime.get("serialization", {}).get("newest", 0),
        "stablehlo_version": runtime["stablehlo"]["newest"],
        "custom_call_targets": [target["name"] for target in runtime["targets"]],
        "requests": ["execute", "describe"],
        "condition": condition,
    }


class Server:
    def __init__(
        self, source: BinaryIO, sink: BinaryIO, runtime: dict[str, Any], condition: str
    ) -> None:
        self._source, self._sink = source, sink
        self._runtime, self._condition = runtime, condition
        self._runs = 0

    def serve(self) -> None:
        write_frame(self._sink, hello(self._runtime, self._condition))
        while (frame := read_frame(self._source)) is not None:
            kind = frame.header.get("type")
            if kind == "describe":
                runtime = self._runtime
                write_frame(self._sink, {"type": "description", "runtime": runtime})
            elif kind == "execute":
                self._answer(frame)
            else:
                raise Failure(f"a request of the type {kind!r} is not known; execute and "
                              "describe are")  # fmt: skip

    def _answer(self, frame: Frame) -> None:
        outcome = execute(frame)
        payloads = [write_array(array) for array in outcome.outputs]
        reply: dict[str, Any] = {
            "type": "reply",
            "id": frame.header["id"],
            "outcome": outcome.outcome,
            "stage": outcome.stage,
            "detail": outcome.detail,
            "outputs": describe_arrays(outcome.outputs),
        }
        reply |= {f"{part}_seconds": seconds for part, seconds in outcome.seconds.items()}
        write_frame(self._sink, reply, payloads)
        self._runs += 1
        if self._runs % _RUNS_BETWEEN_CLEARING == 0:
            import jax

            jax.clear_caches()


def execute(frame: Frame) -> Outcome:
    """Whatever the runtime raises is the artifact's outcome."""
    progress = Progress()
    try:
        outputs = _outputs(frame, progress)
        describe_arrays(outputs)
        return Outcome("ran", "run", "", tuple(outputs), progress.seconds)
    except (UnsupportedError, UnknownElementError) as problem:
        return Outcome("unsupported", progress.stage, str(problem), (), progress.seconds)
    except Exception as problem:
        stage = _refined_stage(progress.stage, str(problem))
        return Outcome("error", stage, detail_of(problem), (), progress.seconds)


def _refined_stage(stage: str, message: str) -> str:
    """Lowering a call reads the module too: what fails at that is an upgrade. XLA looks for the
    targets of custom calls when it runs; one that is missing was never compiled."""
    if stage == "verify" and ("portable artifact" in message or "vhlo" in message):
        return "upgrade"
    if stage == "run" and "No registered implementation for" in message:
        return "compile"
    return stage


def _outputs(frame: Frame, progress: Progress) -> list[Any]:
    request = frame.header
    described = [Described.of(header) for header in request["inputs"]]
    inputs = [read_array(d, p) for d, p in zip(described, frame.payloads[1:], strict=True)]
    if request["format"] == "exported":
        from vintage_jax.worker.run_exported import run_exported

        return run_exported(frame.payloads[0], inputs, request["platform"], progress)
    if request["format"] == "portable artifact":
        from vintage_jax.worker.run_portable import run_portable

        platforms = request.get("platforms") or [request["platform"]]
        return run_portable(frame.payloads[0], inputs, request["platform"], platforms, progress)
    raise UnsupportedError(f"a {request['format']} is not executed by JAX")

"""Answers the parent's requests, one after the other, until it closes the stream: the frames of
docs/reference/worker_protocol.md."""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from vintage_python.failure import Failure
from vintage_python.worker.elements import (
    Array,
    UnknownElementError,
    describe_arrays,
    read_array,
    write_array,
)
from vintage_python.worker.meter import Meter
from vintage_python.worker.outcome import Progress, UnsupportedError, detail_of

_PREFIX = struct.Struct("<IQ")


@dataclass(frozen=True)
class Frame:
    header: dict[str, Any]
    payloads: list[bytes]


def _read_exactly(stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise Failure(f"the parent's frame ends after {len(data)} of {count} bytes")
    return data


def read_frame(stream: BinaryIO) -> Frame | None:
    """The next frame; None where the parent has closed the stream."""
    first = stream.read(1)
    if not first:
        return None
    header_bytes, payload_bytes = _PREFIX.unpack(first + _read_exactly(stream, _PREFIX.size - 1))
    try:
        header = json.loads(_read_exactly(stream, header_bytes))
    except ValueError as problem:
        raise Failure(f"the parent's header is no JSON: {problem}") from problem
    payload = _read_exactly(stream, payload_bytes)
    payloads, start = [], 0
    for length in header.get("payloads", []):
        payloads.append(payload[start : start + length])
        start += length
    if start != payload_bytes:
        raise Failure(f"the parent's payloads are {payload_bytes} bytes and not {start}")
    return Frame(header, payloads)


def write_frame(stream: BinaryIO, header: dict[str, Any], payloads: Sequence[bytes] = ()) -> None:
    whole = header | {"payloads": [len(payload) for payload in payloads]}
    text = json.dumps(whole).encode()
    stream.write(_PREFIX.pack(len(text), sum(whole["payloads"])))
    stream.write(text)
    for payload in payloads:
        stream.write(payload)
    stream.flush()


_RUNS_BETWEEN_CLEARING = 200


def hello(runtime: dict[str, Any], condition: str, formats: Sequence[str]) -> dict[str, Any]:
    suffix = "" if condition in ("", "warm") else f" {condition}"
    return {
        "formats": list(formats),
        "type": "hello",
        "protocol": 1,
        "name": runtime["name"] + suffix,
        "version": runtime["runtime_version"],
        "build_date": runtime["released"],
        "platforms": runtime["platforms"],
        "modes": runtime["modes"],
        "oldest_calling_convention": runtime.get("calling_convention", {}).get("oldest", 0),
        "newest_calling_convention": runtime.get("calling_convention", {}).get("newest", 0),
        "newest_serialization": runtime.get("serialization", {}).get("newest", 0),
        "stablehlo_version": runtime.get("stablehlo", {}).get("newest", ""),
        "custom_call_targets": [target["name"] for target in runtime["targets"]],
        "requests": ["execute", "describe"],
        "condition": condition,
    }


@dataclass(frozen=True)
class Request:
    """An artifact to execute, and how."""

    artifact: bytes
    format: str  # exported, portable artifact, saved model
    platform: str
    platforms: tuple[str, ...]  # The artifact's own, in its order.
    mode: str  # eager, graph, compiled
    inputs: list[Array]


class Consumer:
    """Executes artifacts: one for each framework."""

    def outputs(self, request: Request, progress: Progress) -> list[Array]:
        """Records the stage in `progress`; an exception becomes the artifact's outcome."""
        raise NotImplementedError

    def refined_stage(self, stage: str, message: str) -> str:
        """The stage of an error, where the message knows better than the progress."""
        return stage

    def detail(self, problem: Exception) -> str:
        """The problem, in sentences."""
        return detail_of(problem)

    def clear(self) -> None:
        """Forgets programs that were run: otherwise a process keeps more and more of them."""


def serve(
    source: BinaryIO,
    sink: BinaryIO,
    runtime: dict[str, Any],
    consumer: Consumer,
    condition: str,
    formats: Sequence[str],
) -> None:
    write_frame(sink, hello(runtime, condition, formats))
    runs = 0
    while (frame := read_frame(source)) is not None:
        kind = frame.header.get("type")
        if kind == "describe":
            write_frame(sink, {"type": "description", "runtime": runtime})
        elif kind == "execute":
            _answer(frame, sink, consumer)
            runs += 1
            if runs % _RUNS_BETWEEN_CLEARING == 0:
                consumer.clear()
        else:
            raise Failure(f"a request of the type {kind!r} is not known; execute and describe are")


def _answer(frame: Frame, sink: BinaryIO, consumer: Consumer) -> None:
    """An exception of the runtime becomes the artifact's outcome."""
    measure = frame.header.get("measure")
    progress = Progress(meter=Meter(**measure) if measure else None)
    sent: list[Array] = []
    reply: dict[str, Any] = {"type": "reply", "id": frame.header["id"], "detail": "", "outputs": []}
    try:
        outputs = consumer.outputs(_request(frame), progress)
        reply |= {"outputs": describe_arrays(outputs), "outcome": "ran", "stage": "run"}
        sent = outputs
        if progress.meter is not None and (measured := progress.meter.measured()):
            reply["measured"] = measured
    except (UnsupportedError, UnknownElementError) as problem:
        reply |= {"outcome": "unsupported", "stage": progress.stage, "detail": str(problem)}
    except Exception as problem:
        detail = consumer.detail(problem)
        stage = consumer.refined_stage(progress.stage, detail)
        reply |= {"outcome": "error", "stage": stage, "detail": detail}
    reply["detail"] = "\n".join([*([reply["detail"]] if reply["detail"] else []), *progress.notes])
    reply |= {f"{part}_seconds": seconds for part, seconds in progress.seconds.items()}
    write_frame(sink, reply, [write_array(array) for array in sent])


def _request(frame: Frame) -> Request:
    header = frame.header
    arrays = zip(header["inputs"], frame.payloads[1:], strict=True)
    return Request(
        artifact=frame.payloads[0],
        format=header["format"],
        platform=header["platform"],
        platforms=tuple(header.get("platforms") or [header["platform"]]),
        mode=header.get("mode", ""),
        inputs=[read_array(*each) for each in arrays],
    )

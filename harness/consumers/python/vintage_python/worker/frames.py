"""Frames of the worker protocol (docs/worker_protocol.md)."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from vintage_python.failure import Failure

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

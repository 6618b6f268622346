#!/usr/bin/env python3
"""A worker of Vintage's protocol (docs/reference/worker_protocol.md) in Python.

    vintage builds add --archive A -- python3 docs/examples/worker.py
    vintage replay --archive A --build 'python-worker 2026-01-15'

It executes with JAX where that is installed, and answers "unsupported" where
it is not. With --echo it gives its inputs back, which is enough to try the
protocol. Replace execute() to test another runtime.
"""

import json
import struct
import sys

ELEMENT_BYTES = {
    "i1": 1,
    "i8": 1,
    "ui8": 1,
    "i16": 2,
    "ui16": 2,
    "f16": 2,
    "bf16": 2,
    "i32": 4,
    "ui32": 4,
    "f32": 4,
    "i64": 8,
    "ui64": 8,
    "f64": 8,
    "complex<f32>": 8,
    "complex<f64>": 16,
}


class Unsupported(Exception):
    pass


def read_exactly(stream, count):
    data = stream.read(count)
    if len(data) != count:
        raise EOFError
    return data


def read_frame(stream):
    """The header and the payloads of the next frame; None at the end."""
    prefix = stream.read(12)
    if not prefix:
        return None
    if len(prefix) != 12:
        raise EOFError
    header_bytes, payload_bytes = struct.unpack("<IQ", prefix)
    header = json.loads(read_exactly(stream, header_bytes))
    payload = read_exactly(stream, payload_bytes)
    payloads, start = [], 0
    for length in header.get("payloads", []):
        payloads.append(payload[start : start + length])
        start += length
    return header, payloads


def write_frame(stream, header, payloads=()):
    header = dict(header, payloads=[len(payload) for payload in payloads])
    text = json.dumps(header).encode()
    stream.write(struct.pack("<IQ", len(text), sum(header["payloads"])) + text + b"".join(payloads))
    stream.flush()


def execute(request, artifact, inputs):
    """Outputs as a list of ({"dtype", "shape"}, bytes). Raises Unsupported, or
    anything else, which is the artifact's error."""
    if request["format"] != "exported":
        raise Unsupported(f"a {request['format']} is not executed here")
    try:
        import jax
        import jax.export
        import numpy
    except ImportError as problem:
        raise Unsupported(f"JAX is not installed: {problem}") from problem
    names = {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64", "i1": "bool"}
    arrays = []
    for description, payload in inputs:
        if description["dtype"] not in names:
            raise Unsupported(f"this example does not know the dtype {description['dtype']}")
        flat = numpy.frombuffer(payload, names[description["dtype"]])
        arrays.append(flat.reshape(description["shape"]))
    exported = jax.export.deserialize(bytearray(artifact))
    arguments, keywords = jax.tree_util.tree_unflatten(exported.in_tree, arrays)
    outputs = []
    for leaf in jax.tree_util.tree_leaves(exported.call(*arguments, **keywords)):
        array = numpy.asarray(leaf)
        spelled = {value: key for key, value in names.items()}
        if array.dtype.name not in spelled:
            raise Unsupported(f"this example does not know the dtype {array.dtype.name}")
        outputs.append(
            ({"dtype": spelled[array.dtype.name], "shape": list(array.shape)}, array.tobytes())
        )
    return outputs


def echo(request, artifact, inputs):
    for description, payload in inputs:
        elements = 1
        for dimension in description["shape"]:
            elements *= dimension
        if len(payload) != elements * ELEMENT_BYTES.get(description["dtype"], 1):
            raise ValueError(f"{description} came with {len(payload)} bytes")
    return inputs[:1]


def main():
    run = echo if "--echo" in sys.argv[1:] else execute
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    # Output of libraries must not get between the frames.
    sys.stdout = sys.stderr
    write_frame(
        stdout,
        {
            "type": "hello",
            "protocol": 1,
            "name": "python-worker 2026-01-15",
            "version": "1",
            "build_date": "2026-01-15",
            "platforms": ["cpu"],
            "modes": ["graph"],
            "oldest_calling_convention": 9,
            "newest_calling_convention": 10,
            "newest_serialization": 12,
            "stablehlo_version": "1.20.0",
            "custom_call_targets": [],
        },
    )
    while (frame := read_frame(stdin)) is not None:
        request, payloads = frame
        reply = {
            "type": "reply",
            "id": request["id"],
            "outcome": "ran",
            "stage": "run",
            "detail": "",
            "outputs": [],
        }
        data = []
        try:
            outputs = run(
                request, payloads[0], list(zip(request["inputs"], payloads[1:], strict=True))
            )
            reply["outputs"] = [description for description, _ in outputs]
            data = [payload for _, payload in outputs]
        except Unsupported as problem:
            reply.update(outcome="unsupported", stage="load", detail=str(problem))
        except Exception as problem:  # An exception of the runtime under test is its outcome.
            reply.update(outcome="error", detail=f"{type(problem).__name__}: {problem}")
        write_frame(stdout, reply, data)


if __name__ == "__main__":
    main()

"""Runs the artifacts of a folder in a worker, and says what came of each.

    ENVIRONMENT/bin/python replay_folder.py PROGRAM CONDITION ENVIRONMENT FOLDER…

It runs in the environment's interpreter, which has NumPy and ml_dtypes, and
prints a line of JSON for each artifact. It has its own reading of frames and
arrays, so that it does not judge the worker by the worker's own code.
"""

import json
import struct
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np

SPELLED = {
    "bool": "i1", "int2": "i2", "int4": "i4", "uint2": "ui2", "uint4": "ui4", "int8": "i8",
    "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16",
    "uint32": "ui32", "uint64": "ui64", "float16": "f16", "bfloat16": "bf16", "float32": "f32",
    "float64": "f64", "complex64": "complex<f32>", "complex128": "complex<f64>",
    "float4_e2m1fn": "f4E2M1FN", "float8_e3m4": "f8E3M4", "float8_e4m3": "f8E4M3",
    "float8_e4m3b11fnuz": "f8E4M3B11FNUZ", "float8_e4m3fn": "f8E4M3FN",
    "float8_e4m3fnuz": "f8E4M3FNUZ", "float8_e5m2": "f8E5M2", "float8_e5m2fnuz": "f8E5M2FNUZ",
    "float8_e8m0fnu": "f8E8M0FNU",
}  # fmt: skip
TOLERANCE = {"float16": 5e-3, "float32": 2e-5, "complex64": 2e-5, "float64": 1e-12,
             "complex128": 1e-12, "bfloat16": 2e-2}  # fmt: skip


class Worker:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.hello, _ = self.read()

    def read(self):
        head = self.process.stdout.read(12)
        if len(head) != 12:
            raise EOFError
        header_bytes, payload_bytes = struct.unpack("<IQ", head)
        header = json.loads(self.process.stdout.read(header_bytes))
        payload = self.process.stdout.read(payload_bytes)
        payloads, start = [], 0
        for length in header["payloads"]:
            payloads.append(payload[start : start + length])
            start += length
        return header, payloads

    def ask(self, header, payloads):
        text = json.dumps({**header, "payloads": [len(p) for p in payloads]}).encode()
        frame = struct.pack("<IQ", len(text), sum(map(len, payloads))) + text
        self.process.stdin.write(frame + b"".join(payloads))
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def difference(meta, number, payload, expected):
    """Nothing where the output is what was recorded; else a few words."""
    name, shape = meta
    if name not in TOLERANCE:
        return "" if payload == expected.tobytes() else f"output {number} differs"
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    found = np.frombuffer(payload, dtype).reshape(shape)
    wanted = np.frombuffer(expected.tobytes(), dtype).reshape(shape)
    wide = np.complex128 if "complex" in name else np.float64
    near = np.allclose(found.astype(wide), wanted.astype(wide), rtol=TOLERANCE[name],
                       atol=TOLERANCE[name] * 10, equal_nan=True)  # fmt: skip
    return "" if near else f"output {number} differs"


def run(worker, folder):
    meta = json.loads((folder / "meta.json").read_text())
    inputs = [np.load(folder / f"input_{i}.npy") for i in range(len(meta["inputs"]))]
    described = [{"dtype": SPELLED[name], "shape": shape} for name, shape in meta["inputs"]]
    request = {"type": "execute", "id": 7, "name": meta["name"], "format": "exported",
               "platform": "cpu", "platforms": meta["platforms"], "mode": "compiled",
               "inputs": described}  # fmt: skip
    payloads = [(folder / "exported.bin").read_bytes(), *(each.tobytes() for each in inputs)]
    reply, outputs = worker.ask(request, payloads)
    line = {"name": meta["name"], "variant": meta["variant"], "outcome": reply["outcome"],
            "stage": reply["stage"], "detail": reply["detail"], "difference": ""}  # fmt: skip
    if reply["outcome"] == "ran" and meta["outputs"]:
        said = [[each["dtype"], each["shape"]] for each in reply["outputs"]]
        wanted = [[SPELLED[name], shape] for name, shape in meta["outputs"]]
        if said != wanted:
            line["difference"] = f"{said} came, {wanted} was recorded"
        for number, output in enumerate(outputs if said == wanted else []):
            expected = np.load(folder / f"expected_{number}.npy")
            line["difference"] += difference(meta["outputs"][number], number, output, expected)
    return line


def main():
    program, condition, environment, *folders = sys.argv[1:]
    command = [sys.executable, program, "worker", "--environment", environment,
               "--condition", condition]  # fmt: skip
    worker = Worker(command)
    print(json.dumps({"hello": worker.hello}))
    for parent in folders:
        for meta in sorted(Path(parent).rglob("meta.json")):
            try:
                line = run(worker, meta.parent)
            except (EOFError, BrokenPipeError):
                status = worker.process.wait()
                name = json.loads(meta.read_text())["name"]
                line = {"name": name, "outcome": "crash", "detail": f"status {status}"}
                worker = Worker(command)
            print(json.dumps(line), flush=True)
    print(json.dumps({"status": worker.close()}))


if __name__ == "__main__":
    main()

"""A worker, and frames to talk to it: written after docs/reference/worker_protocol.md."""

import json
import struct
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[3] / "harness/runtimes/python/vintage_jax"


class Worker:
    def __init__(self, environment, condition="warm", **options):
        self.process = subprocess.Popen(
            [environment / "bin/python", PROGRAM, "worker", "--environment", environment,
             "--condition", condition],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
        )  # fmt: skip
        self.hello, _ = self.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait()

    def read(self):
        head = self.process.stdout.read(12)
        assert len(head) == 12, self.process.stderr.read().decode()
        header_bytes, payload_bytes = struct.unpack("<IQ", head)
        header = json.loads(self.process.stdout.read(header_bytes))
        payload = self.process.stdout.read(payload_bytes)
        assert sum(header["payloads"]) == len(payload)
        return header, payload

    def write(self, header, payloads=()):
        text = json.dumps({**header, "payloads": [len(p) for p in payloads]}).encode()
        prefix = struct.pack("<IQ", len(text), sum(map(len, payloads)))
        self.process.stdin.write(prefix + text + b"".join(payloads))
        self.process.stdin.flush()

    def execute(self, artifact, inputs=(), **fields):
        """`inputs`: pairs of a description and bytes."""
        request = {
            "type": "execute", "id": 1, "name": "test", "format": "exported", "platform": "cpu",
            "platforms": ["cpu"], "mode": "compiled", "inputs": [d for d, _ in inputs],
        }  # fmt: skip
        self.write({**request, **fields}, [artifact, *(payload for _, payload in inputs)])
        return self.read()

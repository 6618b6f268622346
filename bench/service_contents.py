"""Writes the contents for bench/service_bench.sh: about 8 KB each, which compress like
programs, as files for nginx and as frames for the service.

usage: service_contents.py COUNT BATCHES FOLDER

BATCHES are small ones for a mixed load: ten artifacts of about 800 bytes each, concatenated
in one file, with their offsets in mixed.lua.
"""

import base64
import hashlib
import json
import os
import random
import sys

count, small_batches, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
os.makedirs(f"{folder}/files", exist_ok=True)
rng = random.Random(20261121)
operations = ["add", "multiply", "tanh", "dot_general", "reduce", "transpose", "select"]


def content(number, least=8000):
    lines = [f"module @jit_{number} {{"]
    size = 0
    while size < least:
        line = f"  %{len(lines)} = stablehlo.{rng.choice(operations)} %{rng.randrange(999)}, %{rng.randrange(999)} : tensor<{rng.randrange(1, 512)}x{rng.randrange(1, 512)}xf32>"
        lines.append(line)
        size += len(line) + 1
    return ("\n".join(lines) + "\n}\n").encode()


batch, batches = [], 0


def frames(batch):
    lines = []
    for identity, data, _ in batch:
        header = {"type": "content", "id": identity, "bytes": len(data)}
        lines.append(json.dumps(header).encode() + b"\n" + data)
    for identity, _, number in batch:
        record = {
            "id": identity,
            "name": f"case {number}",
            "producer": "bench 1",
            "build_date": "2026-11-20",
            "primitive": operations[number % 7],
            "dtypes": ["f32"],
            "platforms": ["cpu"],
        }
        lines.append(json.dumps({"type": "artifact", "record": record}).encode() + b"\n")
    end = {"type": "end", "contents": len(batch), "artifacts": len(batch)}
    return b"".join(lines) + json.dumps(end).encode() + b"\n"


def flush():
    global batch, batches
    if not batch:
        return
    with open(f"{folder}/batch.{batches:04}", "wb") as out:
        out.write(frames(batch))
    batch, batches = [], batches + 1


with open(f"{folder}/ids.lua", "w") as ids:
    ids.write("ids = {\n")
    for number in range(count):
        data = content(number)
        identity = hashlib.sha256(data).hexdigest()
        if number < 2000:  # So many are read back.
            with open(f"{folder}/files/{identity}", "wb") as out:
                out.write(data)
            ids.write(f'  "{identity}",\n')
        batch.append((identity, data, number))
        if len(batch) == 1000:
            flush()
    flush()
    ids.write("}\n")


def manifest(batch):
    """The batch as one object that a registry of containers keeps."""
    empty = b"{}"
    kind = "application/vnd.oci.image.manifest.v1+json"
    config = {
        "mediaType": "application/vnd.oci.image.config.v1+json",
        "digest": f"sha256:{hashlib.sha256(empty).hexdigest()}",
        "size": len(empty),
    }
    data = base64.b64encode(b"".join(data for _, data, _ in batch)).decode()
    return json.dumps({"schemaVersion": 2, "mediaType": kind, "config": config, "layers": [],
                       "annotations": {"batch": data}}).encode()  # fmt: skip


# Where each batch begins in two files, and the names that a registry gives them.
begins = {"mixed": [0], "manifests": [0]}
digests = []
with open(f"{folder}/mixed", "wb") as mixed, open(f"{folder}/manifests", "wb") as manifests:
    for first in range(count, count + 10 * small_batches, 10):
        made = [
            (hashlib.sha256(data).hexdigest(), data, number)
            for number in range(first, first + 10)
            for data in [content(number, 800)]
        ]
        begins["mixed"].append(begins["mixed"][-1] + mixed.write(frames(made)))
        body = manifest(made)
        begins["manifests"].append(begins["manifests"][-1] + manifests.write(body))
        digests.append(hashlib.sha256(body).hexdigest())
with open(f"{folder}/mixed.lua", "w") as lua:
    for name, places in begins.items():
        lua.write(f"{name} = {{" + ",".join(map(str, places)) + "}\n")
    lua.write("digests = {" + ",".join(f'"{digest}"' for digest in digests) + "}\n")

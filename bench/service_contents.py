"""Writes the contents for bench/service_bench.sh: about 8 KB each, which compress like
programs, as files for nginx and as frames for the service.

usage: service_contents.py COUNT BATCHES FOLDER

BATCHES are small ones for a mixed load: ten artifacts of about 800 bytes each, concatenated
in one file, with their offsets in mixed.lua.
"""

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

place, begins = 0, []
with open(f"{folder}/mixed", "wb") as out:
    for first in range(count, count + 10 * small_batches, 10):
        made = [
            (hashlib.sha256(data).hexdigest(), data, number)
            for number in range(first, first + 10)
            for data in [content(number, 800)]
        ]
        begins.append(place)
        place += out.write(frames(made))
with open(f"{folder}/mixed.lua", "w") as lua:
    lua.write("begins = {" + ",".join(map(str, [*begins, place])) + "}\n")

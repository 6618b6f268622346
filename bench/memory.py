#!/usr/bin/env python3
"""Measures the peak memory of put, get, replay and serve for an artifact with large constants.

    bench/memory.py [--build build/release] [--mebibytes 512] [--jax PYTHON] [--json FILE]

The artifact is a module with one constant of random bytes, which cannot be compressed, so
that its size on disk is that of the constant. An interpreter with JAX exports it; without one
it is made from text, up to 512 MiB. For each verb, prints the peak of resident memory of its
largest process, less that of an artifact of a few bytes, as a multiple of the artifact's
size.
"""

import argparse
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

SOURCE = pathlib.Path(__file__).resolve().parent.parent
_arguments = argparse.ArgumentParser(description=__doc__)
_arguments.add_argument("--build", type=pathlib.Path, default=SOURCE / "build" / "release")
_arguments.add_argument("--mebibytes", type=int, default=512)
_arguments.add_argument("--jax", type=pathlib.Path, help="a Python interpreter that has JAX")
_arguments.add_argument("--json", type=pathlib.Path)

WORDS_IN_ONE_WRITE = 1 << 16

# Usage: python -c EXPORT WORDS FILE
EXPORT = """
import sys
import jax, numpy
from jax import export
words, path = max(4, int(sys.argv[1])), sys.argv[2]
mantissas = numpy.frombuffer(numpy.random.default_rng(1).bytes(4 * words), numpy.uint32)
constant = ((mantissas >> 9) | 0x3F800000).view(numpy.float32)  # Between 1 and 2.
maximum = jax.jit(lambda x: jax.numpy.maximum(x, jax.numpy.max(constant)))
exported = export.export(maximum)(jax.ShapeDtypeStruct((), numpy.float32))
with open(path, "wb") as file:
    file.write(exported.serialize())
"""


def write_module(path: pathlib.Path, mebibytes: int) -> None:
    """Adds up a constant, so that the outputs are small."""
    words = max(4, mebibytes << 18)
    random.seed(1)
    with open(path, "w", encoding="ascii") as file:
        file.write(
            "module @constants { func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
            '%c = stablehlo.constant dense<"0x'
        )
        for first in range(0, words, WORDS_IN_ONE_WRITE):
            count = min(WORDS_IN_ONE_WRITE, words - first)
            # Floats between 1 and 2: each a different mantissa.
            block = bytearray(random.randbytes(4 * count))
            for i in range(count):
                block[4 * i + 2] = (block[4 * i + 2] & 0x7F) | 0x80
                block[4 * i + 3] = 0x3F
            file.write(block.hex().upper())
        file.write(
            f'"> : tensor<{words}xf32>\n'
            "%0 = stablehlo.reduce(%c init: %x) applies stablehlo.maximum across dimensions = [0]"
            f" : (tensor<{words}xf32>, tensor<f32>) -> tensor<f32>\n"
            "return %0 : tensor<f32> } }\n"
        )


def peak_of(command: list[str | pathlib.Path]) -> int:
    """Bytes of its largest process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {process.returncode}")
    return usage.ru_maxrss << 10


def peak_of_service(vintage: pathlib.Path, archive: pathlib.Path, content: str) -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    process = subprocess.Popen(
        [
            vintage,
            "serve",
            "--archive",
            archive,
            "--listen",
            address,
            "--anonymous",
            "read",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        with urllib.request.urlopen(f"http://{address}/v1/blobs/{content}") as answer:
            while answer.read(1 << 20):
                pass
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) << 10
    finally:
        process.terminate()
        process.wait()


def write_artifact(
    vintage: pathlib.Path,
    jax: pathlib.Path | None,
    artifact: pathlib.Path,
    mebibytes: int,
) -> None:
    if jax is not None:
        subprocess.run([jax, "-c", EXPORT, str(mebibytes << 18), artifact], check=True)
        return
    text = artifact.with_suffix(".mlir")
    write_module(text, mebibytes)
    subprocess.run(
        [
            vintage,
            "convert",
            text,
            "--target",
            "1.8.0",
            "--to",
            "portable",
            "-o",
            artifact,
        ],
        check=True,
    )
    text.unlink()


def peaks(
    options: argparse.Namespace, folder: pathlib.Path, mebibytes: int
) -> tuple[int, dict[str, int]]:
    """The artifact's size, and the peak of each verb."""
    vintage = options.build / "bin" / "vintage"
    artifact, archive = folder / "artifact", folder / "archive"
    write_artifact(vintage, options.jax, artifact, mebibytes)
    found = {
        "put": peak_of([vintage, "put", artifact, "--archive", archive, "--name", "constants",
                        "--build-date", "2026-03-01"])
    }  # fmt: skip
    found["get"] = peak_of(
        [vintage, "get", "constants", "--archive", archive, "-o", folder / "got"]
    )
    found["replay"] = peak_of([vintage, "replay", "--archive", archive, "--workers", "1"])
    listed = subprocess.run([vintage, "list", "--archive", archive, "--format", "json"],
                            capture_output=True, check=True)  # fmt: skip
    found["serve"] = peak_of_service(vintage, archive, json.loads(listed.stdout)[0]["id"])
    return artifact.stat().st_size, found


def main() -> int:
    options = _arguments.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as scratch:
        base = pathlib.Path(scratch) / "small"
        large = pathlib.Path(scratch) / "large"
        base.mkdir()
        large.mkdir()
        _, without = peaks(options, base, 0)
        size, peak = peaks(options, large, options.mebibytes)
    result = {verb: (peak[verb] - without[verb]) / size for verb in peak}
    print(f"an artifact of {size >> 20} MiB: peak of resident memory, as a multiple of its size")
    for verb, ratio in result.items():
        print(
            f"{verb:8} {ratio:5.2f}   ({peak[verb] >> 20} MiB; without constants "
            f"{without[verb] >> 20} MiB)"
        )
    if options.json:
        options.json.write_text(json.dumps({"bytes": size, "ratios": result}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

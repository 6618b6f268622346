"""Runs artifacts like a user of JAX alone: deserialize and call, in a loop.

    python bench/jax_loop.py DIR        (a Python with JAX; DIR has a folder for each artifact)

Each folder is the output of `vintage get`. The loop skips artifacts that it cannot call.
"""

import json
import sys
from pathlib import Path

import jax
import numpy as np


def run(folder: Path) -> None:
    exported = jax.export.deserialize(bytearray((folder / "exported.bin").read_bytes()))
    with np.load(folder / "inputs.npz") as stored:
        inputs = [stored[name] for name in stored.files]
    inputs = [
        array.view(aval.dtype) if array.dtype.kind == "V" else array
        for array, aval in zip(inputs, exported.in_avals, strict=True)
    ]
    args, kwargs = jax.tree_util.tree_unflatten(exported.in_tree, inputs)
    jax.block_until_ready(jax.jit(exported.call)(*args, **kwargs))


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    ran = 0
    for folder in sorted(Path(sys.argv[1]).iterdir()):
        try:
            run(folder)
        except (TypeError, ValueError, KeyError, FileNotFoundError):  # Keys, missing inputs.
            continue
        ran += 1
    print(json.dumps({"ran": ran}))


if __name__ == "__main__":
    main()

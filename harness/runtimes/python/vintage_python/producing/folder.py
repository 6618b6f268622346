"""An artifact as a folder that `vintage import` reads.

    meta.json, exported.bin, module.mlirbc or saved_model.tar, input_0.npy …, expected_0.npy …

It is made beside its place and renamed when it is whole.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vintage_python.producing.seeded_inputs import SeededInput
from vintage_python.worker.elements import Array, write_array

# The artifact's file, by its kind.
EXPORTED = "exported.bin"
MODULE = "module.mlirbc"
SAVED_MODEL = "saved_model.tar"

_PLAIN = re.compile(r"[^A-Za-z0-9_.,=-]+")
_LONGEST_NAME = 80
_OWN_TO_NUMPY = frozenset("?bhilqBHILQefdFD")


def folder_name(name: str) -> str:
    """Readable, and different for different names."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:10]
    return f"{_PLAIN.sub('_', name)[:_LONGEST_NAME]}-{digest}"


def described(arrays: Sequence[Array], seeds: Sequence[SeededInput] = ()) -> list[list[Any]]:
    """`seeds`: one for each array, or none; an array that a seed gives has no file."""
    rows: list[list[Any]] = [[array.dtype.name, list(array.shape)] for array in arrays]
    for row, seed in zip(rows, seeds, strict=False):
        row.append(seed.described())
    return rows


def _save(path: Path, array: Array) -> None:
    """NumPy has no name for the types of ml_dtypes: their bytes are saved as raw ones."""
    if array.dtype.char not in _OWN_TO_NUMPY:
        raw = np.frombuffer(write_array(array), f"V{array.dtype.itemsize}")
        array = raw.reshape(array.shape) if array.size else np.zeros(array.shape, raw.dtype)
    np.save(path, array, allow_pickle=False)


def write_folder(
    parent: Path,
    meta: dict[str, Any],
    file: str,
    data: bytes,
    inputs: Sequence[Array],
    expected: Sequence[Array],
) -> Path:
    place = parent / folder_name(meta["name"])
    partial = parent / f".partial-{os.getpid()}-{place.name}"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        (partial / file).write_bytes(data)
        for stem, arrays in (("input", inputs), ("expected", expected)):
            for number, array in enumerate(arrays):
                _save(partial / f"{stem}_{number}.npy", array)
        (partial / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
        if place.exists():
            shutil.rmtree(place)
        partial.rename(place)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return place

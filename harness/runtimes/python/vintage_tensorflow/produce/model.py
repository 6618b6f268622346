"""A model that a producer saves: a function over variables, and inputs that are recorded with its
outputs."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vintage_python.worker.elements import Array
from vintage_tensorflow.saved_model import SIGNATURE, pack


@dataclass(frozen=True)
class Built:
    """A model in the TensorFlow of this process."""

    function: Callable[..., Any]  # Of tensors; gives one or a tuple.
    inputs: tuple[Array, ...]  # Recorded, and computed with.
    state: tuple[Any, ...] = ()  # Variables and tables that the function uses.
    shapes: tuple[tuple[int | None, ...], ...] = ()  # Of the signature, if not the inputs' own.
    with_gradients: bool = False  # The model keeps functions that differentiate it.


@dataclass(frozen=True)
class Exporting:
    """A model that another package saves, in a folder."""

    save: Callable[[Path], None]
    inputs: tuple[Array, ...]  # In the order of their names.


@dataclass(frozen=True)
class Model:
    name: str
    primitive: str  # TensorFlow's name of what it is about: tf.einsum.
    build: Callable[[], Built | Exporting]
    variant: str = "static"


def numbers(name: str, *shape: int, dtype: str = "float32", scale: float = 1.0) -> Array:
    """Normally distributed, the same for the same name in each process."""
    source = np.random.RandomState(zlib.crc32(name.encode()))
    array: Array = (source.standard_normal(shape) * scale).astype(dtype)
    return array


def integers(name: str, low: int, high: int, *shape: int, dtype: str = "int32") -> Array:
    source = np.random.RandomState(zlib.crc32(name.encode()))
    array: Array = source.randint(low, high, shape).astype(dtype)
    return array


@dataclass(frozen=True)
class Saved:
    artifact: bytes
    expected: list[Array]


def save_model(built: Built | Exporting) -> Saved:
    """With one signature, whose inputs are input_0, input_1, … and outputs output_0, …, unless the
    package that saves it chooses names."""
    import tensorflow as tf

    if isinstance(built, Exporting):
        with tempfile.TemporaryDirectory() as folder:
            built.save(Path(folder))
            model = tf.saved_model.load(folder)
            signature = model.signatures[SIGNATURE]
            names = sorted(signature.structured_input_signature[1])
            inputs = dict(zip(names, map(tf.constant, built.inputs), strict=True))
            results = signature(**inputs)
            return Saved(pack(Path(folder)), [results[name].numpy() for name in sorted(results)])
    shapes = built.shapes or tuple(array.shape for array in built.inputs)
    types = [
        tf.TensorSpec(shape, array.dtype, name=f"input_{number}")
        for number, (shape, array) in enumerate(zip(shapes, built.inputs, strict=True))
    ]

    def serve(*tensors: Any) -> dict[str, Any]:
        results = built.function(*tensors)
        results = results if isinstance(results, (tuple, list)) else (results,)
        return {f"output_{number}": result for number, result in enumerate(results)}

    module = tf.Module()
    module.state = list(built.state)
    module.serve = tf.function(serve, input_signature=types, autograph=False)
    with tempfile.TemporaryDirectory() as folder:
        options = tf.saved_model.SaveOptions(experimental_custom_gradients=built.with_gradients)
        tf.saved_model.save(module, folder, {SIGNATURE: module.serve}, options)
        artifact = pack(Path(folder))
    # Only now: a model may change its state, which was saved as it was before.
    outputs = module.serve(*[tf.constant(array) for array in built.inputs])
    return Saved(artifact, [outputs[name].numpy() for name in sorted(outputs)])

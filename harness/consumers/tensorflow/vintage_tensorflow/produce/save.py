"""Saves a model, and records what it computes."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vintage_python.worker.elements import Array
from vintage_tensorflow.produce.model import Built
from vintage_tensorflow.saved_model import SIGNATURE, pack


@dataclass(frozen=True)
class Saved:
    artifact: bytes
    expected: list[Array]


def save_model(built: Built) -> Saved:
    """With one signature, whose inputs are input_0, input_1, … and outputs output_0, …"""
    import tensorflow as tf

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
        tf.saved_model.save(module, folder, signatures={SIGNATURE: module.serve})
        artifact = pack(Path(folder))
    # Only now: a model may change its state, which was saved as it was before.
    outputs = module.serve(*[tf.constant(array) for array in built.inputs])
    return Saved(artifact, [outputs[name].numpy() for name in sorted(outputs)])

"""StableHLO inside a SavedModel, as jax2tf puts it there: the operation XlaCallModule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

from vintage_python.exported import Aval, read_exported
from vintage_python.failure import Failure
from vintage_python.worker.elements import Array, dtype_of
from vintage_tensorflow.produce.model import Built, Model, integers, numbers
from vintage_tensorflow.release import stablehlo
from vintage_tensorflow.worker.call_module import Module, call_of

_CONVENTION = 9  # The newest that all releases here read.
_VERSION = "1.0.0"  # Of StableHLO.
_TEXT = """
module @softplus {
  func.func public @main(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.exponential %arg0 : tensor<4x3xf32>
    %1 = stablehlo.log_plus_one %0 : tensor<4x3xf32>
    return %1 : tensor<4x3xf32>
  }
}
"""


def _module() -> Built:
    code = stablehlo().serialize_portable_artifact_str(_TEXT, _VERSION)
    return Built(
        call_of(Module(code, _CONVENTION, ("cpu",), (Aval("f32", (4, 3)),))),
        (numbers("x", 4, 3),),
    )


def _module_over_variables() -> Built:
    """Parameters beside it are variables of TensorFlow."""
    built = _module()
    scale = tf.Variable(numbers("scale", 4, 3))

    def function(x: Any) -> Any:
        return built.function(x * scale)

    return Built(function, built.inputs, (scale,))


MODELS = (
    Model("call_module", "XlaCallModule", _module),
    Model("call_module_over_variables", "XlaCallModule", _module_over_variables),
)


def model_around(file: Path) -> Model:
    """Around an Exported: what jax2tf makes of a function of JAX."""
    try:
        exported = read_exported(file.read_bytes())
    except OSError as problem:
        raise Failure(f"{file} cannot be read: {problem.strerror}") from problem
    except ValueError as problem:
        raise Failure(f"{file} is no Exported: {problem}") from problem
    if not exported.static or exported.devices > 1 or "cpu" not in exported.platforms:
        raise Failure(
            f"{file} cannot be wrapped: its shapes are to be static, its platform the CPU, and one "
            "device is to run it"
        )

    def build() -> Built:
        call = call_of(Module.of(exported))
        inputs = tuple(
            _values(f"input {number}", aval) for number, aval in enumerate(exported.inputs)
        )
        return Built(lambda *tensors: call(*exported.kept_of(tensors)), inputs)

    return Model(f"exported_{file.stem}", "XlaCallModule", build)


def _values(name: str, aval: Aval) -> Array:
    """Positive and not far from one: inside the domain of most functions."""
    shape = tuple(size or 0 for size in aval.shape)
    dtype = dtype_of(aval.dtype)
    if dtype.kind in "biu":
        return integers(name, 0, 2, *shape).astype(dtype)
    return (abs(numbers(name, *shape, scale=0.25)) + 0.25).astype(dtype)

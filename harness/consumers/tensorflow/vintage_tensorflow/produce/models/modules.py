"""StableHLO inside a SavedModel, as jax2tf puts it there: the operation XlaCallModule."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from vintage_python.exported.exported import Aval
from vintage_tensorflow.produce.model import Built, Model, numbers
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

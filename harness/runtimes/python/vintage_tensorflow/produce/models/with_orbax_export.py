"""Models in plain JAX, as Orbax Export saves them: parameters as variables, batches of any size."""

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from vintage_jax.produce.case import Case
from vintage_jax.produce.models import language, science, vision
from vintage_tensorflow.produce.model import Exporting
from vintage_tensorflow.saved_model import SIGNATURE

# Of those of JAX: functions of weights and one input.
_CHOSEN = {
    "model:cached_decoding", "model:selective_scan", "model:diffusion", "model:down_and_up",
    "model:fourier_operator",
}  # fmt: skip


def _save(function: Callable[..., Any], weights: Any, x: Any, folder: Path) -> None:
    orbax: Any = importlib.import_module("orbax.export")
    module = orbax.JaxModule(weights, function, input_polymorphic_shape="b, ...")
    types = [tf.TensorSpec([None, *x.shape[1:]], x.dtype, name="x")]
    config = orbax.ServingConfig(SIGNATURE, input_signature=types, tf_postprocessor=_named)
    orbax.ExportManager(module, [config]).save(str(folder))


def _named(outputs: Any) -> dict[str, Any]:
    return {f"output_{number}": each for number, each in enumerate(tf.nest.flatten(outputs))}


def _model(case: Case) -> Exporting:
    made = case.prepare()
    weights, x = made.arguments
    return Exporting(partial(_save, made.function, weights, x), (np.asarray(x),))


def models() -> Iterator[tuple[str, Callable[[], Exporting]]]:
    for case in (*language.cases(), *vision.cases(), *science.cases()):
        if case.name in _CHOSEN:
            yield case.name.removeprefix("model:"), partial(_model, case)

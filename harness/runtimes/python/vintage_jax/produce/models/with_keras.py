"""Models of Keras on JAX, as inference and as a training step."""

import importlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from vintage_jax.produce.case import Case
from vintage_jax.produce.models.model import (
    Model,
    cases_of_models,
    cross_entropy,
    data,
    descended,
    tokens,
    weights,
)
from vintage_jax.produce.seeded_case import Seeded


def load_keras() -> Any:
    """On JAX, whatever the user's settings say."""
    os.environ |= {"KERAS_BACKEND": "jax", "KERAS_HOME": "/dev/null"}
    return importlib.import_module("keras")


def _dense(layers: Any, x: Any) -> Any:
    x = layers.Dropout(0.5)(layers.Dense(16, activation="gelu")(x))
    return layers.Dense(3, activation="softmax")(layers.LayerNormalization()(x))


def _convolutions(layers: Any, x: Any) -> Any:
    x = layers.Conv2D(8, 3, padding="same", use_bias=False)(x)
    x = layers.MaxPooling2D()(layers.ReLU()(layers.BatchNormalization()(x)))
    x = layers.GroupNormalization(4)(layers.SeparableConv2D(16, 3, strides=2)(x))
    x = layers.UpSampling2D(2, interpolation="bilinear")(layers.SpatialDropout2D(0.2)(x))
    return layers.Dense(10)(layers.GlobalAveragePooling2D()(x))


def _attention(layers: Any, words: Any) -> Any:
    x = layers.Embedding(40, 32)(words)
    mixed = layers.MultiHeadAttention(4, 8, dropout=0.1)(x, x, use_causal_mask=True)
    x = layers.LayerNormalization()(layers.Add()([x, mixed]))
    return layers.Dense(40)(layers.Dense(64, activation="swish")(x))


def _recurrent(layers: Any, x: Any) -> Any:
    return layers.Dense(2)(layers.Bidirectional(layers.GRU(12, return_sequences=True))(x))


# By name how layers make the outputs, and the inputs.
NETWORKS: dict[str, tuple[Callable[[Any, Any], Any], Seeded]] = {
    "dense": (_dense, data(4, 8)),
    "convolutions": (_convolutions, data(3, 12, 12, 3)),
    "attention": (_attention, tokens(3, 14, most=39)),
    "recurrent": (_recurrent, data(3, 20, 5)),
}


def network(name: str) -> Any:
    """The same in each process: names of layers count from the first on."""
    keras = load_keras()
    keras.utils.clear_session()
    keras.utils.set_random_seed(1)  # Dropout keeps a state.
    apply, inputs = NETWORKS[name]
    kind = "int32" if inputs.dtype == "i32" else "float32"
    x = keras.Input(inputs.shape[1:], dtype=kind, name="x")
    return keras.Model(x, apply(keras.layers, x))


def _stateless(name: str) -> tuple[Callable[..., Any], list[Seeded], Seeded]:
    """A function of what trains and of the inputs; what does not train is constant in it."""
    made = network(name)
    constant = [variable.value for variable in made.non_trainable_variables]
    w = [weights(*v.shape, seed=seed) for seed, v in enumerate(made.trainable_variables, 1)]
    return lambda w, x: made.stateless_call(w, constant, x, training=False)[0], w, NETWORKS[name][1]


def _inference(name: str) -> Model:
    function, w, x = _stateless(name)
    return function, (w, x)


def _training_step() -> Model:
    function, w, words = _stateless("attention")

    def loss(w: Any, words: Any, labels: Any) -> Any:
        return cross_entropy(function(w, words), labels)

    arguments = (w, words, tokens(3, 14, most=39, seed=2))
    return lambda w, *rest: descended(loss, w, *rest), arguments


_MODELS = {name: partial(_inference, name) for name in NETWORKS}


def cases(prefix: str) -> Iterator[Case]:
    yield from cases_of_models(_MODELS, prefix, any_batch=tuple(_MODELS))
    yield from cases_of_models({"training_step": _training_step}, prefix)

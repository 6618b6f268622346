"""Models that Flax makes: beside a release, or where a user's own environment has it."""

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

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


def _with_weights(module: Any, loss: Callable[..., Any], *arguments: Any) -> Model:
    """A training step. Flax says which weights there are; seeds give them."""
    shapes = [jax.ShapeDtypeStruct(one.shape, _TYPES[one.dtype]) for one in arguments]
    made = jax.eval_shape(lambda x: module.init(jax.random.PRNGKey(0), x), shapes[0])
    leaves, tree = jax.tree_util.tree_flatten(made)
    seeds = [weights(*leaf.shape, seed=number) for number, leaf in enumerate(leaves, 1)]
    w = jax.tree_util.tree_unflatten(tree, seeds)
    return lambda w, *rest: descended(loss, w, *rest), (w, *arguments)


_TYPES = {"f32": jnp.float32, "i32": jnp.int32}


def _convolutions() -> Model:
    from flax import linen

    class Network(linen.Module):  # type: ignore[misc]
        @linen.compact  # type: ignore[untyped-decorator]
        def __call__(self, x: Any) -> Any:
            for width in (8, 16):
                x = linen.Conv(width, (3, 3))(x)
                x = linen.GroupNorm(num_groups=4)(x)
                x = linen.max_pool(jax.nn.relu(x), (2, 2), strides=(2, 2))
            return linen.Dense(10)(x.mean((1, 2)))

    network = Network()

    def loss(w: Any, x: Any, labels: Any) -> Any:
        return cross_entropy(network.apply(w, x), labels)

    return _with_weights(network, loss, data(3, 12, 12, 3), tokens(3, most=9))


def _encoder() -> Model:
    from flax import linen

    class Encoder(linen.Module):  # type: ignore[misc]
        @linen.compact  # type: ignore[untyped-decorator]
        def __call__(self, words: Any) -> Any:
            x = linen.Embed(40, 32)(words)
            for _ in range(2):
                x = x + linen.MultiHeadDotProductAttention(num_heads=4)(linen.LayerNorm()(x))
                x = x + linen.Dense(32)(jax.nn.gelu(linen.Dense(64)(linen.LayerNorm()(x))))
            return linen.Dense(40)(x)

    encoder = Encoder()

    def loss(w: Any, words: Any, labels: Any) -> Any:
        return cross_entropy(encoder.apply(w, words), labels)

    return _with_weights(encoder, loss, tokens(3, 14, most=39), tokens(3, 14, most=39, seed=2))


def _recurrent() -> Model:
    from flax import linen

    class Recurrent(linen.Module):  # type: ignore[misc]
        @linen.compact  # type: ignore[untyped-decorator]
        def __call__(self, x: Any) -> Any:
            return linen.Dense(2)(linen.RNN(linen.GRUCell(24))(x))

    network = Recurrent()

    def loss(w: Any, x: Any, target: Any) -> Any:
        return ((network.apply(w, x) - target) ** 2).mean()

    return _with_weights(network, loss, data(3, 20, 5), data(3, 20, 2, seed=2))


_MODELS = {
    "convolutions": _convolutions,
    "encoder": _encoder,
    "recurrent": _recurrent,
}


def cases(prefix: str = "model:flax_") -> Iterator[Case]:
    if importlib.util.find_spec("flax") is not None:
        yield from cases_of_models(_MODELS, prefix)

"""Models of images: residual networks, transformers, diffusion, networks that go down and up."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.models.model import (
    Model,
    attention,
    block,
    block_weights,
    cases_of_models,
    convolved,
    cross_entropy,
    data,
    descended,
    normed,
    tokens,
    weights,
)


def _vision_transformer() -> Model:
    patch, width = 4, 32

    def logits(w: Any, images: Any) -> Any:
        batch, size, _, channels = images.shape
        count = size // patch
        cut = images.reshape(batch, count, patch, count, patch, channels).transpose(
            0, 1, 3, 2, 4, 5
        )
        x = cut.reshape(batch, count * count, -1) @ w["patch"]
        first = jnp.broadcast_to(w["class"], (batch, 1, width))
        x = jnp.concatenate([first, x], axis=1) + w["places"]
        for layer in w["layers"]:
            x = block(layer, x, 4)
        return normed(x[:, 0]) @ w["head"]

    def run(w: Any, images: Any, labels: Any) -> Any:
        gradient = jax.grad(lambda w: cross_entropy(logits(w, images), labels))(w)
        return logits(w, images), gradient

    w = {
        "patch": weights(patch * patch * 3, width, seed=1),
        "class": weights(1, width, seed=2),
        "places": weights(17, width, seed=3),
        "head": weights(width, 10, seed=4),
        "layers": [block_weights(width, 10), block_weights(width, 20)],
    }
    return run, (w, data(2, 16, 16, 3), tokens(2, most=9))


def _batch_normed(x: Any, scale: Any, shift: Any) -> tuple[Any, Any, Any]:
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift, mean, variance


def _residual_step() -> Model:
    """With the statistics of the batches, which a training step carries along."""

    def forward(w: Any, images: Any) -> Any:
        x, statistics = convolved(images, w["stem"]), []
        for layer in w["layers"]:
            y, *seen = _batch_normed(x, layer["scale"], layer["shift"])
            statistics.append(seen)
            y = convolved(jax.nn.relu(y), layer["first"], stride=2)
            y = convolved(jax.nn.relu(y), layer["second"])
            x = y + convolved(x, layer["short"], stride=2)
        return x.mean((1, 2)) @ w["head"], statistics

    def loss(w: Any, images: Any, labels: Any) -> Any:
        return cross_entropy(forward(w, images)[0], labels)

    def run(w: Any, images: Any, labels: Any) -> Any:
        return descended(loss, w, images, labels), forward(w, images)[1]

    def layer(channels: int, seed: int) -> dict[str, Any]:
        return {
            "scale": weights(channels, seed=seed),
            "shift": weights(channels, seed=seed + 1),
            "first": weights(3, 3, channels, 2 * channels, seed=seed + 2),
            "second": weights(3, 3, 2 * channels, 2 * channels, seed=seed + 3),
            "short": weights(1, 1, channels, 2 * channels, seed=seed + 4),
        }

    w = {
        "stem": weights(3, 3, 3, 8, seed=1),
        "head": weights(32, 10, seed=2),
        "layers": [layer(8, 10), layer(16, 20)],
    }
    return run, (w, data(4, 16, 16, 3), tokens(4, most=9))


def _group_normed(x: Any, groups: int = 4) -> Any:
    batch, height, width, channels = x.shape
    grouped = x.reshape(batch, height * width, groups, channels // groups)
    mean, variance = grouped.mean((1, 3), keepdims=True), grouped.var((1, 3), keepdims=True)
    return ((grouped - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape)


def _diffusion() -> Model:
    """A few steps without noise, from what a small network predicts."""
    channels, turns = 16, 4

    def predicted(w: Any, x: Any, time: Any) -> Any:
        angles = time * 10.0 ** (-jnp.arange(8, dtype=x.dtype) / 8)
        embedded = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)]) @ w["time"]
        hidden = convolved(x, w["in"]) + embedded
        hidden = hidden + convolved(jax.nn.silu(_group_normed(hidden)), w["middle"])
        flat = hidden.reshape(x.shape[0], -1, channels)
        q, k, v = jnp.split(normed(flat) @ w["mix"], 3, axis=-1)
        hidden = (flat + attention(q, k, v)).reshape(hidden.shape)
        return convolved(jax.nn.silu(_group_normed(hidden)), w["out"])

    def run(w: Any, x: Any) -> Any:
        levels = jnp.linspace(0.9, 0.1, turns + 1, dtype=x.dtype)

        def body(i: Any, x: Any) -> Any:
            now, then = levels[i], levels[i + 1]
            noise = predicted(w, x, now)
            clean = (x - now * noise) / jnp.sqrt(1 - now**2)
            return jnp.sqrt(1 - then**2) * clean + then * noise

        return lax.fori_loop(0, turns, body, x)

    w = {
        "time": weights(16, channels, seed=1),
        "in": weights(3, 3, 3, channels, seed=2),
        "middle": weights(3, 3, channels, channels, seed=3),
        "mix": weights(channels, 3 * channels, seed=4),
        "out": weights(3, 3, channels, 3, seed=5),
    }
    return run, (w, data(2, 8, 8, 3))


def _down_and_up() -> Model:
    """A U-net with pooling and transposed convolutions."""

    def run(w: Any, x: Any) -> Any:
        first = jax.nn.leaky_relu(convolved(x, w["a"]))
        pooled = lax.reduce_window(first, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        second = jax.nn.leaky_relu(convolved(pooled, w["b"]))
        up = lax.conv_transpose(
            second, w["up"], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        resized = jax.image.resize(pooled, first.shape, "bilinear")
        return jax.nn.sigmoid(convolved(jnp.concatenate([first, up, resized], -1), w["c"]))

    w = {
        "a": weights(3, 3, 1, 8, seed=1),
        "b": weights(3, 3, 8, 16, seed=2),
        "up": weights(2, 2, 16, 8, seed=3),
        "c": weights(1, 1, 24, 2, seed=4),
    }
    return run, (w, data(2, 16, 16, 1))


_MODELS = {
    "vision_transformer": _vision_transformer,
    "residual_step": _residual_step,
    "diffusion": _diffusion,
    "down_and_up": _down_and_up,
}


def cases() -> Iterator[Case]:
    return cases_of_models(_MODELS)

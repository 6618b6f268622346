"""Training and inference in types of 16 bits and fewer, and densities that a flow gives."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.models.model import (
    Model,
    block,
    block_weights,
    cases_of_models,
    data,
    descended,
    normed,
    tokens,
    weights,
)


def _bf16_step() -> Model:
    """Master weights in f32, the passes in bf16."""

    def loss(w: Any, x: Any, target: Any) -> Any:
        narrow = jax.tree_util.tree_map(lambda a: a.astype(jnp.bfloat16), w)
        y = block(narrow, x.astype(jnp.bfloat16), 4)
        return ((y.astype(jnp.float32) - target) ** 2).mean()

    return (
        lambda w, x, target: descended(loss, w, x, target),
        (block_weights(32, 1), data(2, 12, 32), data(2, 12, 32, seed=2)),
    )


def _fp8_step() -> Model:
    """Operands are rounded to eight bits, forward to e4m3 and backward to e5m2."""

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def product(x: Any, w: Any) -> Any:
        return _rounded(x, jnp.float8_e4m3fn) @ _rounded(w, jnp.float8_e4m3fn)

    def forward(x: Any, w: Any) -> Any:
        return product(x, w), (x, w)

    def backward(kept: Any, cotangent: Any) -> Any:
        x, w = kept
        narrow = _rounded(cotangent, jnp.float8_e5m2)
        return narrow @ _rounded(w, jnp.float8_e4m3fn).T, _rounded(x, jnp.float8_e4m3fn).T @ narrow

    product.defvjp(forward, backward)

    def loss(w: Any, x: Any, target: Any) -> Any:
        hidden = jax.nn.relu(product(x, w["up"]))
        return ((product(hidden, w["down"]) - target) ** 2).mean()

    w = {"up": weights(16, 48, seed=1), "down": weights(48, 16, seed=2)}
    return (
        lambda w, x, target: descended(loss, w, x, target),
        (w, data(20, 16), data(20, 16, seed=2)),
    )


def _rounded(x: Any, dtype: Any) -> Any:
    """To a scale of powers of two, so that scaling is exact."""
    scale = jnp.exp2(jnp.ceil(jnp.log2(jnp.abs(x).max() + 1e-6)))
    return (x / scale * 16).astype(dtype).astype(x.dtype) * scale / 16


def _int4_weights() -> Model:
    """Weights of four bits with a scale for each group, unpacked from bytes and from int4."""

    def run(packed: Any, scales: Any, x: Any) -> Any:
        low = (packed & 15) - 8
        high = ((packed >> 4) & 15) - 8
        whole = jnp.stack([low, high], axis=1).reshape(-1, packed.shape[1])
        narrow = whole.astype(jnp.int4).astype(jnp.float32)
        grouped = narrow.reshape(scales.shape[0], -1, packed.shape[1]) * scales[:, None]
        return jax.nn.silu(x @ grouped.reshape(narrow.shape)), (narrow**2).sum(0)

    return run, (
        tokens(16, 24, most=255),
        weights(4, 24, seed=2),
        data(10, 32),
    )


def _flow() -> Model:
    """Coupling layers: densities with their gradient, and the way back."""
    size, layers = 6, 4

    def scale_and_shift(w: Any, kept: Any) -> Any:
        both = jnp.tanh(kept @ w["up"]) @ w["down"]
        return jnp.tanh(both[..., : size // 2]), both[..., size // 2 :]

    def density(ws: Any, x: Any) -> Any:
        total = jnp.zeros(x.shape[0], x.dtype)
        for w in ws:
            kept, moved = jnp.split(x, 2, axis=-1)
            scale, shift = scale_and_shift(w, kept)
            x = jnp.concatenate([moved * jnp.exp(scale) + shift, kept], axis=-1)
            total = total + scale.sum(-1)
        return total - (x**2).sum(-1) / 2, x

    def back(ws: Any, x: Any) -> Any:
        for w in reversed(ws):
            moved, kept = jnp.split(x, 2, axis=-1)
            scale, shift = scale_and_shift(w, kept)
            x = jnp.concatenate([kept, (moved - shift) * jnp.exp(-scale)], axis=-1)
        return x

    def run(ws: Any, x: Any) -> Any:
        logarithms, latent = density(ws, x)
        gradient = jax.grad(lambda ws: density(ws, x)[0].mean())(ws)
        return logarithms, latent, back(ws, latent), gradient

    ws = [
        {"up": weights(size // 2, 16, seed=seed), "down": weights(16, size, seed=seed + 1)}
        for seed in range(10, 10 + 2 * layers, 2)
    ]
    return run, (ws, data(20, size))


def _adam_steps() -> Model:
    """Several steps of a perceptron, with dropout and clipped gradients."""

    def loss(w: Any, x: Any, target: Any, key: Any) -> Any:
        hidden = jnp.tanh(normed(x) @ w["up"])
        hidden = jnp.where(jax.random.bernoulli(key, 0.75, hidden.shape), hidden / 0.75, 0)
        return ((hidden @ w["down"] - target) ** 2).mean()

    def run(w: Any, x: Any, target: Any) -> Any:
        zeros = jax.tree_util.tree_map(jnp.zeros_like, w)

        def step(carry: Any, turn: Any) -> Any:
            w, first, second = carry
            key = jax.random.fold_in(jax.random.PRNGKey(3), turn)
            value, g = jax.value_and_grad(loss)(w, x, target, key)
            norm = jnp.sqrt(sum((leaf**2).sum() for leaf in jax.tree_util.tree_leaves(g)))
            g = jax.tree_util.tree_map(lambda leaf: leaf / jnp.maximum(norm, 1), g)
            first = jax.tree_util.tree_map(lambda m, leaf: 0.9 * m + 0.1 * leaf, first, g)
            second = jax.tree_util.tree_map(lambda v, leaf: 0.99 * v + 0.01 * leaf**2, second, g)
            w = jax.tree_util.tree_map(
                lambda a, m, v: a - 0.01 * m / (jnp.sqrt(v) + 1e-3), w, first, second
            )
            return (w, first, second), value

        return lax.scan(step, (w, zeros, zeros), jnp.arange(8))

    w = {"up": weights(12, 40, seed=1), "down": weights(40, 3, seed=2)}
    return run, (w, data(30, 12), data(30, 3, seed=2))


_MODELS = {
    "bf16_step": _bf16_step,
    "fp8_step": _fp8_step,
    "int4_weights": _int4_weights,
    "flow": _flow,
    "adam_steps": _adam_steps,
}


def cases() -> Iterator[Case]:
    return cases_of_models(_MODELS)

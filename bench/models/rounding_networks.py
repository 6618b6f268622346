"""Networks whose values depend on the order of their roundings.

Gradients cancel, a batch gives the statistics by which it is divided, and a recurrence carries an
error along. They expect `jax_enable_x64`, as one is f64.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from models import Model, Parameters, normal


def _batch_normed(x: Array, scale: Array, shift: Array) -> Any:
    mean = x.mean((0, 1, 2))
    variance = ((x - mean) ** 2).mean((0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift


def _convolved(x: Array, kernel: Array) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=numbers)


def _cross_entropy(logits: Array, labels: Array) -> Any:
    wanted = jax.nn.one_hot(labels, logits.shape[-1], dtype=logits.dtype)
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * wanted, -1))


def resnet_step() -> Model:
    """A step of training. The gradient of `bias1` is zero but for rounding: its layer's mean is
    subtracted."""
    random = np.random.RandomState(3)

    def loss(p: Parameters, x: Array, labels: Array) -> Any:
        h = jax.nn.relu(_convolved(x, p["k0"]) + p["b0"])
        for b in p["blocks"]:
            g = _batch_normed(_convolved(h, b["k1"]) + b["bias1"], b["s1"], b["o1"])
            g = _batch_normed(_convolved(jax.nn.relu(g), b["k2"]), b["s2"], b["o2"])
            h = jax.nn.relu(h + g)
        return _cross_entropy(h.mean((1, 2)) @ p["w"] + p["wb"], labels)

    def step(p: Parameters, x: Array, labels: Array) -> Any:
        value, gradient = jax.value_and_grad(loss)(p, x, labels)
        return value, gradient, jax.tree.map(lambda a, g: a - 0.1 * g, p, gradient)

    def block() -> Parameters:
        return {
            "k1": normal(random, 3, 3, 16, 16),
            "bias1": normal(random, 16, scale=0.1),
            "s1": 1 + normal(random, 16, scale=0.1),
            "o1": normal(random, 16, scale=0.1),
            "k2": normal(random, 3, 3, 16, 16),
            "s2": 1 + normal(random, 16, scale=0.1),
            "o2": normal(random, 16, scale=0.1),
        }

    parameters = {
        "k0": normal(random, 3, 3, 3, 16),
        "b0": normal(random, 16, scale=0.1),
        "blocks": [block() for _ in range(3)],
        "w": normal(random, 16, 10),
        "wb": normal(random, 10, scale=0.1),
    }
    images = normal(random, 8, 16, 16, 3, scale=1)
    return step, (parameters, images, random.randint(0, 10, 8).astype(np.int32))


def batch_norm() -> Model:
    """The gradient of a batch normalization alone, of values far from zero."""
    random = np.random.RandomState(4)

    def gradient(x: Array, scale: Array, shift: Array, cotangent: Array) -> Any:
        return jax.vjp(_batch_normed, x, scale, shift)[1](cotangent)

    x = normal(random, 8, 8, 8, 16, scale=1) + 5
    scale, shift = 1 + normal(random, 16), normal(random, 16)
    return gradient, (x, scale, shift, normal(random, 8, 8, 8, 16, scale=1))


def _vit() -> tuple[Callable[[Parameters, Array], Any], Parameters, Any, Any]:
    """A vision transformer of three blocks: its logits, parameters, images and labels."""
    random, width, heads, length = np.random.RandomState(5), 64, 4, 17

    def normed(x: Array, scale: Array) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale

    def attention(b: Parameters, x: Array) -> Any:
        split = (x.shape[0], length, heads, width // heads)
        q, k, v = ((x @ b[c] + (b["kb"] if c == "k" else 0)).reshape(split) for c in "qkv")
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.float32((width // heads) ** 0.5)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), v)
        return mixed.reshape(x.shape) @ b["o"]

    def logits(p: Parameters, images: Array) -> Any:
        batch = images.shape[0]
        cut = images.reshape(batch, 4, 4, 4, 4, 3).transpose(0, 1, 3, 2, 4, 5)
        first = jnp.broadcast_to(p["cls"], (batch, 1, width))
        h = jnp.concatenate([first, cut.reshape(batch, 16, 48) @ p["patch"]], 1) + p["pos"]
        for b in p["blocks"]:
            h = h + attention(b, normed(h, b["s1"]))
            h = h + jax.nn.gelu(normed(h, b["s2"]) @ b["u"] + b["ub"]) @ b["d"]
        return h[:, 0] @ p["head"]

    def block() -> Parameters:
        return {
            **{name: normal(random, width, width) for name in "qkvo"},
            "kb": normal(random, width, scale=0.1),
            "u": normal(random, width, 4 * width),
            "ub": normal(random, 4 * width, scale=0.1),
            "d": normal(random, 4 * width, width),
            "s1": 1 + normal(random, width, scale=0.1),
            "s2": 1 + normal(random, width, scale=0.1),
        }

    parameters = {
        "patch": normal(random, 48, width),
        "pos": normal(random, length, width, scale=0.02),
        "cls": normal(random, width, scale=0.02),
        "blocks": [block() for _ in range(3)],
        "head": normal(random, width, 10),
    }
    images = normal(random, 4, 16, 16, 3, scale=1)
    return logits, parameters, images, random.randint(0, 10, 4).astype(np.int32)


def vit() -> Model:
    logits, parameters, images, _ = _vit()
    return logits, (parameters, images)


def vit_gradient() -> Model:
    """The gradient of `kb` is zero but for rounding: a softmax does not depend on it."""
    logits, *arguments = _vit()

    def loss(p: Parameters, images: Array, labels: Array) -> Any:
        return _cross_entropy(logits(p, images), labels)

    return jax.value_and_grad(loss), tuple(arguments)


def vit_gradient_bf16() -> Model:
    logits, *arguments = _vit()

    def loss(p: Parameters, images: Array, labels: Array) -> Any:
        narrow = jax.tree.map(lambda a: a.astype(jnp.bfloat16), (p, images))
        return _cross_entropy(logits(*narrow).astype(jnp.float32), labels)

    return jax.value_and_grad(loss), tuple(arguments)


def moe_f64() -> Model:
    """A mixture of experts: the two best of eight for each token, and the gradient."""
    random = np.random.RandomState(6)
    width, hidden, experts, tokens, capacity = 32, 64, 8, 64, 24

    def mixed(gate: Array, w1: Array, w2: Array, x: Array) -> Any:
        best, chosen = lax.top_k(jax.nn.softmax(x @ gate), 2)
        hot = jax.nn.one_hot(chosen, experts, dtype=x.dtype)
        before = jnp.cumsum(hot.reshape(tokens * 2, experts), 0).reshape(tokens, 2, experts)
        place = jnp.max(before * hot - 1, -1).astype(jnp.int32)
        slot = jax.nn.one_hot(place, capacity, dtype=x.dtype)
        sent = jnp.einsum("tke,tkc->tec", hot, slot)
        weight = jnp.einsum("tk,tke,tkc->tec", best, hot, slot)
        h = jax.nn.gelu(jnp.einsum("tec,td,edf->ecf", sent, x, w1))
        return jnp.einsum("tec,ecf,efd->td", weight, h, w2), chosen

    def loss(*arguments: Array) -> Any:
        return jnp.sum(mixed(*arguments)[0] ** 2)

    def run(*arguments: Array) -> Any:
        return mixed(*arguments), jax.grad(loss, argnums=(0, 1, 2))(*arguments)

    narrow = (
        normal(random, width, experts),
        normal(random, experts, width, hidden),
        normal(random, experts, hidden, width),
        normal(random, tokens, width, scale=1),
    )
    return run, tuple(a.astype(np.float64) for a in narrow)


def lstm() -> Model:
    """All states of a sequence, and the gradient through it."""
    random, width = np.random.RandomState(7), 32

    def states(wi: Array, wh: Array, bias: Array, x: Array) -> Any:
        def cell(state: tuple[Array, Array], x: Array) -> Any:
            h, c = state
            let_in, cell_value, forget, out = jnp.split(x @ wi + h @ wh + bias, 4, -1)
            c = jax.nn.sigmoid(forget) * c + jax.nn.sigmoid(let_in) * jnp.tanh(cell_value)
            h = jax.nn.sigmoid(out) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((4, width), jnp.float32)
        return lax.scan(cell, (zero, zero), x)[1]

    def loss(*arguments: Array) -> Any:
        return jnp.sum(states(*arguments) ** 2)

    def run(*arguments: Array) -> Any:
        return states(*arguments), jax.grad(loss, argnums=(0, 1, 2))(*arguments)

    wi, wh = normal(random, width, 4 * width), normal(random, width, 4 * width)
    bias = normal(random, 4 * width, scale=0.1)
    return run, (wi, wh, bias, normal(random, 24, 4, width, scale=1))


def mamba() -> Model:
    """A selective state space: its recurrence is an associative scan."""
    random, width, states, length = np.random.RandomState(9), 16, 8, 128

    def joined(p: tuple[Array, Array], q: tuple[Array, Array]) -> Any:
        return p[0] * q[0], q[0] * p[1] + q[1]

    def run(x: Array, a: Array, b: Array, c: Array, dt: Array) -> Any:
        delta = jax.nn.softplus(dt)[..., None]
        decay, driven = jnp.exp(delta * a), delta * b[:, None, :] * x[..., None]
        return jnp.einsum("ldn,ln->ld", lax.associative_scan(joined, (decay, driven))[1], c)

    x, a = normal(random, length, width, scale=1), -np.exp(normal(random, width, states, scale=0.5))
    b, c = normal(random, length, states, scale=1), normal(random, length, states, scale=1)
    return run, (x, a, b, c, normal(random, length, width, scale=1))


def flow() -> Model:
    """A normalizing flow of six couplings, and the gradient of its likelihood."""
    random, width = np.random.RandomState(11), 8

    def mapped(layers: Any, x: Array) -> Any:
        logarithm = jnp.zeros(x.shape[0], x.dtype)
        for w1, w2 in layers:
            kept, moved = jnp.split(x, 2, -1)
            scale, shift = jnp.split(jnp.tanh(kept @ w1) @ w2, 2, -1)
            x = jnp.concatenate([moved * jnp.exp(scale) + shift, kept], -1)
            logarithm = logarithm + scale.sum(-1)
        return x, logarithm

    def likelihood(layers: Any, x: Array) -> Any:
        y, logarithm = mapped(layers, x)
        return jnp.mean(-0.5 * jnp.sum(y**2, -1) + logarithm)

    def run(layers: Any, x: Array) -> Any:
        return mapped(layers, x), jax.grad(likelihood)(layers, x)

    layers = [(normal(random, width // 2, 32), normal(random, 32, width)) for _ in range(6)]
    return run, (layers, normal(random, 32, width, scale=1))


MODELS: dict[str, Callable[[], Model]] = {
    make.__name__: make
    for make in (
        resnet_step,
        batch_norm,
        vit,
        vit_gradient,
        vit_gradient_bf16,
        moe_f64,
        lstm,
        mamba,
        flow,
    )
}

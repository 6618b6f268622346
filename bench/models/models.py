"""Five programs as users of JAX write them, f32, with random weights as arguments.

Each entry of MODELS makes a function and its arguments. Batch statistics are those of
inference, and nothing is random but the weights, so that two runs give the same.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

Model = tuple[Callable[..., Any], tuple[Any, ...]]
Parameters = dict[str, Any]


def normal(random: np.random.RandomState, *shape: int, scale: float | None = None) -> Any:
    """Weights whose products keep the size of the other factor."""
    fan_in = int(np.prod(shape[:-1])) if len(shape) > 1 else 1
    width = fan_in**-0.5 if scale is None else scale
    return (random.standard_normal(shape) * width).astype(np.float32)


def transformer() -> Model:
    """A transformer's block: attention of 8 heads, and a network of two layers."""
    batch, length, width, heads, hidden = 2, 128, 512, 8, 2048
    random = np.random.RandomState(1)

    def normalized(x: Array, scale: Array, bias: Array) -> Any:
        mean = x.mean(-1, keepdims=True)
        variance = jnp.square(x - mean).mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias

    def block(p: Parameters, x: Array) -> Any:
        y = normalized(x, p["scale1"], p["bias1"])
        q, k, v = (
            (y @ p[name]).reshape(batch, length, heads, width // heads) for name in ("q", "k", "v")
        )
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.float32((width // heads) ** 0.5)
        causal = jnp.tril(jnp.ones((length, length), bool))
        weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
        y = jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, length, width)
        x = x + y @ p["out"]
        y = normalized(x, p["scale2"], p["bias2"])
        return x + jax.nn.gelu(y @ p["up"] + p["up_bias"]) @ p["down"] + p["down_bias"]

    parameters = {name: normal(random, width, width) for name in ("q", "k", "v", "out")}
    parameters |= {
        "up": normal(random, width, hidden),
        "up_bias": normal(random, hidden),
        "down": normal(random, hidden, width),
        "down_bias": normal(random, width),
    }
    for i in "12":
        parameters["scale" + i] = 1 + normal(random, width, scale=0.1)
        parameters["bias" + i] = normal(random, width, scale=0.1)
    return block, (parameters, normal(random, batch, length, width, scale=1))


def resnet18() -> Model:
    """ResNet-18 on one picture of 224 x 224, channels last."""
    random = np.random.RandomState(2)

    def convolved(x: Array, kernel: Array, stride: int = 1) -> Any:
        return lax.conv_general_dilated(
            x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    def normalized(x: Array, p: Parameters) -> Any:
        return (x - p["mean"]) * lax.rsqrt(p["variance"] + 1e-5) * p["scale"] + p["bias"]

    def norm(width: int) -> Parameters:
        return {
            "mean": normal(random, width, scale=0.1),
            "variance": 1 + np.abs(normal(random, width, scale=0.1)),
            "scale": 1 + normal(random, width, scale=0.1),
            "bias": normal(random, width, scale=0.1),
        }

    def block(x: Array, p: Parameters, stride: int) -> Any:
        y = jax.nn.relu(normalized(convolved(x, p["kernel1"], stride), p["norm1"]))
        y = normalized(convolved(y, p["kernel2"]), p["norm2"])
        if "projection" in p:
            x = normalized(convolved(x, p["projection"], stride), p["norm3"])
        return jax.nn.relu(x + y)

    def network(p: Parameters, x: Array) -> Any:
        x = jax.nn.relu(normalized(convolved(x, p["kernel"], 2), p["norm"]))
        x = lax.reduce_window(x, -np.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for i, part in enumerate(p["blocks"]):
            x = block(x, part, 2 if i in (2, 4, 6) else 1)
        return x.mean((1, 2)) @ p["classes"] + p["classes_bias"]

    blocks = []
    channels = 64
    for i, width in enumerate((64, 64, 128, 128, 256, 256, 512, 512)):
        part = {
            "kernel1": normal(random, 3, 3, channels, width),
            "norm1": norm(width),
            "kernel2": normal(random, 3, 3, width, width),
            "norm2": norm(width),
        }
        if i in (2, 4, 6):
            part |= {"projection": normal(random, 1, 1, channels, width), "norm3": norm(width)}
        blocks.append(part)
        channels = width
    parameters = {
        "kernel": normal(random, 7, 7, 3, 64),
        "norm": norm(64),
        "blocks": blocks,
        "classes": normal(random, 512, 1000),
        "classes_bias": normal(random, 1000, scale=0.1),
    }
    return network, (parameters, normal(random, 1, 224, 224, 3, scale=1))


def lstm() -> Model:
    """Two layers of an LSTM over 64 steps."""
    batch, length, width = 16, 64, 256
    random = np.random.RandomState(3)

    def cell(p: Parameters, state: tuple[Array, Array], x: Array) -> Any:
        h, c = state
        gates = x @ p["input"] + h @ p["hidden"] + p["bias"]
        i, f, g, o = jnp.split(gates, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    def network(layers: list[Parameters], x: Array) -> Any:
        zero = jnp.zeros((batch, width), jnp.float32)
        for p in layers:
            step: Any = functools.partial(cell, p)
            _, x = lax.scan(step, (zero, zero), x)
        return x

    layers = [
        {
            "input": normal(random, width, 4 * width),
            "hidden": normal(random, width, 4 * width),
            "bias": normal(random, 4 * width, scale=0.1),
        }
        for _ in range(2)
    ]
    return network, (layers, normal(random, length, batch, width, scale=1))


def fourier() -> Model:
    """Two layers of a Fourier neural operator over a grid of 128 x 128."""
    batch, size, width, kept = 2, 128, 16, 32
    random = np.random.RandomState(4)

    def layer(p: Parameters, x: Array) -> Any:
        spectrum = jnp.fft.rfft2(x, axes=(1, 2))
        weights = p["real"] + 1j * p["imaginary"]
        low = jnp.einsum("bxyi,ioxy->bxyo", spectrum[:, :kept, :kept], weights)
        mixed = jnp.zeros_like(spectrum).at[:, :kept, :kept].set(low)
        return jax.nn.gelu(jnp.fft.irfft2(mixed, s=(size, size), axes=(1, 2)) + x @ p["direct"])

    def network(layers: list[Parameters], x: Array) -> Any:
        for p in layers:
            x = layer(p, x)
        return x, jnp.abs(jnp.fft.fftn(x[..., 0], axes=(1, 2)))

    layers = [
        {
            "real": normal(random, width, width, kept, kept, scale=width**-0.5),
            "imaginary": normal(random, width, width, kept, kept, scale=width**-0.5),
            "direct": normal(random, width, width),
        }
        for _ in range(2)
    ]
    return network, (layers, normal(random, batch, size, size, width, scale=1))


def linear_algebra() -> Model:
    """Factorizations, a least-squares problem, and 100 steps of conjugate gradients."""
    n = 128
    random = np.random.RandomState(5)

    def solve(a: Array, b: Array) -> Any:
        definite = a @ a.T / n + jnp.eye(n, dtype=a.dtype)
        factor = jax.scipy.linalg.cho_factor(definite)
        direct = jax.scipy.linalg.cho_solve(factor, b)
        q, r = jnp.linalg.qr(a)
        squares = jax.scipy.linalg.solve_triangular(r, q.T @ b)
        singular = jnp.linalg.svd(a, compute_uv=False)
        eigen = jnp.linalg.eigvalsh(definite)
        gradients: Any = jax.scipy.sparse.linalg.cg
        iterated, _ = gradients(lambda v: definite @ v, b[:, 0], maxiter=100)
        return direct, jnp.linalg.solve(definite, b), squares, singular, eigen, iterated

    a = normal(random, n, n, scale=1) + 8 * np.eye(n, dtype=np.float32)
    return solve, (a, normal(random, n, 8, scale=1))


def convolution() -> Model:
    """The most frequent layer of ResNet: 3 x 3 over 56 x 56 points of 64 channels."""
    random = np.random.RandomState(6)

    def layer(x: Array, kernel: Array) -> Any:
        return lax.conv_general_dilated(
            x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    return layer, (normal(random, 1, 56, 56, 64, scale=1), normal(random, 3, 3, 64, 64))


MODELS: dict[str, Callable[[], Model]] = {
    "transformer block": transformer,
    "ResNet-18": resnet18,
    "LSTM, 2 layers": lstm,
    "Fourier operator": fourier,
    "linear algebra": linear_algebra,
    "convolution 3x3": convolution,
}

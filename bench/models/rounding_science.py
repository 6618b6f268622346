"""Programs of science whose values depend on the order of their roundings.

Integrations carry an error along, factorizations spread it, and a sampler turns it into another
integer. They expect `jax_enable_x64`, as one is f64.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from models import Model, normal


def _runge_kutta(derivative: Callable[[Any, Any], Any], y: Any, t: Any, h: Any) -> Any:
    k1 = derivative(y, t)
    k2 = derivative(y + h / 2 * k1, t + h / 2)
    k3 = derivative(y + h / 2 * k2, t + h / 2)
    k4 = derivative(y + h * k3, t + h)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def _field(y: Array, t: Any, w1: Array, w2: Array) -> Any:
    return jnp.tanh(y @ w1) @ w2 - 0.1 * y * t


def _field_arguments(seed: int) -> tuple[Any, ...]:
    random = np.random.RandomState(seed)
    return normal(random, 4, 16, scale=1), normal(random, 16, 32), normal(random, 32, 16)


def ode() -> Model:
    """A neural differential equation, with steps of adapted length."""

    def solution(y: Array, w1: Array, w2: Array) -> Any:
        from jax.experimental.ode import odeint

        times = jnp.linspace(0.0, 3.0, 8, dtype=jnp.float32)
        return odeint(lambda y, t: _field(y, t, w1, w2), y, times, rtol=1e-5, atol=1e-6)

    return solution, _field_arguments(1)


def ode_gradient() -> Model:
    solution, arguments = ode()

    def loss(*arguments: Any) -> Any:
        return jnp.sum(solution(*arguments)[-1] ** 2)

    return jax.grad(loss, argnums=(0, 1, 2)), arguments


def ode_rk4() -> Model:
    """The same field, with 100 steps of fixed length."""

    def solution(y: Array, w1: Array, w2: Array) -> Any:
        def step(y: Array, t: Array) -> Any:
            after = _runge_kutta(lambda y, t: _field(y, t, w1, w2), y, t, jnp.float32(0.05))
            return after, jnp.sum(y)

        return lax.scan(step, y, jnp.linspace(0.0, 5.0, 100, dtype=jnp.float32))

    return solution, _field_arguments(2)


def ode_lorenz_f64() -> Model:
    """Chaotic: an error grows by e in about one unit of time, and this runs for 15."""

    def derivative(y: Array, _: Any) -> Any:
        return jnp.stack(
            [10.0 * (y[1] - y[0]), y[0] * (28.0 - y[2]) - y[1], y[0] * y[1] - 8.0 / 3 * y[2]]
        )

    def orbit(y: Array) -> Any:
        def step(y: Array, _: None) -> Any:
            after = _runge_kutta(derivative, y, 0.0, 0.01)
            return after, after

        return lax.scan(step, y, None, length=1500)[1]

    return orbit, (np.array([1.0, 1.0, 1.0]),)


def fft_operator() -> Model:
    """A Fourier operator on a grid; the size of its spectrum is an output too."""
    random = np.random.RandomState(8)

    def operator(x: Array, real: Array, imaginary: Array) -> Any:
        spectrum = jnp.fft.rfft2(x, axes=(1, 2))
        spectrum = spectrum.at[:, :8, :8].multiply(real + 1j * imaginary)
        back = jnp.fft.irfft2(spectrum, s=(32, 32), axes=(1, 2))
        return jax.nn.gelu(back), jnp.abs(spectrum)

    x = normal(random, 2, 32, 32, 4, scale=1)
    return operator, (x, normal(random, 8, 8, 4, scale=1), normal(random, 8, 8, 4, scale=1))


def row_products() -> Model:
    """Many small products with a matrix, which a compiler may make one large product."""
    random = np.random.RandomState(10)

    def squares(matrix: Array, rows: Array) -> Any:
        return jax.vmap(lambda row: jnp.sum((matrix @ row) ** 2))(rows)

    return squares, (normal(random, 8, 8, scale=1), normal(random, 2000, 8, scale=1))


def sampler() -> Model:
    """Integers made from floats: a choice by chance, and the largest."""
    random = np.random.RandomState(12)

    def sampled(logits: Array, words: Array) -> Any:
        key = jax.random.wrap_key_data(words, impl="threefry2x32")
        noise = jax.random.normal(key, (64,), jnp.float32)
        total = jax.nn.softmax(logits) @ jnp.ones((50,), jnp.float32)
        return jax.random.categorical(key, logits), jnp.argmax(logits, -1), total, noise

    return sampled, (normal(random, 16, 50, scale=3), np.array([1, 2], np.uint32))


def linear_algebra() -> Model:
    random, n = np.random.RandomState(13), 24

    def solved(a: Array, b: Array) -> Any:
        definite = a @ a.T / n + jnp.eye(n, dtype=a.dtype)
        return (
            jnp.linalg.solve(definite, b),
            jnp.linalg.inv(a),
            jnp.linalg.slogdet(a)[1],
            jnp.linalg.eigvalsh(a @ a.T),
            jnp.linalg.lstsq(a, b)[0],
        )

    return solved, (normal(random, n, n, scale=1), normal(random, n, 3, scale=1))


MODELS: dict[str, Callable[[], Model]] = {
    make.__name__: make
    for make in (
        ode,
        ode_gradient,
        ode_rk4,
        ode_lorenz_f64,
        fft_operator,
        row_products,
        sampler,
        linear_algebra,
    )
}

"""Models of science: solvers of equations, operators, graphs, filters, samplers."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.models.model import Model, cases_of_models, data, tokens, weights
from vintage_jax.produce.seeded_case import seeded


def _field(w: Any, y: Any) -> Any:
    return jnp.tanh(y @ w["a"]) @ w["b"] - y / 4


def _field_weights() -> dict[str, Any]:
    return {
        "a": weights(4, 16, seed=1, dtype="f64"),
        "b": weights(16, 4, seed=2, dtype="f64"),
    }


def _runge_kutta(w: Any, y: Any, step: Any) -> Any:
    k1 = _field(w, y)
    k2 = _field(w, y + step / 2 * k1)
    k3 = _field(w, y + step / 2 * k2)
    k4 = _field(w, y + step * k3)
    return y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def _adaptive_solver() -> Model:
    """Halves and doubles its step by the error that it estimates."""

    def run(w: Any, y: Any) -> Any:
        def body(carry: Any) -> Any:
            time, step, y, turns = carry
            step = jnp.minimum(step, 3.0 - time)
            whole = _runge_kutta(w, y, step)
            halves = _runge_kutta(w, _runge_kutta(w, y, step / 2), step / 2)
            good = jnp.abs(whole - halves).max() < 1e-6
            time, y = jnp.where(good, time + step, time), jnp.where(good, halves, y)
            return time, jnp.where(good, step * 2, step / 2), y, turns + 1

        start = (jnp.zeros((), y.dtype), jnp.ones((), y.dtype), y, 0)
        return lax.while_loop(lambda c: (c[0] < 3.0) & (c[3] < 200), body, start)[2:]

    return run, (_field_weights(), data(3, 4, dtype="f64"))


def _solver_gradient() -> Model:
    def loss(w: Any, y: Any) -> Any:
        step = jax.checkpoint(lambda y, _: (_runge_kutta(w, y, 0.125), (y**2).mean()))
        last, path = lax.scan(step, y, None, length=16)
        return (last**2).sum() + path.sum()

    return jax.value_and_grad(loss, argnums=(0, 1)), (
        _field_weights(),
        data(3, 4, dtype="f64"),
    )


def _fourier_operator() -> Model:
    modes, width = 6, 8

    def run(w: Any, x: Any) -> Any:
        hidden = x[..., None] * w["lift"]
        for layer in w["layers"]:
            spectrum = jnp.fft.rfft(hidden, axis=1)[:, :modes]
            kernel = layer["real"] + 1j * layer["imaginary"]
            mixed = jnp.einsum("bki,kio->bko", spectrum, kernel)
            shape = (x.shape[0], x.shape[1] // 2 + 1 - modes, width)
            padded = jnp.concatenate([mixed, jnp.zeros(shape, mixed.dtype)], axis=1)
            smooth = jnp.fft.irfft(padded, n=x.shape[1], axis=1)
            hidden = jax.nn.gelu(smooth + hidden @ layer["local"])
        return hidden @ w["out"]

    def layer(seed: int) -> dict[str, Any]:
        return {
            "real": weights(modes, width, width, seed=seed),
            "imaginary": weights(modes, width, width, seed=seed + 1),
            "local": weights(width, width, seed=seed + 2),
        }

    w = {"lift": weights(width, seed=1), "out": weights(width, seed=2),
         "layers": [layer(10), layer(20)]}  # fmt: skip
    return run, (w, data(2, 64))


def _graph_network() -> Model:
    nodes, edges, width = 60, 240, 16

    def forward(w: Any, x: Any, senders: Any, receivers: Any) -> Any:
        for layer in w["layers"]:
            messages = jax.nn.relu(
                jnp.concatenate([x[senders], x[receivers]], axis=-1) @ layer["edge"]
            )
            total = jax.ops.segment_sum(messages, receivers, num_segments=nodes)
            largest = jax.ops.segment_max(messages, receivers, num_segments=nodes)
            largest = jnp.where(jnp.isfinite(largest), largest, 0)
            x = x + jnp.concatenate([total / 8, largest], axis=-1) @ layer["node"]
        return (x @ w["out"]).sum()

    def run(w: Any, x: Any, senders: Any, receivers: Any) -> Any:
        return jax.value_and_grad(forward)(w, x, senders, receivers)

    w = {
        "layers": [
            {"edge": weights(2 * width, width, seed=seed),
             "node": weights(2 * width, width, seed=seed + 1)}
            for seed in (10, 20)
        ],
        "out": weights(width, seed=1),
    }  # fmt: skip
    most = nodes - 1
    return run, (
        w,
        data(nodes, width),
        tokens(edges, most=most, seed=5),
        tokens(edges, most=most, seed=6),
    )


def _kalman_filter() -> Model:
    def run(transition: Any, seen: Any) -> Any:
        size = transition.shape[0]
        identity = jnp.eye(size, dtype=transition.dtype)
        looks = identity[:2]

        def step(carry: Any, measured: Any) -> Any:
            mean, covariance = carry
            mean = transition @ mean
            covariance = transition @ covariance @ transition.T + 0.1 * identity
            innovation = looks @ covariance @ looks.T + 0.5 * jnp.eye(2, dtype=mean.dtype)
            gain = jnp.linalg.solve(innovation, looks @ covariance).T
            mean = mean + gain @ (measured - looks @ mean)
            covariance = (identity - gain @ looks) @ covariance
            return (mean, covariance), (mean, jnp.linalg.slogdet(innovation)[1])

        return lax.scan(step, (jnp.zeros(size, transition.dtype), identity), seen)

    return run, (weights(4, 4, seed=1, dtype="f64"), data(50, 2, dtype="f64"))


def _gaussian_process() -> Model:
    def run(x: Any, y: Any, queries: Any, scale: Any) -> Any:
        def kernel(a: Any, b: Any) -> Any:
            return jnp.exp(-((a[:, None] - b[None]) ** 2).sum(-1) / (2 * scale**2))

        factor = jnp.linalg.cholesky(kernel(x, x) + 0.1 * jnp.eye(len(x), dtype=x.dtype))
        solved = jax.scipy.linalg.cho_solve((factor, True), y)
        evidence = -y @ solved / 2 - jnp.log(jnp.diag(factor)).sum()
        return kernel(queries, x) @ solved, evidence

    return run, (
        data(40, 2, dtype="f64"),
        data(40, seed=2, dtype="f64"),
        data(9, 2, seed=3, dtype="f64"),
        seeded("f64", low=4, high=4, exponent=-2),
    )


def _sampler() -> Model:
    """A chain that proposes and accepts, beside samples of words by the Gumbel trick."""

    def run(w: Any, words: Any, logits: Any) -> Any:
        key = jax.random.wrap_key_data(words.astype(jnp.uint32), impl="threefry2x32")

        def energy(x: Any) -> Any:
            return (x**2).sum() / 2 + jnp.cos(x @ w).sum()

        def step(carry: Any, key: Any) -> Any:
            x, accepted = carry
            propose, decide = jax.random.split(key)
            drift = x - 0.05 * jax.grad(energy)(x)
            new = drift + 0.3 * jax.random.normal(propose, x.shape, x.dtype)
            chance = jnp.exp(energy(x) - energy(new))
            good = jax.random.uniform(decide, dtype=x.dtype) < chance
            return (jnp.where(good, new, x), accepted + good), energy(x)

        first, second = jax.random.split(key)
        start = (jnp.zeros(w.shape[0], w.dtype), 0)
        chain = lax.scan(step, start, jax.random.split(first, 40))
        return chain, jax.random.categorical(second, logits, shape=(30, *logits.shape[:-1]))

    return run, (
        weights(5, 7, seed=1, dtype="f64"),
        tokens(2, most=1000),
        data(4, 20, dtype="f64", seed=2),
    )


_MODELS = {
    "adaptive_solver": _adaptive_solver,
    "solver_gradient": _solver_gradient,
    "fourier_operator": _fourier_operator,
    "graph_network": _graph_network,
    "kalman_filter": _kalman_filter,
    "gaussian_process": _gaussian_process,
    "sampler": _sampler,
}


def cases() -> Iterator[Case]:
    return cases_of_models(_MODELS)

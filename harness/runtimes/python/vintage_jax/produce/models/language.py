"""Models of sequences: attention, recurrences, state spaces, experts."""

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
    cross_entropy,
    data,
    descended,
    normed,
    tokens,
    weights,
)

_WIDTH, _HEADS, _WORDS = 32, 4, 50


def _cached_decoding() -> Model:
    """Each step attends to the keys and values of those before it."""
    length = 24

    def run(w: Any, start: Any) -> Any:
        def step(carry: Any, position: Any) -> Any:
            word, keys, values = carry
            x = w["words"][word]
            q, k, v = jnp.split(normed(x) @ w["in"], 3, axis=-1)
            keys = lax.dynamic_update_slice(keys, k[:, None], (0, position, 0))
            values = lax.dynamic_update_slice(values, v[:, None], (0, position, 0))
            seen = (jnp.arange(length) <= position)[None, None]
            x = x + attention(q[:, None], keys, values, seen)[:, 0] @ w["out"]
            logits = normed(x) @ w["words"].T
            return (logits.argmax(-1).astype(jnp.int32), keys, values), logits

        batch = start.shape[0]
        empty = jnp.zeros((batch, length, _WIDTH), jnp.float32)
        _, logits = lax.scan(step, (start, empty, empty), jnp.arange(length))
        return logits

    w = block_weights(_WIDTH, 10) | {"words": weights(_WORDS, _WIDTH, seed=3)}
    return run, (w, tokens(3, most=_WORDS - 1))


def _language_model_step() -> Model:
    def loss(w: Any, words: Any) -> Any:
        x = w["words"][words[:, :-1]]
        for layer in w["layers"]:
            x = block(layer, x, _HEADS, causal=True)
        return cross_entropy(normed(x) @ w["words"].T, words[:, 1:])

    w = {
        "words": weights(_WORDS, _WIDTH, seed=3),
        "layers": [block_weights(_WIDTH, 10), block_weights(_WIDTH, 20)],
    }
    return lambda w, words: descended(loss, w, words), (w, tokens(4, 17, most=_WORDS - 1))


def _rotary_attention() -> Model:
    def turned(x: Any) -> Any:
        half = x.shape[-1] // 2
        angles = jnp.arange(x.shape[-2])[:, None] * 100.0 ** (-jnp.arange(half) / half)
        sine, cosine = jnp.sin(angles).astype(x.dtype), jnp.cos(angles).astype(x.dtype)
        first, second = x[..., :half], x[..., half:]
        return jnp.concatenate(
            [first * cosine - second * sine, first * sine + second * cosine], axis=-1
        )

    def run(q: Any, k: Any, v: Any) -> Any:
        length = q.shape[-2]
        near = jnp.abs(jnp.arange(length)[:, None] - jnp.arange(length)) < 16
        return attention(turned(q), turned(k), v, near)

    return run, tuple(data(2, 2, 96, 16, seed=seed) for seed in (1, 2, 3))


def _selective_scan() -> Model:
    """The recurrence of Mamba, as an associative scan."""
    states = 8

    def run(w: Any, x: Any) -> Any:
        projected = x @ w["in"]
        u, gate = jnp.split(projected, 2, axis=-1)
        step = jax.nn.softplus(u @ w["step"])[..., None]
        decay = jnp.exp(-step * jnp.arange(1, states + 1, dtype=u.dtype))
        drive = step * u[..., None] * (u @ w["b"])[..., None, :]

        def join(left: Any, right: Any) -> Any:
            return left[0] * right[0], left[1] * right[0] + right[1]

        _, state = lax.associative_scan(join, (decay, drive), axis=1)
        y = (state * (u @ w["c"])[..., None, :]).sum(-1)
        return (y * jax.nn.silu(gate)) @ w["out"]

    w = {
        "in": weights(16, 2 * _WIDTH, seed=1),
        "step": weights(_WIDTH, _WIDTH, seed=2),
        "b": weights(_WIDTH, states, seed=3),
        "c": weights(_WIDTH, states, seed=4),
        "out": weights(_WIDTH, 16, seed=5),
    }
    return run, (w, data(2, 100, 16))


def _mixture_of_experts() -> Model:
    """Two of six experts for each token, and the gradient."""

    def forward(w: Any, x: Any) -> Any:
        gates = jax.nn.softmax(x @ w["gate"])
        best, chosen = lax.top_k(gates, 2)
        spread = jax.nn.one_hot(chosen, 6, dtype=x.dtype) * best[..., None]
        share = spread.sum(1)
        hidden = jax.nn.relu(jnp.einsum("td,edh->teh", x, w["up"]))
        return jnp.einsum("teh,ehd,te->td", hidden, w["down"], share)

    def run(w: Any, x: Any) -> Any:
        return forward(w, x), jax.grad(lambda w: (forward(w, x) ** 2).mean())(w)

    w = {
        "gate": weights(16, 6, seed=1, dtype="f64"),
        "up": weights(6, 16, 24, seed=2, dtype="f64"),
        "down": weights(6, 24, 16, seed=3, dtype="f64"),
    }
    return run, (w, data(40, 16, dtype="f64"))


def _lstm_step() -> Model:
    def loss(w: Any, x: Any, target: Any) -> Any:
        def cell(carry: Any, row: Any) -> Any:
            hidden, memory = carry
            gates = row @ w["x"] + hidden @ w["h"] + w["bias"]
            i, f, g, o = jnp.split(gates, 4, axis=-1)
            memory = jax.nn.sigmoid(f + 1) * memory + jax.nn.sigmoid(i) * jnp.tanh(g)
            hidden = jax.nn.sigmoid(o) * jnp.tanh(memory)
            return (hidden, memory), hidden

        zeros = jnp.zeros((x.shape[1], _WIDTH), x.dtype)
        _, hidden = lax.scan(cell, (zeros, zeros), x)
        return ((hidden @ w["out"] - target) ** 2).mean()

    w = {
        "x": weights(6, 4 * _WIDTH, seed=1),
        "h": weights(_WIDTH, 4 * _WIDTH, seed=2),
        "bias": weights(4 * _WIDTH, seed=3),
        "out": weights(_WIDTH, 2, seed=4),
    }
    return (
        lambda w, x, target: descended(loss, w, x, target),
        (w, data(30, 3, 6), data(30, 3, 2, seed=2)),
    )


_MODELS = {
    "cached_decoding": _cached_decoding,
    "language_model_step": _language_model_step,
    "rotary_attention": _rotary_attention,
    "selective_scan": _selective_scan,
    "mixture_of_experts": _mixture_of_experts,
    "lstm_step": _lstm_step,
}


def cases() -> Iterator[Case]:
    return cases_of_models(_MODELS)

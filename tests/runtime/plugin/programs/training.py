"""A network of two layers in plain JAX, 100 steps: what a user has. Writes what it learned."""

import json
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np

import jax

STEPS = 100


def loss(parameters, inputs, wanted):
    hidden = jnp.tanh(inputs @ parameters["w1"] + parameters["b1"])
    return jnp.mean((hidden @ parameters["w2"] + parameters["b2"] - wanted) ** 2)


@jax.jit
def step(parameters, inputs, wanted):
    value, slopes = jax.value_and_grad(loss)(parameters, inputs, wanted)
    return value, jax.tree_util.tree_map(lambda p, s: p - 0.1 * s, parameters, slopes)


def main():
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    parameters = {
        "w1": jax.random.normal(keys[0], (8, 16)) * 0.3,
        "b1": jnp.zeros(16),
        "w2": jax.random.normal(keys[1], (16, 1)) * 0.3,
        "b2": jnp.zeros(1),
    }
    inputs = jax.random.normal(keys[2], (64, 8))
    wanted = jnp.sin(inputs.sum(1, keepdims=True))
    losses = []
    for _ in range(STEPS):
        value, parameters = step(parameters, inputs, wanted)
        losses.append(float(value))
    learned = {name: np.asarray(value).ravel().tolist() for name, value in parameters.items()}
    Path(sys.argv[1]).write_text(json.dumps({"losses": losses, **learned}), encoding="utf-8")


main()

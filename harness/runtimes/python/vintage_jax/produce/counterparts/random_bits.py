"""Random numbers, whose keys travel as their words."""

import importlib
from typing import Any

import jax
from jax import lax
from jax._src import random

from vintage_jax.produce.counterparts.indexing import typed
from vintage_jax.produce.counterparts.use import Counterpart, Use, numbers


def _internal(name: str) -> Any:
    """Something of JAX's keys: they moved once."""
    for module in ("random.threefry2x32", "random.prng", "prng"):
        try:
            found = getattr(importlib.import_module(f"jax._src.{module}"), name, None)
        except ModuleNotFoundError:
            continue
        if found is not None:
            return found
    raise NotImplementedError(f"this JAX has no {name}")


def _iota_2x32(use: Use) -> Any:
    iota_p = _internal("iota_2x32_shape_p")
    _, shape = typed(use.label)
    return lambda: iota_p.bind(shape=shape)


def _key(words: Any) -> Any:
    return jax.random.wrap_key_data(words, impl="threefry2x32")


def _seed(use: Use) -> Any:
    seed_p, unwrap_p = _internal("random_seed_p"), _internal("random_unwrap_p")
    implementation = _internal("threefry_prng_impl")
    return lambda seed: unwrap_p.bind(seed_p.bind(seed, impl=implementation))


def _bits(use: Use) -> Any:
    bits_p = _internal("random_bits_p")
    shape = numbers(use.label.partition("shape=")[2])
    return lambda key: bits_p.bind(_key(key), bit_width=int(use.field("bits")), shape=shape)


def _uniform(use: Use) -> Any:
    dtype, shape = typed(use.label)
    low, high = 0.0, 1.0
    if use.has("from"):
        low, high = float(use.field("from")), float(use.field("to"))
    return lambda key: jax.random.uniform(_key(key), shape, dtype, low, high)


def _randint(use: Use) -> Any:
    dtype, shape = typed(use.label)
    (low,), (high,) = use.sizes("from"), use.sizes("to")
    return lambda key: jax.random.randint(_key(key), shape, low, high, dtype)


def _generator(use: Use) -> Any:
    dtype, shape = typed(use.label)
    algorithm = getattr(lax.RandomAlgorithm, "RNG_" + use.label.partition("algorithm=")[2])
    return lambda key: lax.rng_bit_generator(key, shape, dtype, algorithm)


COUNTERPARTS: dict[str, Counterpart] = {
    "iota_2x32_shape": _iota_2x32,
    "threefry2x32": lambda use: _internal("threefry2x32_p").bind,
    "random_split": lambda use: (
        lambda key: jax.random.key_data(jax.random.split(_key(key), use.sizes("count")))
    ),
    "random_seed": _seed,
    "random_fold_in": lambda use: (
        lambda key, data: jax.random.key_data(jax.random.fold_in(_key(key), data))
    ),
    "random_bits": _bits,
    "random_uniform": _uniform,
    "random_categorical": lambda use: (
        lambda key, logits: jax.random.categorical(_key(key), logits, int(use.field("axis")))
    ),
    "random_randint": _randint,
    "random_gamma": lambda use: (
        lambda key, alpha: random.random_gamma_p.bind(_key(key), alpha, log_space=use.flag("log"))
    ),
    "rng_bit_generator": _generator,
}

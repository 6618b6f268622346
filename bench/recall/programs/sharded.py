"""Functions mapped over a mesh of one device, which a release refuses there."""

import importlib
from typing import Any

import numpy as np

from program import Program


def _mapped(function: Any, *specs: Any) -> Any:
    """shard_map over the mesh; a spec for each argument, and the last for the results."""
    import jax
    from jax.sharding import Mesh, PartitionSpec

    shard_map: Any = getattr(jax, "shard_map", None)
    if shard_map is None:  # Until 0.5.3.
        shard_map = importlib.import_module("jax.experimental.shard_map").shard_map
    meant = [PartitionSpec(*spec) if isinstance(spec, str) else spec for spec in specs]
    mesh = Mesh(np.array(jax.devices()[:1]), ("i",))
    return shard_map(function, mesh=mesh, in_specs=tuple(meant[:-1]), out_specs=meant[-1])


def mapped_total_in_a_batch() -> Program:
    import jax

    total = _mapped(lambda x: jax.lax.psum(x, "i"), "i", "")
    return Program(jax.vmap(total), (np.ones((4, 2), np.float32),), np.ones((4, 2)))


def gradient_inside_a_map() -> Program:
    import jax
    import jax.numpy as jnp
    from jax.sharding import PartitionSpec

    def function(x: Any) -> Any:
        value, gradient = jax.value_and_grad(lambda x: jnp.mean(x**2))(x)
        return jnp.atleast_1d(value), gradient

    both = PartitionSpec("i"), PartitionSpec("i")
    return Program(_mapped(function, "i", both), (np.array([1, 3], np.float32),), np.array([5]))


def place_of_the_largest_inside_a_map() -> Program:
    table = np.random.RandomState(0).rand(4, 8).astype(np.float32)
    return Program(_mapped(lambda x: x.argmax(axis=-1), "i", "i"), (table,), table.argmax(axis=-1))


def choice_inside_a_map() -> Program:
    import jax
    import jax.numpy as jnp

    def function(keys: Any, chances: Any) -> Any:
        def choose(key: Any, chance: Any) -> Any:
            return jax.random.choice(key, jnp.arange(3), p=chance)

        return jax.vmap(choose)(keys, chances)

    chances = np.tile(np.array([0, 1, 0], np.float32), (8, 1))
    inputs = np.zeros((8, 2), np.uint32), chances
    return Program(_mapped(function, "i", "i", "i"), inputs, np.ones(8))


def gamma_sample_inside_a_map() -> Program:
    import jax

    function = _mapped(lambda key, a: jax.random.gamma(key[0], a) > 0, "i", "i", "i")
    inputs = np.zeros((1, 2), np.uint32), np.full(4, 2, np.float32)
    return Program(function, inputs, np.ones(4, np.bool_))


def inverses_inside_a_map() -> Program:
    import jax
    import jax.numpy as jnp

    matrices = (np.random.RandomState(0).rand(4, 3, 3) + 3 * np.eye(3)).astype(np.float32)
    function = _mapped(lambda x: jax.lax.map(jnp.linalg.inv, x), "i", "i")
    return Program(function, (matrices,), np.linalg.inv(matrices))


def filled_with_a_varying_number() -> Program:
    import jax.numpy as jnp

    function = _mapped(lambda x, number: jnp.full_like(x, number[0]), "i", "i", "i")
    inputs = np.ones(3, np.float32), np.array([2], np.float32)
    return Program(function, inputs, np.full(3, 2))

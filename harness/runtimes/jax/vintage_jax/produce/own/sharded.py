"""Functions over a mesh of two devices, and of two times two."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from vintage_jax.produce.case import Case, Prepared

_MESHES = (((2,), ("x",)), ((2, 2), ("x", "y")))


def _mesh(shape: tuple[int, ...], names: tuple[str, ...]) -> Any:
    count = int(np.prod(shape))
    return jax.sharding.Mesh(np.array(jax.devices("cpu")[:count]).reshape(shape), names)


def _shard_map(function: Callable[..., Any], mesh: Any, inputs: Any, outputs: Any) -> Any:
    make = getattr(jax, "shard_map", None)
    if not callable(make):  # Up to 0.6.
        make = importlib.import_module("jax.experimental.shard_map").shard_map
    return make(function, mesh=mesh, in_specs=inputs, out_specs=outputs)


def _functions(mesh: Any) -> Iterator[tuple[str, str, Callable[..., Any], tuple[Any, ...]]]:
    spec = jax.sharding.PartitionSpec("x")
    yield "sin", "sin", jnp.sin, (spec,)
    yield "matmul", "dot_general", lambda a, b: a @ b.T, (spec, spec)
    yield "sum", "reduce_sum", lambda a: a.sum(0), (spec,)
    manual = partial(_shard_map, mesh=mesh, inputs=(spec,))
    yield "psum", "psum", manual(lambda a: jax.lax.psum(a, "x"),
                                 outputs=jax.sharding.PartitionSpec()), (spec,)  # fmt: skip
    yield "all_gather", "all_gather", manual(
        lambda a: jax.lax.all_gather(a, "x").sum(0), outputs=spec), (spec,)  # fmt: skip
    yield "ppermute", "ppermute", manual(
        lambda a: jax.lax.ppermute(a, "x", [(0, 1), (1, 0)]), outputs=spec), (spec,)  # fmt: skip
    yield "all_to_all", "all_to_all", manual(
        lambda a: jax.lax.all_to_all(a, "x", 1, 0, tiled=True), outputs=spec), (spec,)  # fmt: skip
    yield "axis_index", "axis_index", manual(
        lambda a: a + jax.lax.axis_index("x"), outputs=spec), (spec,)  # fmt: skip


def _two_dimensional(mesh: Any) -> Iterator[Callable[..., Any]]:
    """Manual computations over both axes, over one of them, and inside of others; in the order
    of _TWO_DIMENSIONAL."""
    spec = jax.sharding.PartitionSpec
    x, both = spec("x"), spec("x", "y")
    yield _partly_manual(lambda a: a * 2 + jax.lax.psum(a, "x"), mesh, x, x)
    inside = _shard_map(lambda a: a + jax.lax.psum(a.sum(), ("x", "y")) / 64, mesh, both, both)
    yield lambda a: jax.lax.scan(lambda carry, _: (inside(carry), carry.sum()), a, None, length=3)
    numbers = _shard_map(
        lambda: (jax.lax.axis_index("x") + 10 * jax.lax.axis_index("y")).reshape(1, 1),
        mesh, (), both)  # fmt: skip
    yield lambda a: a[0, 0] + numbers()
    yield _shard_map(lambda a: a @ np.ones((4, 2), np.float32), mesh, both, spec(("x", "y")))
    swap = _shard_map(lambda a: jax.lax.ppermute(a, "y", [(0, 1), (1, 0)]), mesh,
                      spec("y", "x"), spec("y", "x"))  # fmt: skip
    yield lambda a: swap(swap(a) + a)
    total = _shard_map(lambda a: jax.lax.psum(jnp.sin(a), "x"), mesh, x, spec())
    yield jax.grad(lambda a: total(a).sum())


_TWO_DIMENSIONAL = (
    ("one_axis", "psum"), ("in_a_loop", "scan"), ("no_arguments", "axis_index"),
    ("closure", "dot_general"), ("twice", "ppermute"), ("gradient", "psum"),
)  # fmt: skip


def _partly_manual(function: Callable[..., Any], mesh: Any, inputs: Any, outputs: Any) -> Any:
    """Manual over axis x; the other axis is the partitioner's."""
    make = getattr(jax, "shard_map", None)
    if callable(make):
        return make(function, mesh=mesh, in_specs=inputs, out_specs=outputs, axis_names={"x"})
    make = importlib.import_module("jax.experimental.shard_map").shard_map
    return make(function, mesh=mesh, in_specs=inputs, out_specs=outputs, check_rep=False,
                auto=frozenset({"y"}))  # fmt: skip


def _prepare_two_dimensional(number: int) -> Prepared:
    mesh = _mesh((2, 2), ("x", "y"))
    # Within jit: a computation that is manual over one axis only does not run without.
    function = jax.jit(list(_two_dimensional(mesh))[number])
    argument = np.arange(32, dtype=np.float32).reshape(4, 8)
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    return Prepared(function, (argument,), options={"in_shardings": (sharding,)})


def _prepare(number: int, shape: tuple[int, ...], names: tuple[str, ...]) -> Prepared:
    mesh = _mesh(shape, names)
    _, _, function, specs = list(_functions(mesh))[number]
    arguments = tuple(
        np.arange(32, dtype=np.float32).reshape(4, 8) / (each + 1) for each in range(len(specs))
    )
    shardings = tuple(jax.sharding.NamedSharding(mesh, spec) for spec in specs)
    return Prepared(function, arguments, options={"in_shardings": shardings})


_NAMES = (
    ("sin", "sin"), ("matmul", "dot_general"), ("sum", "reduce_sum"), ("psum", "psum"),
    ("all_gather", "all_gather"), ("ppermute", "ppermute"), ("all_to_all", "all_to_all"),
    ("axis_index", "axis_index"),
)  # fmt: skip


def cases() -> Iterator[Case]:
    for shape, names in _MESHES:
        for number, (name, primitive) in enumerate(_NAMES):
            yield Case(
                name=f"own:sharded{'x'.join(map(str, shape))}/{name}",
                primitive=primitive,
                harness="",
                variant="sharded",
                prepare=partial(_prepare, number, shape, names),
            )
    for number, (name, primitive) in enumerate(_TWO_DIMENSIONAL):
        yield Case(
            name=f"own:sharded2x2/{name}",
            primitive=primitive,
            harness="",
            variant="sharded",
            prepare=partial(_prepare_two_dimensional, number),
        )

"""Functions over a mesh of two devices, and of two times two."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from vintage_jax.produce.case import Case, Prepared

_MESHES = (((2,), ("x",)), ((2, 2), ("x", "y")))


def _mesh(shape: tuple[int, ...], names: tuple[str, ...]) -> Any:
    import jax
    import numpy as np

    count = int(np.prod(shape))
    return jax.sharding.Mesh(np.array(jax.devices("cpu")[:count]).reshape(shape), names)


def _shard_map(function: Callable[..., Any], mesh: Any, inputs: Any, outputs: Any) -> Any:
    import jax

    make = getattr(jax, "shard_map", None)
    if not callable(make):  # Up to 0.6.
        make = importlib.import_module("jax.experimental.shard_map").shard_map
    return make(function, mesh=mesh, in_specs=inputs, out_specs=outputs)


def _functions(mesh: Any) -> Iterator[tuple[str, str, Callable[..., Any], tuple[Any, ...]]]:
    import jax
    import jax.numpy as jnp

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


def _prepare(number: int, shape: tuple[int, ...], names: tuple[str, ...]) -> Prepared:
    import jax
    import numpy as np

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

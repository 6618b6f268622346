"""Functions over a mesh of two devices, and of two times two."""

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from vintage_jax.produce.case import Case, Prepared

_spec = jax.sharding.PartitionSpec
_X = _spec("x")
_MESHES = (((2,), ("x",)), ((2, 2), ("x", "y")))


def _mesh(shape: tuple[int, ...], names: tuple[str, ...]) -> Any:
    count = int(np.prod(shape))
    return jax.sharding.Mesh(np.array(jax.devices("cpu")[:count]).reshape(shape), names)


def shard_map(
    function: Callable[..., Any], mesh: Any, inputs: Any, outputs: Any, only_x: bool = False,
    unchecked: bool = False,
) -> Any:  # fmt: skip
    """`only_x`: manual over axis x; the other axis is the partitioner's. `unchecked`: the function
    does not say over which axes its results vary."""
    make = getattr(jax, "shard_map", None)
    options: dict[str, Any] = {"axis_names": {"x"}} if only_x else {}
    check = "check_vma"
    if not callable(make):  # Up to 0.6.
        make = importlib.import_module("jax.experimental.shard_map").shard_map
        options = {"check_rep": False, "auto": frozenset({"y"})} if only_x else {}
        check = "check_rep"
    if unchecked:
        options[check] = False
    return make(function, mesh=mesh, in_specs=inputs, out_specs=outputs, **options)


Made = Callable[[Any], Callable[..., Any]]  # A function over a mesh.


def _manual(function: Callable[[Any], Any], outputs: Any = _X) -> Made:
    return lambda mesh: shard_map(function, mesh, (_X,), outputs)


# Name, primitive, the function over a mesh, and how many arrays it takes.
_FUNCTIONS: tuple[tuple[str, str, Made, int], ...] = (
    ("sin", "sin", lambda mesh: jnp.sin, 1),
    ("matmul", "dot_general", lambda mesh: lambda a, b: a @ b.T, 2),
    ("sum", "reduce_sum", lambda mesh: lambda a: a.sum(0), 1),
    ("psum", "psum", _manual(lambda a: jax.lax.psum(a, "x"), _spec()), 1),
    ("all_gather", "all_gather", _manual(lambda a: jax.lax.all_gather(a, "x").sum(0)), 1),
    ("ppermute", "ppermute", _manual(lambda a: jax.lax.ppermute(a, "x", [(0, 1), (1, 0)])), 1),
    ("all_to_all", "all_to_all",
     _manual(lambda a: jax.lax.all_to_all(a, "x", 1, 0, tiled=True)), 1),
    ("axis_index", "axis_index", _manual(lambda a: a + jax.lax.axis_index("x")), 1),
)  # fmt: skip


def _in_a_loop(mesh: Any) -> Callable[..., Any]:
    both = _spec("x", "y")
    inside = shard_map(lambda a: a + jax.lax.psum(a.sum(), ("x", "y")) / 64, mesh, both, both)
    return lambda a: jax.lax.scan(lambda carry, _: (inside(carry), carry.sum()), a, None, length=3)


def _no_arguments(mesh: Any) -> Callable[..., Any]:
    numbers = shard_map(
        lambda: (jax.lax.axis_index("x") + 10 * jax.lax.axis_index("y")).reshape(1, 1),
        mesh, (), _spec("x", "y"))  # fmt: skip
    return lambda a: a[0, 0] + numbers()


def _twice(mesh: Any) -> Callable[..., Any]:
    crossed = _spec("y", "x")
    swap = shard_map(lambda a: jax.lax.ppermute(a, "y", [(0, 1), (1, 0)]), mesh, crossed, crossed)
    return lambda a: swap(swap(a) + a)


def _gradient(mesh: Any) -> Any:
    total = shard_map(lambda a: jax.lax.psum(jnp.sin(a), "x"), mesh, _X, _spec())
    return jax.grad(lambda a: total(a).sum())


# Manual computations over both axes, over one of them, and inside of others.
_TWO_DIMENSIONAL: tuple[tuple[str, str, Made], ...] = (
    ("one_axis", "psum",
     lambda mesh: shard_map(lambda a: a * 2 + jax.lax.psum(a, "x"), mesh, _X, _X, only_x=True)),
    ("in_a_loop", "scan", _in_a_loop),
    ("no_arguments", "axis_index", _no_arguments),
    ("closure", "dot_general",
     lambda mesh: shard_map(lambda a: a @ np.ones((4, 2), np.float32), mesh, _spec("x", "y"),
                             _spec(("x", "y")))),
    ("twice", "ppermute", _twice),
    ("gradient", "psum", _gradient),
)  # fmt: skip


def _prepare(make: Made, count: int, shape: tuple[int, ...], names: tuple[str, ...]) -> Prepared:
    mesh = _mesh(shape, names)
    arguments = tuple(
        np.arange(32, dtype=np.float32).reshape(4, 8) / (each + 1) for each in range(count)
    )
    shardings = (jax.sharding.NamedSharding(mesh, _X),) * count
    return Prepared(make(mesh), arguments, options={"in_shardings": shardings})


def _within_jit(make: Made) -> Made:
    """A computation that is manual over one axis only does not run without."""
    return lambda mesh: jax.jit(make(mesh))


def cases() -> Iterator[Case]:
    for shape, names in _MESHES:
        place = f"own:sharded{'x'.join(map(str, shape))}"
        for name, primitive, make, count in _FUNCTIONS:
            prepare = partial(_prepare, make, count, shape, names)
            yield Case(f"{place}/{name}", primitive, prepare, "sharded")
    for name, primitive, make in _TWO_DIMENSIONAL:
        prepare = partial(_prepare, _within_jit(make), 1, *_MESHES[1])
        yield Case(f"own:sharded2x2/{name}", primitive, prepare, "sharded")

"""Programs of several devices whose parts Python decides on; prints how each went."""

import contextlib
import io

import jax.numpy as jnp
import numpy as np
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import jax

MESH = Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))


def split(host, *axes):
    return jax.device_put(host, NamedSharding(MESH, PartitionSpec(*axes)))


def row_sums():
    """Each device adds up its part of the rows, and then those who share them meet."""
    seen = []

    @custom_partitioning
    def sums(x):
        return x.sum(1)

    def partition(mesh, arguments, result):
        seen.append((arguments[0].sharding.spec, result.sharding.spec))
        return (
            mesh, lambda x: jax.lax.psum(jax.lax.map(jnp.sum, x), "b"), result.sharding,
            (arguments[0].sharding,),
        )  # fmt: skip

    sums.def_partition(partition, sharding_rule="i j -> i")
    host = np.arange(32.0, dtype=np.float32).reshape(4, 8)
    result = jax.jit(sums)(split(host, "a", "b"))
    return (
        seen == [(PartitionSpec("a", "b"), PartitionSpec("a"))]
        and result.sharding.spec == PartitionSpec("a")
        and np.array_equal(result, host.sum(1))
    )


def two_results():
    @custom_partitioning
    def both(x, y):
        return x + y, x * y

    def partition(mesh, arguments, results):
        first = arguments[0].sharding
        return mesh, lambda x, y: (x + y, x * y), (first, first), (first, first)

    both.def_partition(partition, sharding_rule="i, i -> i, i")
    host = np.arange(8.0, dtype=np.float32)
    total, product = jax.jit(both)(split(host, "b"), split(host))
    return np.array_equal(total, host + host) and np.array_equal(product, host * host)


def errors_of_partitioners():
    @custom_partitioning
    def failing(x):
        return x

    def partition(mesh, arguments, result):
        raise ValueError("no part for it")

    failing.def_partition(partition, sharding_rule="i -> i")
    try:
        jax.jit(failing)(split(np.arange(4.0), "a"))
    except Exception as problem:
        return "no part for it" in str(problem)
    return False


def inspected():
    seen = []

    def program(x):
        y = jnp.sin(x).T
        jax.debug.inspect_array_sharding(y, callback=lambda sharding: seen.append(sharding.spec))
        return y

    with MESH:
        jax.jit(program)(split(np.ones((4, 4)), None, "b"))
    return seen == [PartitionSpec("b")] or seen == [PartitionSpec("b", None)]


def errors_of_inspections():
    def failing(_):
        raise ValueError("no such sharding")

    def program(x):
        jax.debug.inspect_array_sharding(x, callback=failing)
        return x

    try:
        jax.jit(program)(split(np.ones(4), "a"))
    except Exception as problem:
        return "no such sharding" in str(problem)
    return False


def printed_by_each_device():
    host = np.arange(8).reshape(2, 4)
    program = jax.vmap(lambda x: jax.debug.print("{}", x, partitioned=True))
    with contextlib.redirect_stdout(io.StringIO()) as output:
        jax.jit(program)(split(host, None, "b"))
        jax.effects_barrier()
    # Along the first axis of the mesh are copies.
    expected = ["[0 1]", "[2 3]", "[4 5]", "[6 7]"] * 2
    return sorted(output.getvalue().split("\n")) == ["", *sorted(expected)]


for check in (
    row_sums, two_results, errors_of_partitioners, inspected, errors_of_inspections,
    printed_by_each_device,
):  # fmt: skip
    try:
        print(f"{check.__name__}: {'ok' if check() else 'wrong'}", flush=True)
    except Exception as problem:
        first = str(problem).splitlines()[0] if str(problem) else ""
        print(f"{check.__name__}: {type(problem).__name__}: {first}", flush=True)

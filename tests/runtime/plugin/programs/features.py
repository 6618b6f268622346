"""Tries features that JAX needs of a platform, in turn; prints how each went."""

import ctypes
import tempfile
from pathlib import Path

import jax.numpy as jnp
import numpy as np
from jax.experimental import serialize_executable
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import jax


def jit():
    return jax.jit(lambda x: x + 1)(np.arange(4, dtype=np.float32)).tolist() == [1, 2, 3, 4]


def gradient():
    slope = jax.grad(lambda w: jnp.sum(jnp.tanh(w @ w)))(jnp.ones((3, 3)))
    return np.allclose(slope, 6 / np.cosh(3) ** 2, atol=1e-6)


def linear_algebra():
    values, vectors = jnp.linalg.eigh(jnp.array([[2.0, 1.0], [1.0, 2.0]]))
    return np.allclose(values, [1, 3]) and np.allclose(abs(vectors), 0.5**0.5, atol=1e-6)


def strides():
    host = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4).transpose(2, 0, 1)[::-1]
    return np.array_equal(np.asarray(jnp.asarray(host)), host)


def narrow_integers():
    return np.asarray(jnp.arange(-8, 8).astype("int4") + 1).astype(int).tolist()[-1] == -8


def empty_arrays():
    return np.asarray(jnp.ones((3, 0)) + 1).shape == (3, 0)


def donation():
    given = jnp.ones(5)
    seen = np.asarray(given)
    doubled = jax.jit(lambda x: x * 2, donate_argnums=0)(given)
    return given.is_deleted() and doubled[0] == 2 and seen[0] == 1


def layouts():
    """The bytes lie by columns where a program asks for it. JAX 0.4.30 cannot name an order."""
    if jax.__version_info__ < (0, 4, 31):
        return True
    try:
        from jax.experimental.layout import Format, Layout
    except ImportError:
        from jax.experimental.layout import DeviceLocalLayout as Layout
        from jax.experimental.layout import Layout as Format
    columns = Format(Layout((1, 0)), jax.sharding.SingleDeviceSharding(jax.devices()[0]))
    host = np.arange(6, dtype=np.float32).reshape(2, 3)
    double = jax.jit(lambda x: x * 2, in_shardings=columns, out_shardings=columns)
    doubled = double(jax.device_put(host, columns))
    return (
        ctypes.string_at(doubled.unsafe_buffer_pointer(), 24) == (2 * host).T.tobytes()
        and np.array_equal(doubled, 2 * host)
        and np.array_equal(jax.jit(lambda x: x.T + 1)(doubled), 2 * host.T + 1)
    )


def serialized_executable():
    device = jax.devices()[:1]
    compiled = jax.jit(lambda x: x + 1).lower(np.float32(1)).compile()
    parts = serialize_executable.serialize(compiled)
    try:
        loaded = serialize_executable.deserialize_and_load(*parts, execution_devices=device)
    except TypeError:  # Older releases take no devices.
        loaded = serialize_executable.deserialize_and_load(*parts)
    return loaded(np.float32(2)) == 3


def analysis():
    compiled = jax.jit(lambda x: x + 1).lower(np.float32(1)).compile()
    given = jax.jit(lambda x: x + 1, donate_argnums=0).lower(np.zeros(3, np.float32)).compile()
    return (
        compiled.memory_analysis().argument_size_in_bytes == 4
        and compiled.memory_analysis().alias_size_in_bytes == 0
        and given.memory_analysis().alias_size_in_bytes == 12
        and "ENTRY" in compiled.as_text()
    )


def memory():
    kept = jnp.ones(1000)
    stats = kept.devices().pop().memory_stats()
    return stats["bytes_in_use"] >= 4000 and stats["peak_bytes_in_use"] >= stats["bytes_in_use"]


def _mesh():
    return Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))


def sharded_arrays():
    host = np.arange(16.0, dtype=np.float32).reshape(4, 4)
    array = jax.device_put(host, NamedSharding(_mesh(), PartitionSpec("a", "b")))
    product = jax.jit(lambda x: x @ x.T)(array)
    return len(product.sharding.device_set) == 4 and np.allclose(np.asarray(product), host @ host.T)


def manual_collectives():
    try:
        from jax import shard_map
    except ImportError:
        from jax.experimental.shard_map import shard_map
    function = shard_map(
        lambda x: jax.lax.psum(x, "a"), mesh=_mesh(),
        in_specs=PartitionSpec("a", "b"), out_specs=PartitionSpec(None, "b"),
    )  # fmt: skip
    host = np.arange(16.0, dtype=np.float32).reshape(4, 4)
    return np.allclose(np.asarray(jax.jit(function)(host)), host[:2] + host[2:])


def parts_of_python():
    """Python says how a call is split, and what each device computes."""
    from jax.experimental.custom_partitioning import custom_partitioning

    sums = custom_partitioning(lambda x: x.sum(1))

    def infer(mesh, arguments, _):
        given = arguments[0].sharding
        return NamedSharding(given.mesh, PartitionSpec(given.spec[0]))

    def partition(mesh, arguments, result):
        given = arguments[0].sharding
        return mesh, lambda x: jax.lax.psum(x.sum(1), "b"), result.sharding, (given,)

    try:
        sums.def_partition(partition, infer, sharding_rule="i j -> i")
    except TypeError:  # Older releases have no rules.
        sums.def_partition(partition, infer)
    host = np.arange(32.0, dtype=np.float32).reshape(4, 8)
    given = jax.device_put(host, NamedSharding(_mesh(), PartitionSpec("a", "b")))
    with _mesh():
        result = jax.jit(sums)(given)
    return result.sharding.spec == PartitionSpec("a") and np.array_equal(result, host.sum(1))


def replicas():
    summed = jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i")(np.arange(4.0))
    return np.asarray(summed).tolist() == [6, 6, 6, 6]


def profile():
    with tempfile.TemporaryDirectory() as folder:
        jax.profiler.start_trace(folder)
        jnp.ones(3).block_until_ready()
        jax.profiler.stop_trace()
        return any(Path(folder).rglob("*.xplane.pb"))


def callbacks():
    """Releases before 0.6 have another way to call Python, which is one error."""
    seen = []

    def program(x):
        jax.debug.callback(lambda y: seen.append(float(y)), x, ordered=True)
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct((), np.float32), x)

    try:
        results = [float(jax.jit(program)(np.float32(x))) for x in (1, 2)]
        jax.effects_barrier()
    except Exception as problem:
        return jax.__version_info__ < (0, 6) and "allback" in str(problem)
    return seen == [1, 2] and np.allclose(results, np.sin([1, 2]), atol=1e-6)


def settings_in_callbacks():
    """Functions ran on threads of their own, so that Pallas for TPUs, which JAX interprets by
    callbacks, did not find the device that the caller had named."""
    seen = []

    def program(x):
        jax.debug.callback(lambda _: seen.append(jax.config.jax_default_matmul_precision), x)
        return x

    if jax.__version_info__ < (0, 6):  # As above.
        return True
    with jax.default_matmul_precision("highest"):
        jax.block_until_ready(jax.jit(program)(np.float32(1)))
        jax.effects_barrier()
    return seen == ["highest"]


def callbacks_beside_manual_parts():
    """A call without a result beside a shard_map was left out, as if it were a token."""
    if jax.__version_info__ < (0, 6):  # As above.
        return True
    seen = []
    mesh = Mesh(jax.devices()[:2], ("x",))
    part = jax.shard_map if hasattr(jax, "shard_map") else None
    if part is None:
        from jax.experimental.shard_map import shard_map as part

    def program(x):
        jax.debug.callback(lambda y: seen.append(np.asarray(y).tolist()), x)
        return part(jnp.negative, mesh=mesh, in_specs=PartitionSpec("x"),
                    out_specs=PartitionSpec("x"))(x)  # fmt: skip

    x = jax.device_put(np.arange(4.0, dtype=np.float32), NamedSharding(mesh, PartitionSpec("x")))
    result = jax.jit(program)(x)
    jax.effects_barrier()
    return np.asarray(result).tolist() == [0, -1, -2, -3] and seen[:1] == [[0, 1, 2, 3]]


def callbacks_in_place():
    """The argument is overwritten where nothing else uses it, and a copy of it otherwise."""
    try:
        from jax.experimental.buffer_callback import buffer_callback
    except ImportError:
        return True
    same = []

    def increment(_, out, given):
        same.append(np.asarray(out).ctypes.data == np.asarray(given).ctypes.data)
        np.asarray(out)[...] += 1

    call = buffer_callback(
        increment, jax.ShapeDtypeStruct((3,), np.float32), input_output_aliases={0: 0}
    )
    given = jnp.zeros(3)
    result, doubled = jax.jit(lambda x: (call(x), 2 * x))(given)
    return (
        same == [True]
        and result.tolist() == [1, 1, 1]
        and doubled.tolist() == given.tolist() == [0, 0, 0]
    )


def errors_of_callbacks():
    def failing(_):
        raise ValueError("no value for it")

    try:
        jax.jit(lambda x: jax.pure_callback(failing, jax.ShapeDtypeStruct((), np.float32), x))(
            np.float32(1)
        ).block_until_ready()
    except Exception as problem:
        return jax.__version_info__ < (0, 6) or "no value for it" in str(problem)
    return False


def copies():
    given = jnp.arange(4.0)
    return given.unsafe_buffer_pointer() != jnp.array(given, copy=True).unsafe_buffer_pointer()


def too_much_memory_is_one_error():
    try:
        jax.jit(lambda: jnp.ones((200_000, 200_000)).sum())().block_until_ready()
    except Exception as problem:
        return "RESOURCE_EXHAUSTED" in str(problem)
    return False


for check in (
    jit, gradient, linear_algebra, strides, narrow_integers, empty_arrays, donation, layouts,
    serialized_executable, analysis, memory, sharded_arrays, manual_collectives, parts_of_python,
    replicas, profile, callbacks, settings_in_callbacks, callbacks_beside_manual_parts,
    callbacks_in_place, errors_of_callbacks, copies, too_much_memory_is_one_error,
):  # fmt: skip
    try:
        print(f"{check.__name__}: {'ok' if check() else 'wrong'}", flush=True)
    except Exception as problem:
        first = str(problem).splitlines()[0] if str(problem) else ""
        print(f"{check.__name__}: {type(problem).__name__}: {first}", flush=True)

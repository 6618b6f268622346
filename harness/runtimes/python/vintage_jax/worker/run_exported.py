"""Executes a serialized Exported as its users do: deserialize and call, on as many devices as it
was exported for.

An artifact names its own mesh where its shardings are named; older ones and
those without a sharding take a line of devices.
"""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from vintage_jax.release import (
    call_exported,
    deserialize,
    platforms_of,
    unregistered_types_as_tuples,
)
from vintage_python.worker.elements import Array
from vintage_python.worker.meter import Meter
from vintage_python.worker.outcome import Progress, UnsupportedError, first_sentence
from vintage_python.worker.server import Request

# How releases word that an artifact is too old for their own windows.
_EXPIRED = ("backward-compatibility window", "compatibility window and cannot be")


def load(data: bytes) -> Any:
    try:
        return deserialize(data)
    except ValueError as problem:
        if any(words in str(problem) for words in _EXPIRED):
            raise UnsupportedError(f"expired: {first_sentence(str(problem))}") from problem
        raise


def run_exported(request: Request, progress: Progress) -> list[Array]:
    inputs, platform = request.inputs, request.platform
    with progress.timed("load", "load"), unregistered_types_as_tuples() as types:
        exported = load(request.artifact)
        if platform not in platforms_of(exported):
            raise UnsupportedError(
                f"the artifact is for {', '.join(platforms_of(exported))}, not for {platform}"
            )
        devices_of(platform, getattr(exported, "nr_devices", 1))
        own = len(exported.in_avals)
        derivative = None
        if len(inputs) != own:
            if len(inputs) != own + len(exported.out_avals):
                raise ValueError(f"{len(inputs)} inputs came, and the artifact takes {own}")
            derivative = exported.vjp()
    if types:
        progress.notes.append(
            f"loaded without its tree: tuples stand for the types {', '.join(types)}, which are "
            "not registered here"
        )
    outputs = call(exported, inputs[:own], platform, progress)
    if derivative is not None:
        outputs += call(derivative, inputs, platform, progress)
    return outputs


def call(exported: Any, inputs: Sequence[Array], platform: str, progress: Progress) -> list[Array]:
    progress.stage = "load"
    arguments = [_argument(a, aval) for a, aval in zip(inputs, exported.in_avals, strict=True)]
    options: dict[str, Any] = {}
    if getattr(exported, "nr_devices", 1) > 1:
        mesh = mesh_of(exported, platform)
        places = _shardings(exported, mesh, "in", len(exported.in_avals))
        arguments = [jax.device_put(*each) for each in zip(arguments, places, strict=True)]
        outputs = _shardings(exported, mesh, "out", len(exported.out_avals))
        options["out_shardings"] = jax.tree_util.tree_unflatten(exported.out_tree, outputs)
    args, kwargs = jax.tree_util.tree_unflatten(exported.in_tree, arguments)
    with progress.timed("verify", "compile"):
        lowered = jax.jit(call_exported(exported), **options).lower(*args, **kwargs)
    with progress.timed("compile", "compile"):
        compiled = lowered.compile()
    if progress.meter is not None:
        _report_memory(compiled, progress.meter)
        args, kwargs = jax.tree_util.tree_map(_on_device, (args, kwargs))

    def execute() -> Any:
        results = compiled(*args, **kwargs)
        jax.block_until_ready(results)
        return results

    with progress.timed("run", "run"):
        results = progress.executed(execute)
        return [carried(leaf) for leaf in jax.tree_util.tree_leaves(results)]


def _on_device(argument: Any) -> Any:
    """Moves the argument before a run, so that the run does not include it. float0 stays here."""
    is_host = isinstance(argument, np.ndarray) and argument.dtype != jax.dtypes.float0
    return jax.device_put(argument) if is_host else argument


def _report_memory(compiled: Any, meter: Meter) -> None:
    try:
        memory = compiled.memory_analysis()
        meter.report_memory(
            temporaries=memory.temp_size_in_bytes,
            code=memory.generated_code_size_in_bytes,
            arguments=memory.argument_size_in_bytes,
            outputs=memory.output_size_in_bytes,
        )
    except Exception:  # Releases differ in whether a program knows it, and in what is raised.
        return


def _argument(array: Array, aval: Any) -> Any:
    """An input as the artifact takes it: keys and float0 travel as what carries them."""
    if aval.dtype == jax.dtypes.float0:
        return np.zeros(array.shape, jax.dtypes.float0)
    if _is_key(aval.dtype):
        return jax.random.wrap_key_data(array, impl=aval.dtype._impl.name)
    return array


def carried(leaf: Any) -> Array:
    """A value as it travels and as archives hold it: keys as their words, float0 as predicates."""
    if not hasattr(leaf, "dtype"):
        leaf = np.asarray(leaf)
    if leaf.dtype == jax.dtypes.float0:
        return np.zeros(leaf.shape, np.bool_)
    if _is_key(leaf.dtype):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf)


def _is_key(dtype: Any) -> bool:
    extended = getattr(jax.dtypes, "prng_key", None)
    return extended is not None and bool(jax.dtypes.issubdtype(dtype, extended))


def devices_of(platform: str, count: int) -> list[Any]:
    """The first `count` devices of a platform of this JAX."""
    names = {"cuda": "gpu", "rocm": "gpu"}
    try:
        devices = jax.devices(names.get(platform, platform))
    except RuntimeError:
        raise UnsupportedError(f"this JAX has no device of the platform {platform}") from None
    if len(devices) < count:
        raise UnsupportedError(
            f"the artifact is for {count} devices, and this JAX has {len(devices)} of {platform}"
        )
    return list(devices[:count])


def _named_mesh(exported: Any) -> Any:
    """The abstract mesh of the first sharding that names one."""
    for field in ("_in_named_shardings", "_out_named_shardings"):
        for sharding in getattr(exported, field, None) or ():
            mesh = getattr(sharding, "mesh", None)
            if getattr(mesh, "axis_names", None):
                return mesh
    return None


def mesh_of(exported: Any, platform: str) -> Any:
    devices = np.array(devices_of(platform, exported.nr_devices))
    abstract = _named_mesh(exported)
    if abstract is None:
        return jax.sharding.Mesh(devices, ("devices",))
    sizes = tuple(abstract.axis_sizes)
    types = getattr(abstract, "axis_types", None)
    extra = {"axis_types": types} if types is not None else {}
    return jax.sharding.Mesh(devices.reshape(sizes), tuple(abstract.axis_names), **extra)


def _shardings(exported: Any, mesh: Any, side: str, count: int) -> list[Any]:
    """The shardings of the inputs or outputs of an artifact for several devices; whole on every
    device where none is given."""
    whole = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    named = getattr(exported, f"_{side}_named_shardings", None)
    if named is not None and any(sharding is not None for sharding in named):
        found = list(getattr(exported, f"{side}_shardings_jax")(mesh))
    else:
        found = [_from_hlo(each, mesh) for each in getattr(exported, f"{side}_shardings_hlo")]
    return [whole if sharding is None else sharding for sharding in found] or [whole] * count


def _from_hlo(sharding: Any, mesh: Any) -> Any:
    """A release without named shardings keeps XLA's own form, whatever mesh it came from."""
    if sharding is None:
        return None
    from jax._src import sharding_impls

    return sharding_impls.GSPMDSharding(list(mesh.devices.flat), sharding)

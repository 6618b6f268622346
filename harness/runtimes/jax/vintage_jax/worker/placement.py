"""Devices for artifacts that were exported for several.

An artifact names its own mesh where its shardings are named; older ones and
those without a sharding take a line of devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from vintage_python.worker.outcome import UnsupportedError


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


class Placement:
    """Where the inputs and outputs of an artifact for several devices lie."""

    def __init__(self, exported: Any, platform: str) -> None:
        self.mesh = mesh_of(exported, platform)
        self.inputs = _shardings(exported, self.mesh, "in", len(exported.in_avals))
        self.outputs = _shardings(exported, self.mesh, "out", len(exported.out_avals))

    def place(self, arguments: Sequence[Any]) -> list[Any]:
        return [
            jax.device_put(argument, sharding)
            for argument, sharding in zip(arguments, self.inputs, strict=True)
        ]


def _shardings(exported: Any, mesh: Any, side: str, count: int) -> list[Any]:
    """One for each value; whole on every device where none is given."""
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

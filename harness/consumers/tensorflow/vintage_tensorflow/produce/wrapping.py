"""A model around an Exported: what jax2tf makes of a function of JAX."""

from __future__ import annotations

from pathlib import Path

from vintage_python.exported.exported import Aval, read_exported
from vintage_python.failure import Failure
from vintage_python.worker.elements import Array, dtype_of
from vintage_tensorflow.produce.model import Built, Model, integers, numbers
from vintage_tensorflow.worker.call_module import Module, call_of


def model_around(file: Path) -> Model:
    try:
        exported = read_exported(file.read_bytes())
    except OSError as problem:
        raise Failure(f"{file} cannot be read: {problem.strerror}") from problem
    except ValueError as problem:
        raise Failure(f"{file} is no Exported: {problem}") from problem
    if not exported.static or exported.devices > 1 or "cpu" not in exported.platforms:
        raise Failure(
            f"{file} cannot be wrapped: its shapes are to be static, its platform the CPU, and one "
            "device is to run it"
        )

    def build() -> Built:
        module = Module(
            exported.module, exported.calling_convention, exported.platforms, exported.outputs,
            exported.disabled_checks,
        )  # fmt: skip
        call = call_of(module)
        inputs = tuple(
            _values(f"input {number}", aval) for number, aval in enumerate(exported.inputs)
        )
        return Built(lambda *tensors: call(*exported.kept_of(tensors)), inputs)

    return Model(f"exported_{file.stem}", "XlaCallModule", build)


def _values(name: str, aval: Aval) -> Array:
    """Positive and not far from one: inside the domain of most functions."""
    shape = tuple(size or 0 for size in aval.shape)
    dtype = dtype_of(aval.dtype)
    if dtype.kind in "biu":
        return integers(name, 0, 2, *shape).astype(dtype)
    return (abs(numbers(name, *shape, scale=0.25)) + 0.25).astype(dtype)

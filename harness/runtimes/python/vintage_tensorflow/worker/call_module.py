"""Runs a StableHLO module through XlaCallModule, as jax2tf has TensorFlow run one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vintage_python.exported import Aval, Exported
from vintage_python.worker.elements import Array, dtype_of
from vintage_python.worker.outcome import Progress, UnsupportedError
from vintage_tensorflow.release import call_module_operation


@dataclass(frozen=True)
class Module:
    """A module, and how to call it."""

    code: bytes  # A portable artifact.
    calling_convention: int
    platforms: tuple[str, ...]
    outputs: tuple[Aval, ...]
    disabled_checks: tuple[str, ...] = ()

    @staticmethod
    def of(exported: Exported, convention: int | None = None) -> Module:
        """`convention`: instead of what the Exported says."""
        said = exported.calling_convention if convention is None else convention
        return Module(
            exported.module, said, exported.platforms, exported.outputs, exported.disabled_checks
        )


def call_of(module: Module) -> Callable[..., Any]:
    """A function of tensors that runs the module by XlaCallModule."""
    import tensorflow as tf

    operation = call_module_operation()
    options: dict[str, Any] = {
        "version": module.calling_convention,
        "module": module.code,
        "Tout": [tensor_type(aval.dtype) for aval in module.outputs],
        "Sout": [tf.TensorShape(aval.shape) for aval in module.outputs],
        "platforms": [each.upper() for each in module.platforms],
        "disabled_checks": module.disabled_checks,
    }
    # Since convention 10 JAX writes shardings for Shardy, and jax2tf passes that on.
    if module.calling_convention >= 10 and takes_shardy():
        options["use_shardy_partitioner"] = True

    def call(*tensors: Any) -> Any:
        return operation.call_module(tensors, **options)

    return call


def run_module(
    module: Module, inputs: Sequence[Array], mode: str, progress: Progress
) -> list[Array]:
    import tensorflow as tf

    with progress.timed("load", "load"):
        call = call_of(module)
        arguments = [tensor(each) for each in inputs]
    runs: Any = call
    if mode != "eager":
        function = tf.function(call, autograph=False, jit_compile=mode == "compiled")
        with progress.timed("verify", "compile"):
            runs = function.get_concrete_function(*arguments)
    # One call upgrades, compiles and runs; the message of an error says which it was.
    with progress.timed("compile", "run"):
        results = progress.executed(lambda: _ready(runs(*arguments)))
        if results is None or isinstance(results, tf.Operation):
            results = ()
        elif isinstance(results, tf.Tensor):
            results = (results,)
        return [each.numpy() for each in results]


def _ready(results: Any) -> Any:
    """A result is there once its elements are."""
    import tensorflow as tf

    for each in results if isinstance(results, list | tuple) else (results,):
        if isinstance(each, tf.Tensor):
            each.numpy()
    return results


def takes_shardy() -> bool:
    """Whether the release's XlaCallModule takes a word that shardings are Shardy's."""
    signature = inspect.signature(call_module_operation().call_module)
    return "use_shardy_partitioner" in signature.parameters


def tensor_type(name: str) -> Any:
    """TensorFlow's element type of one of StableHLO's names."""
    import tensorflow as tf

    try:
        return tf.as_dtype(dtype_of(name))
    except TypeError:
        raise UnsupportedError(f"TensorFlow {tf.__version__} has no element type {name}") from None


def tensor(array: Array) -> Any:
    import tensorflow as tf

    try:
        return tf.constant(array)
    except (TypeError, ValueError):  # Releases up to 2.18 raise the other one.
        raise UnsupportedError(
            f"TensorFlow {tf.__version__} takes no array of {array.dtype.name}"
        ) from None

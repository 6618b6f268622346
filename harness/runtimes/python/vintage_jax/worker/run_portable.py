"""Executes a bare portable artifact.

JAX has no public way to call one, so that it is put into an `Exported` that
says of it what its main function says: from there on the runtime takes the way
that it takes for archived functions.
"""

import dataclasses
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np

from vintage_jax.effect_types import effect_types
from vintage_jax.release import calling_conventions, export_module
from vintage_jax.worker.run_exported import call, devices_of
from vintage_python.worker.elements import Array, dtype_of
from vintage_python.worker.outcome import Progress, UnsupportedError
from vintage_python.worker.server import Request


def run_portable(request: Request, progress: Progress) -> list[Array]:
    data, inputs, platforms = request.artifact, request.inputs, request.platforms
    progress.stage = "load"
    with progress.timed("upgrade", "load"):
        main = _read_main(data)
    progress.stage = "verify"
    if len(main.inputs) == len(inputs) + 1 and len(platforms) > 1 and main.inputs[0].shape == ():
        exported = _as_exported(data, main, main.inputs[1:], platforms)
    else:
        if len(main.inputs) != len(inputs):
            raise ValueError(f"{len(inputs)} inputs came, and main takes {len(main.inputs)}")
        exported = _as_exported(data, main, main.inputs, (request.platform,))
    devices_of(request.platform, main.devices)
    return call(exported, inputs, request.platform, progress)


@dataclasses.dataclass(frozen=True)
class _Main:
    """The type of a module's main function, without its tokens."""

    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    tokens: int
    devices: int


def _read_main(data: bytes) -> _Main:
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    # How a release reads an artifact differs; its own Exported knows, and asks for the bytes
    # alone. The Python binding of StableHLO crashes in releases around 0.4.30.
    holder = SimpleNamespace(mlir_module_serialized=data)
    text = export_module().Exported.mlir_module(holder)
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        attributes = module.operation.attributes
        counts = {}
        for name in ("mhlo.num_partitions", "mhlo.num_replicas"):
            counts[name] = ir.IntegerAttr(attributes[name]).value if name in attributes else 1
        if counts["mhlo.num_replicas"] > 1:
            raise UnsupportedError("a module with several replicas is not executed by JAX's jit")
        function = next(
            (op for op in module.body.operations
             if "sym_name" in op.attributes
             and ir.StringAttr(op.attributes["sym_name"]).value == "main"),
            None,
        )  # fmt: skip
        if function is None:
            raise ValueError("the module has no function main")
        kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
        inputs = [_aval(each) for each in kind.inputs]
        outputs = [_aval(each) for each in kind.results]
    return _Main(
        tuple(each for each in inputs if each is not None),
        tuple(each for each in outputs if each is not None),
        inputs.count(None),
        counts["mhlo.num_partitions"],
    )


def _aval(kind: Any) -> Any:
    """JAX's name of a tensor type; None of a token."""
    from jaxlib.mlir import ir

    if str(kind) in ("!stablehlo.token", "!mhlo.token"):
        return None
    try:
        tensor = ir.RankedTensorType(kind)  # The one way to ask that all releases have.
    except ValueError:
        raise UnsupportedError(f"a value of the type {kind} has no form in JAX") from None
    if not tensor.has_static_shape:
        raise UnsupportedError(
            "a portable artifact with dynamic dimensions does not say how the sizes of its "
            "outputs follow from those of its inputs; an Exported does"
        )
    return jax.core.ShapedArray(tuple(tensor.shape), dtype_of(str(tensor.element_type)))


def _as_exported(
    data: bytes, main: _Main, in_avals: Sequence[Any], platforms: tuple[str, ...]
) -> Any:
    from jax._src import sharding_impls

    if main.tokens > 1:
        raise UnsupportedError(f"main takes {main.tokens} tokens; a JAX export of one is called")
    exported = export_module().Exported
    _, convention = calling_conventions()
    inputs, outputs = len(in_avals), len(main.outputs)
    zeros = [np.zeros((), np.float32)]
    effects = (effect_types()[0](),) if main.tokens else ()
    values: dict[str, Any] = {
        "fun_name": "main",
        "in_tree": jax.tree_util.tree_structure((tuple(zeros * inputs), {})),
        "in_avals": tuple(in_avals),
        "out_tree": jax.tree_util.tree_structure(tuple(zeros * outputs)),
        "out_avals": main.outputs,
        "in_shardings_hlo": (None,) * inputs,
        "out_shardings_hlo": (None,) * outputs,
        # Up to 0.4.25, in JAX's form.
        "in_shardings": (sharding_impls.UNSPECIFIED,) * inputs,
        "out_shardings": (sharding_impls.UNSPECIFIED,) * outputs,
        "_has_named_shardings": True,
        "_in_named_shardings": (None,) * inputs,
        "_out_named_shardings": (None,) * outputs,
        "nr_devices": main.devices,
        "platforms": platforms,
        "lowering_platforms": platforms,
        "ordered_effects": effects,
        "unordered_effects": (),
        "disabled_safety_checks": (),
        "disabled_checks": (),
        "mlir_module_serialized": data,
        "calling_convention_version": convention,
        "mlir_module_serialization_version": convention,
        "serialization_version": convention,
        "module_kept_var_idx": tuple(range(inputs)),
        "uses_global_constants": False,
        "uses_shape_polymorphism": False,
        "_get_vjp": None,
    }
    fields = {field.name: field for field in dataclasses.fields(exported)}
    unknown = [
        name for name, field in fields.items()
        if name not in values and field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
    ]  # fmt: skip
    if unknown:
        raise UnsupportedError(f"this JAX's Exported has a field that is not known: {unknown[0]}")
    return exported(**{name: values[name] for name in fields if name in values})

"""The custom calls of a lowered program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TYPED_FFI = 4
_CUSTOM_CALL = "stablehlo.custom_call"
_IN_PORTABLE = b"custom_call_v"  # The start of its names in VHLO: v1, since StableHLO 1.18 v2.


@dataclass(frozen=True, order=True)
class Call:
    """What a caller relies on of a target."""

    target: str
    operands: int
    attributes: tuple[str, ...]  # Only typed calls have any: their backend_config is a dictionary.
    api_version: int


def calls_of_exported(exported: Any) -> frozenset[Call]:
    if _IN_PORTABLE not in exported.mlir_module_serialized:
        return frozenset()
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    with mlir.make_ir_context():
        return calls_of(ir.Module.parse(str(exported.mlir_module())))


def calls_of(module: Any) -> frozenset[Call]:
    return frozenset(_call(operation) for operation in _operations(module.operation)
                     if operation.name == _CUSTOM_CALL)  # fmt: skip


def _operations(operation: Any) -> Iterator[Any]:
    yield operation
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _operations(inner.operation)


def _call(operation: Any) -> Call:
    from jaxlib.mlir import ir

    attributes = operation.attributes
    names: tuple[str, ...] = ()
    version = int(ir.IntegerAttr(attributes["api_version"])) if "api_version" in attributes else 1
    for key in ("mhlo.backend_config", "backend_config"):
        if key in attributes and isinstance(attributes[key], ir.DictAttr):
            names = tuple(sorted(named.name for named in attributes[key]))
            # A typed call: JAX says so by its dictionary, whatever version stands beside it.
            version = TYPED_FFI
    target = ir.StringAttr(attributes["call_target_name"]).value
    return Call(target, len(operation.operands), names, version)

"""LiteRT, as the shared programs know it, and where a release keeps its converter and its runtime.

Releases are those of the converter, which reads StableHLO; the runtime is the newest of their day.
"""

from importlib import metadata
from pathlib import Path
from typing import Any

from vintage_python.failure import Failure
from vintage_python.framework import Framework

LITERT = Framework(
    name="litert",
    title="LiteRT",
    package=Path(__file__).resolve().parent,
    project="litert-converter",
    others=("ai-edge-litert",),
    example="0.5.0, 0.1..0.5",
)


def converter_version() -> str:
    try:
        return metadata.version(LITERT.project)
    except metadata.PackageNotFoundError as problem:
        raise Failure(f"LiteRT does not import: {LITERT.project} is not installed") from problem


def mlir(module: str) -> Any:
    """A module of MLIR's Python binding, which the converter holds."""
    return LITERT.load(f"litert_converter.mlir.{module}")


def converter_api() -> Any:
    mlir("ir")
    return mlir("_mlir_libs.converter_api_ext")


def stablehlo() -> Any:
    return mlir("dialects.stablehlo")


def interpreter() -> Any:
    return LITERT.load("ai_edge_litert.interpreter").Interpreter

"""IREE, as the shared programs know it, and where a release keeps its compiler and its runtime."""

from importlib import metadata
from pathlib import Path
from typing import Any

from vintage_python.failure import Failure
from vintage_python.framework import Framework

IREE = Framework(
    name="iree",
    title="IREE",
    package=Path(__file__).resolve().parent,
    project="iree-base-compiler",
    companions=("iree-base-runtime",),
    others=("numpy", "ml_dtypes"),
    example="3.13.0, 3.1..3.13",
)


def compiler_version() -> str:
    try:
        return metadata.version(IREE.project)
    except metadata.PackageNotFoundError as problem:
        raise Failure(f"IREE does not import: {IREE.project} is not installed") from problem


def compiler_program() -> Path:
    """iree-compile, which the compiler's package holds."""
    program = Path(str(IREE.load("iree.compiler").__path__[0])) / "_mlir_libs/iree-compile"
    if not program.is_file():
        raise Failure(f"this IREE has no iree-compile at {program}")
    return program


def runtime() -> Any:
    return IREE.load("iree.runtime")

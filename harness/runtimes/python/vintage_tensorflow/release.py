"""TensorFlow, as the shared programs know it, and where each release keeps what they use."""

from __future__ import annotations

import importlib
import os
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from vintage_python.failure import Failure
from vintage_python.framework import Framework

TENSORFLOW = Framework(
    name="tensorflow",
    title="TensorFlow",
    package=Path(__file__).resolve().parent,
    project="tensorflow-cpu",
    example="2.21.0, 2.16..2.21",
    produces="saved model",
    beside=("keras", "orbax-export"),
    formats=("exported", "portable artifact", "saved model"),
    oldest="2.16",  # Calling convention 9, which JAX writes since 0.4.24, came with it.
    modes=("eager", "graph", "compiled"),
)
TENSORFLOW_NIGHTLY = replace(
    TENSORFLOW,
    name="tensorflow-nightly",
    project="tf-nightly-cpu",
    example="20260905, 20260801..20260905",
    nightly=True,
)


def load_tensorflow() -> ModuleType:
    """tensorflow, or a Failure that says why the release does not import."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")  # Errors and warnings; they hold reasons.
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    try:
        return importlib.import_module("tensorflow")
    except Exception as problem:
        first = str(problem).splitlines()[0] if str(problem) else "no reason"
        raise Failure(f"TensorFlow does not import: {type(problem).__name__}: {first}") from problem


def own_version() -> tuple[Framework, str]:
    """As the wheel says it; TensorFlow says 2.22.0-dev20260905 of itself."""
    version = str(load_tensorflow().__version__).replace("-dev", ".dev")
    return (TENSORFLOW_NIGHTLY if ".dev" in version else TENSORFLOW), version


def call_module_operation() -> Any:
    """The module of XlaCallModule; its call runs a StableHLO module."""
    try:
        return importlib.import_module("tensorflow.compiler.tf2xla.python.xla")
    except ImportError as problem:
        raise Failure(f"this TensorFlow has no XlaCallModule: {problem}") from problem


def stablehlo() -> Any:
    """The Python binding of the StableHLO that the release holds."""
    return importlib.import_module("tensorflow.compiler.mlir.stablehlo.stablehlo")

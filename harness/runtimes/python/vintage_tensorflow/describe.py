"""A release's description of itself, in the form of docs/gate/registry.md."""

from __future__ import annotations

import re
from typing import Any

from vintage_python.exported import SERIALIZATION
from vintage_python.programs import Options, described
from vintage_tensorflow.release import (
    call_module_operation,
    load_tensorflow,
    own_version,
    stablehlo,
)

_NO_VERSION = 0  # Of a calling convention: refused with the range that is read.


def oldest_calling_convention() -> int:
    """TensorFlow has no question for it; its refusal of a version that never was names it."""
    tensorflow, xla = load_tensorflow(), call_module_operation()
    try:
        xla.call_module(
            [], version=_NO_VERSION, module=b"", Tout=[tensorflow.float32], Sout=[[]],
            platforms=["CPU"])  # fmt: skip
    except Exception as problem:
        if found := re.search(r"Must be >= (\d+)", str(problem)):
            return int(found[1])
    return 0


def describe(options: Options) -> dict[str, Any]:
    framework, version = own_version()
    newest = int(call_module_operation().call_module_maximum_supported_version())
    oldest, reads = oldest_calling_convention(), stablehlo()
    return described(
        framework, version, options.released,
        calling_convention={"oldest": oldest, "newest": newest, "default": newest},
        serialization=SERIALIZATION,
        stablehlo={"oldest": reads.get_minimum_version(), "newest": reads.get_current_version()},
    )  # fmt: skip

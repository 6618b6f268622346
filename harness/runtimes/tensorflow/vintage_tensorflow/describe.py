"""A release's description of itself, in the form of docs/gate/registry.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from vintage_python.exported import SERIALIZATION
from vintage_python.failure import Failure
from vintage_python.programs import describe_program
from vintage_tensorflow.release import TENSORFLOW, call_module_operation, load_tensorflow, stablehlo

FORMAT = "vintage runtime"
VERSION = 1
MODES = ("eager", "graph", "compiled")
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


def describe(released: str) -> dict[str, Any]:
    tensorflow = load_tensorflow()
    version = str(tensorflow.__version__)
    if not released:
        raise Failure(
            f"nothing says when TensorFlow {version} was built; say it with --released YYYY-MM-DD"
        )
    newest = int(call_module_operation().call_module_maximum_supported_version())
    reads = stablehlo()
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": f"tensorflow {version}",
        "runtime_version": version,
        "build_date": released,
        "released": released,
        "platforms": ["cpu"],
        "modes": list(MODES),
        "targets": [],
        "stable_targets": [],
        "calling_convention": {"oldest": oldest_calling_convention(), "newest": newest,
                               "default": newest},
        "serialization": SERIALIZATION,
        "stablehlo": {"oldest": reads.get_minimum_version(),
                      "newest": reads.get_current_version()},
    }  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    return describe_program(TENSORFLOW, describe, arguments)

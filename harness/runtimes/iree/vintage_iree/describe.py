"""A release's description of itself, in the form of docs/gate/registry.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vintage_iree.release import IREE, compiler_version
from vintage_python.exported import CALLING_CONVENTIONS, SERIALIZATION
from vintage_python.failure import Failure
from vintage_python.programs import describe_program

FORMAT = "vintage runtime"
VERSION = 1


def describe(released: str) -> dict[str, Any]:
    """IREE does not say which StableHLO it reads. It knows neither serialization nor calling
    conventions: the worker applies them."""
    version = compiler_version()
    if not released:
        raise Failure(
            f"nothing says when IREE {version} was built; say it with --released YYYY-MM-DD"
        )
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": f"iree {version}",
        "runtime_version": version,
        "build_date": released,
        "released": released,
        "platforms": ["cpu"],
        "modes": ["compiled"],
        "targets": [],
        "stable_targets": [],
        "calling_convention": CALLING_CONVENTIONS,
        "serialization": SERIALIZATION,
    }


def main(arguments: Sequence[str]) -> int:
    return describe_program(IREE, describe, arguments)

"""Starts one of a package's programs: `python3 PATH/vintage_jax worker …`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from vintage_python.framework import Framework


def start(package: str, programs: Sequence[str], framework: Framework | None = None) -> int:
    """The first argument names the program: PACKAGE/PROGRAM/command.py, or the `environment` that
    all frameworks have."""
    names = [*(["environment"] if framework else []), *programs]
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        print(f"usage: {package} {{{','.join(names)}}} …", file=sys.stderr)
        return 2
    if framework and sys.argv[1] == "environment":
        from vintage_python.environment.command import environment_program

        return environment_program(framework, sys.argv[2:])
    program = importlib.import_module(f"{package}.{sys.argv[1]}.command")
    status: int = program.main(sys.argv[2:])
    return status

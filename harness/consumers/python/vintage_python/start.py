"""Starts one of a package's programs: `python3 PATH/vintage_jax worker …`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence


def start(package: str, programs: Sequence[str]) -> int:
    """The first argument names the program: PACKAGE/PROGRAM/command.py."""
    if len(sys.argv) < 2 or sys.argv[1] not in programs:
        print(f"usage: {package} {{{','.join(programs)}}} …", file=sys.stderr)
        return 2
    program = importlib.import_module(f"{package}.{sys.argv[1]}.command")
    status: int = program.main(sys.argv[2:])
    return status

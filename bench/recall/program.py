"""The computation of a case. Each release reads it: it needs nothing but NumPy."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MODULES = ("compiler", "framework", "sharded", "exchanged", "process", "slow")


@dataclass(frozen=True)
class Program:
    function: Callable[..., Any]
    inputs: tuple[Any, ...] = ()
    # The first output as NumPy computes it. None: only whether the program ends matters.
    expected: Any = None


def program(name: str) -> Program:
    """The program of this name, from one of the modules of programs/."""
    for module in MODULES:
        make = getattr(importlib.import_module(f"programs.{module}"), name, None)
        if make is not None:
            made = make()
            assert isinstance(made, Program)
            return made
    raise LookupError(f"no program is called {name}; programs/ has one for each case")

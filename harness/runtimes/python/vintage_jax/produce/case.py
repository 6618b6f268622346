"""An export of a producer: a function, its arguments, and how it is exported."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # It needs NumPy, and this module is read where only names matter.
    from vintage_python.producing.seeded_inputs import SeededInput

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")
MODES = ("default", "ignore_forward_compatibility")


@dataclass(frozen=True)
class Made:
    """A program that a package has exported without JAX."""

    module: bytes  # A portable artifact.
    expected: list[Any]  # Arrays, which the package computed.
    recorded_by: str


@dataclass(frozen=True)
class Prepared:
    """A case that is ready to be traced by the JAX of this process."""

    function: Any  # Or Made.
    arguments: tuple[Any, ...]  # Arrays: recorded, and computed with.
    specifications: tuple[Any, ...] | None = None  # Exported instead of their shapes.
    cotangents: tuple[Any, ...] | None = None  # For a derivative: one for each output.
    recorded: Any = None  # Gives the outputs, where `function` has no lowering for the CPU.
    exporting: Callable[[], AbstractContextManager[Any]] = nullcontext  # To export in.
    computing: Callable[[], AbstractContextManager[Any]] = nullcontext  # To compute in.
    options: dict[str, Any] = field(default_factory=dict)  # For jit: shardings.
    without_golden: str = ""  # Why nothing is computed, where only the program matters.
    # One for each leaf of the arguments, if seeds give them; the golden then keeps no elements.
    seeds: tuple[SeededInput, ...] = ()


@dataclass(frozen=True)
class Case:
    name: str
    primitive: str
    prepare: Callable[[], Prepared]
    variant: str = "static"
    harness: str = ""  # Empty: one of our own functions.
    platforms: tuple[tuple[str, ...], ...] = tuple((name,) for name in PLATFORMS)
    vjp_order: int = 0
    # Whether this JAX says itself that it does not implement the case there.
    unimplemented: Callable[[str], bool] = lambda platform: False

    def name_for(self, platforms: tuple[str, ...], mode: str, calling_convention: int) -> str:
        place = f"{self.name}/{'+'.join(platforms)}"
        if mode != "default":
            place += f"/{mode}"
        return f"{place}/v{calling_convention}" if calling_convention else place


def cases_of(package: str, modules: Sequence[str]) -> list[Case]:
    """Those of all modules of a package."""
    cases = [
        case for name in modules for case in importlib.import_module(f"{package}.{name}").cases()
    ]
    names = [case.name for case in cases]
    assert len(names) == len(set(names)), f"two cases of {package} have one name"
    return cases

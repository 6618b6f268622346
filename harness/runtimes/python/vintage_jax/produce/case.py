"""What a producer exports: a function, its arguments, and how it is exported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")
MODES = ("default", "ignore_forward_compatibility")


@dataclass(frozen=True)
class Prepared:
    """A case that is ready to be traced by the JAX of this process."""

    function: Any
    arguments: tuple[Any, ...]  # Arrays: what is recorded and computed with.
    specifications: tuple[Any, ...] | None = None  # What is exported, if not their shapes.
    cotangents: tuple[Any, ...] | None = None  # For a derivative: one for each output.
    options: dict[str, Any] = field(default_factory=dict)  # For jit: shardings.
    without_golden: str = ""  # Why nothing is computed, where only the program matters.


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

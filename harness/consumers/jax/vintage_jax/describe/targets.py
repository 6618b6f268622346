"""The custom-call targets that a release registers for the CPU."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from vintage_jax.release import is_runtime_symbol

_LIBRARIES = ("_lapack", "_sparse", "_ducc_fft")
UNTYPED, TYPED_FFI = 0, 4


def registered_targets() -> list[dict[str, Any]]:
    """By name, in the form of docs/gate/registry.md: of jaxlib's own libraries, and of XLA's
    registry where the release lets one ask for it."""
    apis: dict[str, int] = {}
    for name, api in [*_of_libraries(), *_of_xla()]:
        apis[name] = max(api, apis.get(name, UNTYPED))
    return [
        # Versions of stablehlo.custom_call: 4 is the typed FFI, 1 to 3 are untyped.
        {"name": name, "platform": "cpu", "api_versions": [4] if api else [1, 2, 3]}
        for name, api in sorted(apis.items())
    ]


def _of_libraries() -> Iterator[tuple[str, int]]:
    for library in _LIBRARIES:
        try:
            module = importlib.import_module(f"jaxlib.cpu.{library}")
        except ImportError:
            continue  # Each release has those that it needs.
        for name in module.registrations():
            # Old releases do not say it otherwise.
            yield name, TYPED_FFI if name.endswith("_ffi") else UNTYPED


def _of_xla() -> Iterator[tuple[str, int]]:
    from jax._src.lib import xla_client

    ask = getattr(xla_client, "custom_call_targets", None)
    if ask is None:
        return
    for name, value in ask("Host").items():
        if not is_runtime_symbol(name):
            yield name, TYPED_FFI if isinstance(value, dict) else UNTYPED

"""The custom-call targets that a release registers."""

import functools
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vintage_jax.release import is_runtime_symbol
from vintage_python.failure import Failure
from vintage_python.progress import note

_CPU_LIBRARIES = ("_lapack", "_sparse", "_ducc_fft")
# Under these names jaxlib keeps what it registers as soon as there is such a device.
_WAITING_FOR_A_DEVICE = {"cuda": "CUDA", "rocm": "ROCM"}
# Plugins for accelerators are packages of their own, some without an __init__.py; these are
# their libraries.
_PLUGIN = re.compile(r"jax_(cuda|rocm)\d*_plugin")
_PLUGIN_LIBRARIES = (
    "_solver", "_sparse", "_blas", "_linalg", "_prng", "_rnn", "_hybrid", "_triton",
    "_mosaic_gpu_ext", "cuda_plugin_extension", "rocm_plugin_extension",
)  # fmt: skip
UNTYPED, TYPED_FFI = 0, 4
_Registration = tuple[str, int]  # A target's name, and its API.


@functools.cache
def registered_targets() -> tuple[list[dict[str, Any]], list[str]]:
    """By name and platform, in the form of docs/gate/registry.md, and the platforms whose
    registries were asked: of another platform it is not known what is registered there."""
    found = {"cpu": [*_of_cpu_libraries(), *_of_jaxlib(), *_of_xla()]}
    for platform, package in plugin_packages():
        try:
            found[platform] = [*_of_plugin(package), *_waiting_for_a_device(platform)]
        except Failure as failure:
            note(f"{failure}; what {platform} registers is not known")
    targets = []
    for platform, registrations in sorted(found.items()):
        apis: dict[str, int] = {}
        for name, api in registrations:
            apis[name] = max(api, apis.get(name, UNTYPED))
        targets += [
            # Versions of stablehlo.custom_call: 4 is the typed FFI, 1 to 3 are untyped.
            {"name": name, "platform": platform, "api_versions": [4] if api else [1, 2, 3]}
            for name, api in sorted(apis.items())
        ]
    return targets, sorted(found)


def _by_name(names: Any) -> Iterator[_Registration]:
    """Where the name alone says the API."""
    for name in names:
        yield name, TYPED_FFI if name.endswith("_ffi") else UNTYPED


def _of_cpu_libraries() -> Iterator[_Registration]:
    for library in _CPU_LIBRARIES:
        try:
            module = importlib.import_module(f"jaxlib.cpu.{library}")
        except ImportError:
            continue  # Each release has those that it needs.
        yield from _by_name(module.registrations())


def _of_jaxlib() -> Iterator[_Registration]:
    """jaxlib.lapack says, since 0.5.3, what it registers on which platform, with the API."""
    try:
        ask = getattr(importlib.import_module("jaxlib.lapack"), "registrations", None)
    except ImportError:
        return
    for target, _, api in ask()["cpu"] if ask else ():
        yield target, TYPED_FFI if api else UNTYPED


def _of_xla() -> Iterator[_Registration]:
    from jax._src.lib import xla_client

    ask = getattr(xla_client, "custom_call_targets", None)
    if ask is None:
        return
    for name, value in ask("Host").items():
        if not is_runtime_symbol(name):
            yield name, TYPED_FFI if isinstance(value, dict) else UNTYPED


def _waiting_for_a_device(platform: str) -> Iterator[_Registration]:
    """The targets that jaxlib found in a plugin when it was imported, with their API."""
    from jax._src.lib import xla_client

    waiting = getattr(xla_client, "_custom_callback", {})
    for name, _, *rest in waiting.get(_WAITING_FOR_A_DEVICE[platform], ()):
        yield name, TYPED_FFI if rest and rest[0] else UNTYPED


def plugin_packages() -> Iterator[tuple[str, str]]:
    """Platform and package of each plugin that can be imported."""
    folders = (Path(entry) for entry in sys.path if entry)
    names = {each.name for folder in folders if folder.is_dir() for each in folder.iterdir()}
    for name in sorted(names):
        if plugin := _PLUGIN.fullmatch(name):
            yield plugin[1], name


def _of_plugin(package: str) -> Iterator[_Registration]:
    for library in _PLUGIN_LIBRARIES:
        name = f"{package}.{library}"
        if importlib.util.find_spec(name) is None:
            continue  # Each release has those that it needs.
        try:
            module = importlib.import_module(name)
        except ImportError as problem:
            raise Failure(f"{name} does not load: {problem}") from problem
        for ask, typed in (("registrations", False), ("ffi_registrations", True),
                           ("ffi_handlers", True)):  # fmt: skip
            # A dictionary by name, or a list of names and functions.
            names = dict(getattr(module, ask, dict)())
            yield from ((each, TYPED_FFI) for each in names) if typed else _by_name(names)

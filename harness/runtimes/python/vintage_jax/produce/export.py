"""Exports one case, in the way that its release exports."""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax

from vintage_jax.produce.case import Prepared
from vintage_jax.release import calling_conventions, export_module
from vintage_python.failure import Failure, UsageFailure

# How JAX names the targets that it does not guarantee.
_TARGET = re.compile(r"(?:custom_call @|call_target_name = \")([\w.$]+)")
_REFUSED = "compatibility guarantees"
Used = TypeVar("Used")


def exported_as(
    prepared: Prepared, platforms: Sequence[str], use: Callable[[Any], Used]
) -> tuple[Used, tuple[str, ...]]:
    """Returns `use` of the Exported, and the targets whose check was switched off: JAX refuses an
    unlisted one."""
    disabled: list[str] = []
    while True:
        try:
            with prepared.exporting():
                return use(_export(prepared, tuple(platforms), disabled)), tuple(disabled)
        except ValueError as problem:
            found = set(_TARGET.findall(str(problem))) - set(disabled)
            if _REFUSED not in str(problem) or not found:
                raise
            disabled += sorted(found)


def _export(prepared: Prepared, platforms: tuple[str, ...], disabled: Sequence[str]) -> Any:
    module = export_module()
    checks = [module.DisabledSafetyCheck.custom_call(name) for name in disabled]
    function = jax.jit(prepared.function, **prepared.options)
    if "Wrapped" in str(getattr(module.export, "__annotations__", "")) or hasattr(jax, "export"):
        make = module.export(function, platforms=platforms, disabled_checks=checks)
    else:  # Up to 0.4.29.
        make = module.export(function, lowering_platforms=platforms, disabled_checks=checks)
    return make(*(prepared.specifications or prepared.arguments))


def choose_calling_convention(version: int) -> None:
    """Exports of this process are written in it; 0: in the release's default."""
    if version == 0:
        return
    oldest, newest = calling_conventions()
    if not oldest <= version <= newest:
        raise UsageFailure(
            f"--calling-convention {version}: jax {jax.__version__} writes {oldest} to {newest}"
        )
    # Called a serialization version before 0.4.30.
    for option in ("jax_export_calling_convention_version", "jax_serialization_version"):
        if hasattr(jax.config, option):
            jax.config.update(option, version)
            return
    raise Failure(f"jax {jax.__version__} has no option for the calling convention")


def ignore_forward_compatibility(ignore: bool) -> bool:
    """Switches the mode of the process. False: this release has no such mode."""
    if not hasattr(jax.config, "jax_export_ignore_forward_compatibility"):
        return not ignore
    jax.config.update("jax_export_ignore_forward_compatibility", ignore)
    jax.clear_caches()
    return True

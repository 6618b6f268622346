"""A release's description of itself, in the form of docs/gate/registry.md."""

from __future__ import annotations

import re
from typing import Any

from vintage_jax.describe.targets import registered_targets
from vintage_jax.release import (
    calling_convention_of,
    calling_conventions,
    export_module,
    guaranteed_targets,
    load_jax,
    newest_serialization,
    oldest_serialization,
    refuses_newer_serialization,
    serialize,
    stablehlo_of,
    written_serialization,
)
from vintage_python.failure import Failure

FORMAT = "vintage runtime"
VERSION = 1


def nightly_day() -> str:
    """When jaxlib was built, where its version says it: that of a nightly build does. Times of
    installed files say when they were installed."""
    import jaxlib.version

    match = re.search(r"\.dev(20\d\d)(\d\d)(\d\d)", jaxlib.version.__version__)
    return "-".join(match.groups()) if match else ""


def _exported_by_default() -> Any:
    import numpy

    jax = load_jax()
    return export_module().export(jax.jit(lambda x: x))(numpy.zeros(2, numpy.float32))


def _serialization(exported: Any) -> dict[str, Any]:
    """Nothing where the release has no serialized form of an Exported yet."""
    newest = newest_serialization()
    if newest == 0:
        return {}
    data = serialize(exported, 0)
    versions: dict[str, Any] = {
        "oldest": oldest_serialization(newest),
        "newest": newest,
        "default": newest,
        "number": written_serialization(data),
    }
    if not refuses_newer_serialization(data):
        versions["refuses_newer"] = False
    return {"serialization": versions}


def describe(released: str) -> dict[str, Any]:
    jax = load_jax()
    import jaxlib
    from jax._src import lib
    from jax._src.lib import xla_client
    from jaxlib.mlir.dialects import stablehlo

    devices = jax.devices("cpu")  # XLA's registry is complete after the first use.
    if not devices:
        raise Failure("this JAX has no device of the CPU")
    oldest, newest = calling_conventions()
    exported = _exported_by_default()
    built = nightly_day()
    day = released or built
    if not day:
        raise Failure(
            f"nothing says when jaxlib {jaxlib.__version__} was built; say it with "
            "--released YYYY-MM-DD"
        )
    packages: dict[str, Any] = {"jax": jax.__version__, "jaxlib": jaxlib.__version__}
    minimum = getattr(jax.version, "_minimum_jaxlib_version", "")
    if minimum:
        packages["minimum_jaxlib"] = minimum
    extension = getattr(lib, "jaxlib_extension_version", getattr(xla_client, "_version", None))
    if extension is not None:
        packages["extension_version"] = extension
    targets, _ = registered_targets()
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": f"jax {jax.__version__}",
        "runtime_version": jax.__version__,
        "build_date": min(built or day, day),
        "released": day,
        "platforms": ["cpu"],
        "modes": ["compiled"],
        "targets": targets,
        "stable_targets": [{"name": name} for name in guaranteed_targets()],
        "calling_convention": {
            "oldest": oldest,
            "newest": newest,
            "default": calling_convention_of(exported),
        },
        **_serialization(exported),
        "stablehlo": {
            "oldest": stablehlo.get_minimum_version(),
            "newest": stablehlo.get_current_version(),
            "target": stablehlo_of(exported.mlir_module_serialized),
        },
        "packages": packages,
    }

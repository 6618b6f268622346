"""The embedded engine of Vintage as a platform of JAX: JAX_PLATFORMS=vintage.

JAX finds this module by itself, in the namespace package `jax_plugins`. It never becomes the
default: the engine runs only if it is requested by name.
"""

import os
from pathlib import Path

from jax_plugins.vintage import callbacks, partitions

_NAME = "vintage"
_LIBRARY = "libvintage_pjrt.so"
# JAX's own CPU backend has 0; a plugin with a higher number would become the default.
_PRIORITY = -100
# The engine reads newer StableHLO than this jaxlib writes; jaxlib 0.5.0 and newer bound it.
_NEWEST_UNBOUNDED = (1, 8, 9)


def _library() -> Path:
    """VINTAGE_PLUGIN_LIBRARY, or the library of the installation around this file."""
    chosen = os.environ.get("VINTAGE_PLUGIN_LIBRARY")
    if chosen:
        return Path(chosen)
    # PREFIX/share/vintage/plugin/jax_plugins/vintage/__init__.py
    return Path(__file__).resolve().parents[5] / "lib" / _LIBRARY


def _bound_version() -> None:
    """Asks for no newer StableHLO than this jaxlib writes: 0.4.35 does not bound it by itself."""
    from jaxlib.mlir.dialects import stablehlo

    current = getattr(stablehlo, "get_current_version", None)
    if current is not None and _numbers(current()) < _NEWEST_UNBOUNDED:
        os.environ.setdefault("VINTAGE_PLUGIN_STABLEHLO", current())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))


def initialize() -> None:
    """Called by JAX before it looks for a backend."""
    library = _library()
    if not library.is_file():
        raise FileNotFoundError(
            f"{library} is not there; VINTAGE_PLUGIN_LIBRARY names the {_LIBRARY} to load"
        )
    from jax import __version__, config
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    # The engine has XLA's custom calls for the CPU: JAX lowers for it by the same rules. The table
    # is shared, since rules may be registered later.
    mlir._platform_specific_lowerings[_NAME] = mlir._platform_specific_lowerings["cpu"]
    if _NAME not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(_NAME)
    _bound_version()
    # jaxlib 0.4.30 takes no plugin of a newer API than its own unless this is set.
    os.environ.setdefault("ENABLE_PJRT_COMPATIBILITY", "1")
    if callbacks.install(str(library), _NAME):
        partitions.install_inspection(_NAME)
    options = {}
    # As many devices as JAX's CPU backend would have, if its user says how many.
    devices = getattr(config, "jax_num_cpu_devices", -1)
    if "VINTAGE_PLUGIN_DEVICES" not in os.environ and devices > 0:
        options["devices"] = str(devices)
    if "VINTAGE_PLUGIN_PRODUCER" not in os.environ:
        options["producer"] = f"jax {__version__}"
    c_api = xla_bridge.register_plugin(
        _NAME, priority=_PRIORITY, library_path=str(library), options=options
    )
    partitions.install(c_api)

"""JAX's custom_partitioning and inspect_array_sharding on the engine: both call Python while a
program of several devices is compiled.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from jax_plugins.vintage import callbacks


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))


def _jax_partitioning() -> Any:
    try:
        from jax._src import custom_partitioning
    except ImportError:  # It is older than 0.5.
        from jax.experimental import custom_partitioning
    return custom_partitioning


def _portable(code: bytes, backend: Any) -> bytes:
    """JAX gives bytecode of its own MLIR; the engine reads portable artifacts."""
    from jax._src.lib import xla_client
    from jaxlib.mlir.dialects import stablehlo

    # "vintage-engine … StableHLO 1.22.0"
    newest = backend.platform_version.rsplit(" ", 1)[-1]
    version = min(newest, stablehlo.get_current_version(), key=_numbers)
    serialize: Callable[..., bytes] = xla_client._xla.mlir.serialize_portable_artifact
    try:
        return serialize(code, version, True)  # With operations of Shardy.
    except TypeError:  # It is older than 0.8.
        return serialize(code, version)


def _partition(*arguments: Any) -> tuple[bytes, Any, Any]:
    custom_partitioning = _jax_partitioning()
    code, operands, result = custom_partitioning._custom_partitioning_partition(*arguments)
    module = custom_partitioning._sharding_callbacks[arguments[-1]].module_context
    backend = module.get_backend() if hasattr(module, "get_backend") else module.backend
    return _portable(code, backend), operands, result


def _inspecting(lower: Callable[..., Any], platform: str) -> Callable[..., Any]:
    """JAX's operation has addresses in its process; the engine calls a number of the table."""

    def lower_for_engine(context: Any, value: Any, *, callback: Callable[[Any], None]) -> Any:
        module = context.module_context
        kept = len(module.keepalives)
        lowered = lower(context, value, callback=callback)
        if len(module.keepalives) > kept and callbacks.may_be_for_engine(module, platform):
            inspect = _inspection(module.keepalives[-1])
            module.add_keepalive(inspect)
            callbacks.give_number(inspect, module)
        return lowered

    return lower_for_engine


def _inspection(callback: Callable[[Any], None]) -> Callable[[Any], tuple[()]]:
    from jax._src.lib import xla_client

    def inspect(message: np.ndarray[Any, Any]) -> tuple[()]:
        sharding = xla_client.OpSharding()
        sharding.ParseFromString(message.tobytes())
        callback(xla_client.HloSharding.from_proto(sharding))
        return ()

    return inspect


def install(c_api: Any) -> None:
    """Registers JAX's partitioner with the plugin."""
    from jax._src import xla_bridge
    from jax._src.lib import xla_client

    custom_partitioning = _jax_partitioning()
    register = partial(
        xla_client.register_custom_call_partitioner,
        name=custom_partitioning._CUSTOM_PARTITIONING_CALL_NAME,
        prop_user_sharding=custom_partitioning._custom_partitioning_propagate_user_sharding,
        partition=_partition,
        infer_sharding_from_operands=custom_partitioning._custom_partitioning_infer_sharding_from_operands,
        can_side_effecting_have_replicated_sharding=True,
    )
    # JAX registers its own with each plugin. The engine keeps the later one, which is this.
    own = c_api

    def register_own(c_api: Any) -> None:
        if c_api is own:
            register(c_api=c_api)

    xla_bridge.register_plugin_callbacks(register_own)


def install_inspection(platform: str) -> None:
    from jax._src import debugging
    from jax.interpreters import mlir

    lower = _inspecting(debugging._inspect_sharding_lowering_rule, platform)
    mlir.register_lowering(debugging.inspect_sharding_p, lower)

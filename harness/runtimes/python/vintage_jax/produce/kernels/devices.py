"""Kernels that copy between devices: a shift and an all-gather over a ring."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.kernels.kernel import (
    TPU,
    Kernel,
    Made,
    Setting,
    anywhere,
    cases_of_kernels,
    numbers,
    pallas,
    shape_of,
    tpu,
)
from vintage_jax.produce.own.sharded import shard_map

_DEVICES = 4
_X = jax.sharding.PartitionSpec("x")


def _mesh() -> Any:
    return jax.sharding.Mesh(np.array(jax.devices("cpu")[:_DEVICES]), ("x",))


def _kinds() -> Any:
    return getattr(tpu(), "DeviceIdType", None) or pallas().DeviceIdType


def _right() -> Any:
    return (lax.rem(lax.axis_index("x") + 1, _DEVICES),)


def _over_devices(call: Any) -> Any:
    return jax.jit(shard_map(call, _mesh(), (_X,), _X, unchecked=True))


def _shifted(s: Setting) -> Made:
    def kernel(x: Any, out: Any, sent: Any, received: Any) -> None:
        copy = tpu().make_async_remote_copy(
            src_ref=x, dst_ref=out, send_sem=sent, recv_sem=received, device_id=_right(),
            device_id_type=_kinds().MESH)  # fmt: skip
        copy.start()
        copy.wait()

    call = s.call(
        kernel, shape_of(s.dtype, 8, 128), inputs=[anywhere()], outputs=anywhere(),
        scratch=[tpu().SemaphoreType.DMA] * 2, simulated=True)  # fmt: skip
    return _over_devices(call), (numbers(s.dtype, 8 * _DEVICES, 128),)


def _gathered(s: Setting) -> Made:
    """In each step a device hands on the part that came last."""

    def kernel(x: Any, out: Any, local: Any, sent: Any, received: Any) -> None:
        mine = lax.axis_index("x")
        own = tpu().make_async_copy(x, out.at[mine], local)
        own.start()
        own.wait()

        def step(i: Any, _: Any) -> Any:
            slot = lax.rem(mine - i + _DEVICES, _DEVICES)
            copy = tpu().make_async_remote_copy(
                src_ref=out.at[slot], dst_ref=out.at[slot], send_sem=sent,
                recv_sem=received.at[i], device_id=_right(),
                device_id_type=_kinds().MESH)  # fmt: skip
            copy.start()
            copy.wait()
            return 0

        lax.fori_loop(0, _DEVICES - 1, step, 0)

    call = s.call(
        kernel, shape_of(s.dtype, _DEVICES, 8, 128), inputs=[anywhere()], outputs=anywhere(),
        scratch=[tpu().SemaphoreType.DMA, tpu().SemaphoreType.DMA,
                 tpu().SemaphoreType.DMA((_DEVICES - 1,))], simulated=True)  # fmt: skip
    return _over_devices(call), (numbers(s.dtype, 8 * _DEVICES, 128),)


def _shardings() -> dict[str, Any]:
    return {"in_shardings": jax.sharding.NamedSharding(_mesh(), _X)}


_on_ring = partial(Kernel, backends=TPU, options=_shardings, variant="sharded")
_KERNELS = (_on_ring("shifted", _shifted), _on_ring("all_gather_ring", _gathered))


def cases() -> Iterator[Case]:
    return cases_of_kernels(_KERNELS)

"""Pallas kernels, lowered for TPU and through Triton and Mosaic for GPUs; and calls of targets that
no release guarantees: the check is switched off."""

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import numpy as np

from vintage_jax.produce.case import Case, Prepared


def _add(x_ref: Any, y_ref: Any, out_ref: Any) -> None:
    out_ref[...] = x_ref[...] + y_ref[...]


def _scale(x_ref: Any, out_ref: Any) -> None:
    out_ref[...] = x_ref[...] * 2


def _call(kernel: Callable[..., None], arguments: tuple[Any, ...], backend: str) -> Prepared:
    from jax.experimental import pallas

    options: dict[str, Any] = {}
    if backend == "triton":
        from jax.experimental.pallas import triton

        options["compiler_params"] = _parameters(triton, "TritonCompilerParams")
    if backend == "mosaic_gpu":
        from jax.experimental.pallas import mosaic_gpu

        options["compiler_params"] = _parameters(mosaic_gpu, "GPUCompilerParams")
    shape = jax.ShapeDtypeStruct(arguments[0].shape, arguments[0].dtype)
    function = pallas.pallas_call(kernel, out_shape=shape, **options)
    return Prepared(function, arguments)


def _parameters(module: Any, old_name: str) -> Any:
    """CompilerParams since 0.7."""
    return (getattr(module, "CompilerParams", None) or getattr(module, old_name))()


def _unknown_target() -> Prepared:
    """A target that no runtime has: what it computes is not known."""
    ffi = getattr(jax, "ffi", None) or importlib.import_module("jax.extend.ffi")
    shape = jax.ShapeDtypeStruct((3,), np.float32)
    call = ffi.ffi_call("vintage_unknown_target", shape)
    function = call if callable(call) else partial(
        ffi.ffi_call, "vintage_unknown_target", shape)  # fmt: skip
    return Prepared(function, (np.ones(3, np.float32),))


def _svd_by_qr() -> Prepared:
    """LAPACK's gesvd, which is registered and was not listed for long."""
    algorithm = jax.lax.linalg.SvdAlgorithm.QR

    def values(x: Any) -> Any:
        return jax.lax.linalg.svd(x, compute_uv=False, algorithm=algorithm)

    return Prepared(values, (np.arange(12, dtype=np.float32).reshape(4, 3),))


def cases() -> Iterator[Case]:
    x = np.arange(1024, dtype=np.float32).reshape(8, 128)
    kernels = (("add", _add, (x, x)), ("scale", _scale, (x,)))
    for backend, platform in (("tpu", "tpu"), ("triton", "cuda"), ("mosaic_gpu", "cuda"),
                              ("triton", "rocm")):  # fmt: skip
        for name, kernel, arguments in kernels:
            prepare = partial(_call, kernel, arguments, backend)
            case = f"own:pallas_{backend}_{platform}/{name}"
            yield Case(case, "pallas_call", prepare, platforms=((platform,),))
    yield Case("own:custom_call/unknown_target", "ffi_call", _unknown_target)
    yield Case("own:custom_call/svd_by_qr", "svd", _svd_by_qr)

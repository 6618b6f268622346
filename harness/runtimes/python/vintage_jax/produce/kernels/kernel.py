"""A kernel, the backends that it is lowered by, and the cases that they make."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from vintage_jax.produce.case import Case, Prepared
from vintage_jax.release import lowering_for_device, without_x64

_PLATFORMS = {"mosaic": "tpu", "triton": "cuda", "mosaic_gpu": "cuda"}
_DTYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16", "i32": "int32", "i8": "int8",
           "u32": "uint32"}  # fmt: skip
TPU: tuple[str, ...] = ("mosaic",)
GPU: tuple[str, ...] = ("triton",)
BOTH = TPU + GPU
ALL = (*BOTH, "mosaic_gpu")


def pallas() -> Any:
    return importlib.import_module("jax.experimental.pallas")


def tpu() -> Any:
    return importlib.import_module("jax.experimental.pallas.tpu")


def mosaic_gpu() -> Any:
    return importlib.import_module("jax.experimental.pallas.mosaic_gpu")


def triton() -> Any:
    """Its loads and atomics were in pallas itself before 0.8."""
    name = "jax.experimental.pallas.triton"
    module = importlib.import_module(name) if importlib.util.find_spec(name) else pallas()
    return module if hasattr(module, "atomic_add") else pallas()


def when(condition: Any) -> Callable[[Callable[[], None]], None]:
    """Runs what it decorates where the condition holds."""
    made: Callable[[Callable[[], None]], None] = pallas().when(condition)
    return made


def shape_of(dtype: Any, *shape: int) -> Any:
    return jax.ShapeDtypeStruct(shape, dtype)


def block(shape: Any = None, index: Any = None, space: Any = None) -> Any:
    """Up to 0.4.30 the index map comes before the shape."""
    options = {} if space is None else {"memory_space": space}
    return pallas().BlockSpec(block_shape=shape, index_map=index, **options)


def anywhere() -> Any:
    """A whole array where it lies, in HBM."""
    space = getattr(pallas(), "ANY", None)
    return block(space=tpu().ANY if space is None else space)


@dataclass(frozen=True)
class Setting:
    """How a kernel is called: lowered by a backend, or interpreted."""

    backend: str
    dtype: Any
    interpreted: bool

    def call(
        self, kernel: Callable[..., None], out: Any, *, grid: tuple[int, ...] = (),
        inputs: Sequence[Any] | None = None, outputs: Any = None, scratch: Sequence[Any] = (),
        prefetched: int = 0, aliases: Mapping[int, int] | None = None, simulated: bool = False,
    ) -> Callable[..., Any]:  # fmt: skip
        """`prefetched`: of the operands, scalars that the index maps take too. `simulated`: the
        kernel uses memories and semaphores that only an interpreter of TPUs has."""
        specifications: dict[str, Any] = {}
        if inputs is not None:
            specifications["in_specs"] = list(inputs)
        if outputs is not None:
            specifications["out_specs"] = outputs
        if scratch or prefetched:
            specifications = {
                "grid_spec": tpu().PrefetchScalarGridSpec(
                    num_scalar_prefetch=prefetched, grid=grid, scratch_shapes=list(scratch),
                    **specifications)
            }  # fmt: skip
        elif grid:
            specifications["grid"] = grid
        if self.interpreted:
            specifications["interpret"] = _interpreter() if simulated else True
        elif self.backend == "mosaic_gpu" and hasattr(mosaic_gpu(), "kernel"):  # Since 0.6.
            make = mosaic_gpu().kernel
            is_new = "out_type" in inspect.signature(make).parameters
            called: Callable[..., Any] = make(
                kernel, **{"out_type" if is_new else "out_shape": out}
            )
            return called
        elif parameters := self._parameters():
            specifications["compiler_params"] = parameters
        called = pallas().pallas_call(
            kernel, out_shape=out, input_output_aliases=dict(aliases or {}), **specifications
        )
        return called

    def _parameters(self) -> Any:
        """They choose the backend."""
        if self.backend == "mosaic":
            return None
        name = f"jax.experimental.pallas.{self.backend}"
        if self.backend == "triton" and importlib.util.find_spec(name) is None:
            return None  # Early releases have no other.
        module = importlib.import_module(name)
        old = "TritonCompilerParams" if self.backend == "triton" else "GPUCompilerParams"
        return (getattr(module, "CompilerParams", None) or getattr(module, old))()


def _interpreter() -> Any:
    for name in ("InterpretParams", "TPUInterpretParams"):
        if hasattr(tpu(), name):
            return getattr(tpu(), name)()
    return True


# A function of arrays that calls the kernel, and those arrays.
Made = tuple[Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True)
class Kernel:
    name: str
    make: Callable[[Setting], Made]
    dtypes: tuple[str, ...] = ("f32",)
    backends: tuple[str, ...] = BOTH
    options: Callable[[], dict[str, Any]] = dict  # For jit.
    variant: str = "static"


def numbers(dtype: Any, *shape: int, seed: int = 1, low: int = -8, high: int = 8) -> Any:
    """Small integers, which every dtype holds."""
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def fractions(dtype: Any, *shape: int, seed: int = 1) -> Any:
    """From -1 to 1, each exact in bfloat16."""
    return (np.random.default_rng(seed).integers(-128, 128, shape) / 128).astype(dtype)


@contextmanager
def _for_device(backend: str, device: bool) -> Iterator[None]:
    kind = ("TPU v5e", "tpu") if backend == "mosaic" else ("NVIDIA H100", "gpu")
    chosen = "jax_pallas_use_mosaic_gpu"  # Up to 0.5.0 a setting chooses between the two for GPUs.
    is_set = backend == "mosaic_gpu" and chosen in jax.config.values
    with without_x64(), lowering_for_device(*kind) if device else nullcontext():
        if is_set:
            jax.config.update(chosen, True)
        try:
            yield
        finally:
            if is_set:
                jax.config.update(chosen, False)


def _prepare(kernel: Kernel, backend: str, dtype: str) -> Prepared:
    element = getattr(jnp, _DTYPES[dtype])
    # A kernel over devices has a mesh of its own.
    exporting = partial(_for_device, backend, kernel.variant != "sharded")
    with without_x64():
        function, arguments = kernel.make(Setting(backend, element, interpreted=False))
        interpreted, _ = kernel.make(Setting(backend, element, interpreted=True))
    return Prepared(
        function, arguments, options=kernel.options(), recorded=interpreted, exporting=exporting,
        computing=without_x64)  # fmt: skip


def cases_of_kernels(kernels: Iterable[Kernel]) -> Iterator[Case]:
    for kernel in kernels:
        for dtype in kernel.dtypes:
            for backend in kernel.backends:
                yield Case(
                    f"kernel:{kernel.name}_{dtype}/{backend}",
                    "pallas_call",
                    partial(_prepare, kernel, backend, dtype),
                    kernel.variant,
                    platforms=((_PLATFORMS[backend],),),
                )

"""Executes artifacts with IREE, whose compiler reads the module as it is."""

import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from vintage_iree.release import IREE, runtime
from vintage_iree.worker.compiler import compile_module
from vintage_python.worker.elements import Array, dtype_of, spelled
from vintage_python.worker.modules import ModuleConsumer
from vintage_python.worker.outcome import Progress, UnsupportedError


class IreeConsumer(ModuleConsumer):
    def __init__(self) -> None:
        super().__init__(IREE)

    def run(self, code: bytes, arguments: list[Array], progress: Progress) -> list[Array]:
        with tempfile.TemporaryDirectory(prefix="vintage-iree-") as folder:
            with progress.timed("compile", "compile"):
                compiled = compile_module(code, Path(folder))
            with progress.timed("run", "run"):
                context, function = _load(compiled)
                return progress.executed(lambda: _invoke(context, function, arguments))


# StableHLO's element types, and IREE's of the same bytes.
_ELEMENTS = {
    "i1": "BOOL_8", "i8": "SINT_8", "i16": "SINT_16", "i32": "SINT_32", "i64": "SINT_64",
    "ui8": "UINT_8", "ui16": "UINT_16", "ui32": "UINT_32", "ui64": "UINT_64",
    "f16": "FLOAT_16", "bf16": "BFLOAT_16", "f32": "FLOAT_32", "f64": "FLOAT_64",
    "complex<f32>": "COMPLEX_64", "complex<f64>": "COMPLEX_128",
    "f8E4M3FN": "FLOAT_8_E4M3_FN", "f8E4M3FNUZ": "FLOAT_8_E4M3_FNUZ",
    "f8E5M2": "FLOAT_8_E5M2", "f8E5M2FNUZ": "FLOAT_8_E5M2_FNUZ",
    "f8E8M0FNU": "FLOAT_8_E8M0_FNU",
}  # fmt: skip
# Results can be of integers without a sign.
_SIGNLESS = {"INT_8": "i8", "INT_16": "i16", "INT_32": "i32", "INT_64": "i64"}


@cache
def _instance() -> Any:
    return runtime().VmInstance()


@cache
def _device() -> Any:
    return runtime().get_device("local-sync")


@cache
def _names() -> dict[int, str]:
    """StableHLO's name of each of IREE's element types."""
    types = runtime().HalElementType
    names = {own: name for name, own in _ELEMENTS.items()} | _SIGNLESS
    return {int(getattr(types, own)): name for own, name in names.items() if hasattr(types, own)}


def _load(compiled: Path) -> Any:
    """The context that holds the module, and its main function."""
    iree = runtime()
    module = iree.VmModule.mmap(_instance(), str(compiled))
    hal = iree.create_hal_module(_instance(), _device())
    context = iree.VmContext(_instance(), modules=[hal, module])
    return context, module.lookup_function("main")


def _invoke(context: Any, function: Any, inputs: Sequence[Array]) -> list[Array]:
    iree = runtime()
    arguments, results = iree.VmVariantList(len(inputs)), iree.VmVariantList(8)
    views = [_view(each) for each in inputs]
    for view in views:
        arguments.push_ref(view)
    context.invoke(function, arguments, results)
    found = [results.get_as_object(i, iree.HalBufferView) for i in range(results.size)]
    return [_array(each) for each in found]


def _view(array: Array) -> Any:
    iree = runtime()
    own = _ELEMENTS.get(spelled(array.dtype))
    kind = getattr(iree.HalElementType, own or "", None)
    if kind is None:
        raise UnsupportedError(f"IREE's runtime takes no array of {spelled(array.dtype)}")
    # Types that NumPy itself has not travel as integers of their width.
    plain = np.ascontiguousarray(array)
    if not plain.dtype.isbuiltin or plain.dtype == np.bool_:
        plain = plain.view(np.dtype(f"u{plain.dtype.itemsize}"))
    return _device().allocator.allocate_buffer_copy(
        iree.MemoryType.DEVICE_LOCAL,
        iree.BufferUsage.DEFAULT | iree.BufferUsage.MAPPING,
        _device(),
        plain.reshape(array.shape),
        kind,
    )


def _array(view: Any) -> Array:
    name = _names().get(int(view.element_type))
    if name is None:
        raise UnsupportedError(f"IREE gives an array of its type {int(view.element_type):#x}")
    dtype, shape = dtype_of(name), tuple(view.shape)
    if 0 in shape:
        return np.zeros(shape, dtype)
    raw = np.dtype(f"u{dtype.itemsize}") if dtype.kind in "Vb" or not dtype.isbuiltin else dtype
    return np.array(view.map().asarray(shape, raw)).view(dtype).reshape(shape)

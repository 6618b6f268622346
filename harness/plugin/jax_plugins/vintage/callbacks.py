"""Python functions that a program on the engine calls: pure_callback, io_callback, debug.print and
buffer_callback.

JAX lowers them as for its CPU backend, to a custom call, which gets a number here: a key of the
table below. The engine gives the number and its arrays to a function of this module, in the process
that runs the program.
"""

import ctypes
import itertools
import math
import secrets
import traceback
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

_Function = Callable[..., Any]
# JAX keeps a function for as long as the program that calls it.
_functions: weakref.WeakValueDictionary[int, _Function] = weakref.WeakValueDictionary()
_functions_of_many: weakref.WeakValueDictionary[int, _Function] = weakref.WeakValueDictionary()
# As on JAX's CPU backend, a function of a program on many devices does not see the settings of the
# thread that runs the program (its mesh, its default device), and that of a program on one device
# sees them. More threads than calls that wait for calls.
_threads = ThreadPoolExecutor(64, thread_name_prefix="vintage-callback")
# Numbers of another process would be in a persistent cache of programs: each process has its own.
_numbers = itertools.count(secrets.randbits(40) << 20)


class _Array(ctypes.Structure):
    """HostArray of harness/plugin/python_callbacks.h."""

    _fields_ = (
        ("dtype", ctypes.c_char_p),
        ("rank", ctypes.c_int64),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
    )


class _Call(ctypes.Structure):
    """PythonCall, from there too."""

    _fields_ = (
        ("number", ctypes.c_int64),
        ("in_place", ctypes.c_int32),
        ("arguments", ctypes.POINTER(_Array)),
        ("argument_count", ctypes.c_size_t),
        ("results", ctypes.POINTER(_Array)),
        ("result_count", ctypes.c_size_t),
        ("message", ctypes.c_void_p),
        ("room", ctypes.c_size_t),
    )


def _view(array: Any) -> np.ndarray[Any, Any] | None:
    """None stands for a token: an ordered call takes one first, and returns it."""
    if not array.dtype:
        return None
    name = array.dtype.decode()
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    shape = tuple(array.shape[: array.rank])
    size = math.prod(shape) * dtype.itemsize
    if size == 0:
        return np.empty(shape, dtype)
    memory = (ctypes.c_byte * size).from_address(array.data)
    return np.frombuffer(memory, dtype).reshape(shape)


def _copy(array: Any) -> np.ndarray[Any, Any] | None:
    """A function may keep its arguments, and must not change the program's."""
    view = _view(array)
    if view is None:
        return None
    copy = view.copy()
    copy.flags.writeable = False
    return copy


class _Buffer:
    """Stands for JAX's own class in calls of buffer_callback: a result in place, or an argument,
    which is not to be written."""

    def __init__(self, array: Any, writeable: bool) -> None:
        view = _view(array)
        assert view is not None, "JAX gives buffer_callback no tokens"
        self._memory = view
        self.shape, self.dtype, self.writeable = view.shape, view.dtype, writeable

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        view = self._memory[...]
        view.flags.writeable = self.writeable
        return view.astype(dtype or self.dtype, copy=bool(copy))

    def __dlpack__(self, **options: Any) -> Any:
        return self._memory.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._memory.__dlpack_device__()


class _Execution:
    """The context of such a function."""

    @property
    def stage(self) -> Any:
        from jax.experimental import buffer_callback

        return buffer_callback.ExecutionStage.EXECUTE

    @property
    def stream(self) -> int:
        import jax

        raise jax.errors.JaxRuntimeError("UNIMPLEMENTED: XLA FFI GPU context is not available")


def _call_in_place(function: _Function, call: Any) -> None:
    arguments = [_Buffer(call.arguments[i], False) for i in range(call.argument_count)]
    results = [_Buffer(call.results[i], True) for i in range(call.result_count)]
    function(_Execution(), *arguments, *results)


def _call_with_copies(function: _Function, call: Any) -> None:
    arguments = [_copy(call.arguments[i]) for i in range(call.argument_count)]
    for place, value in zip(range(call.result_count), function(*arguments), strict=True):
        if (to := _view(call.results[place])) is not None:
            np.copyto(to, value)


def _call_python(pointer: Any) -> int:
    """0; or 1, with the reason in the call's message."""
    call = pointer.contents
    try:
        alone = _functions.get(call.number)
        function = _functions_of_many.get(call.number) if alone is None else alone
        if function is None:
            raise LookupError(
                f"there is no Python function {call.number}: the program was lowered in another "
                "process, or before jax_plugins.vintage was loaded"
            )
        work = _call_in_place if call.in_place else _call_with_copies
        if alone is not None:
            work(alone, call)
        else:
            _threads.submit(work, function, call).result()
    except BaseException:  # Nobody above this frame could take it.
        text = traceback.format_exc().encode()[-(call.room - 1) :]
        ctypes.memmove(call.message, text + b"\0", len(text) + 1)
        return 1
    return 0


# For as long as the library has its address.
_CALL_PYTHON = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Call))(_call_python)


def _is_of_one_device(module: Any) -> bool:
    axes = module.axis_context
    mesh = getattr(axes, "mesh", None)
    return getattr(axes, "num_devices", getattr(mesh, "size", None)) == 1


def give_number(function: _Function, module: Any) -> None:
    """The operation that JAX emitted last gets a number; its own stays, for JAX's CPU backend."""
    from jaxlib.mlir import ir

    number = next(_numbers)
    (_functions if _is_of_one_device(module) else _functions_of_many)[number] = function
    operations = ir.InsertionPoint.current.block.operations
    attributes = operations[len(operations) - 1].attributes
    attributes["vintage.python_function"] = ir.IntegerAttr.get(
        ir.IntegerType.get_signless(64), number
    )


def may_be_for_engine(module: Any, platform: str) -> bool:
    """Under VINTAGE_PLUGIN_PLATFORM=cpu JAX knows the engine by the name of its own backend."""
    from jax._src import xla_bridge

    if len(module.platforms) != 1 or module.platforms[0] not in (platform, "cpu"):
        return False
    backend = module.backend or xla_bridge.get_backend()
    return "vintage-engine" in backend.platform_version


def _emitting(emit: Callable[..., Any], platform: str) -> Callable[..., Any]:
    def emit_for_engine(context: Any, *arguments: Any, **options: Any) -> Any:
        module = context.module_context
        if not may_be_for_engine(module, platform):
            return emit(context, *arguments, **options)
        # JAX asks for the backend, and looks only at its name.
        for_cpu = module.replace(platforms=("cpu",), backend=SimpleNamespace(platform="cpu"))
        context = context.replace(module_context=for_cpu)
        emitted = emit(context, *arguments, **options)
        give_number(context.module_context.host_callbacks[-1], module)
        return emitted

    return emit_for_engine


def install(library: str, platform: str) -> bool:
    """False, and nothing, for a JAX older than 0.6, which has another way to call Python."""
    from jax._src import callback

    emit = getattr(callback, "emit_python_callback", None)
    if emit is None:
        return False
    from jax.interpreters import mlir

    ctypes.CDLL(library).vintage_set_call_python(_CALL_PYTHON)
    callback.emit_python_callback = mlir.emit_python_callback = _emitting(emit, platform)
    try:
        from jax._src import buffer_callback
    except ImportError:  # It is newer than 0.6.
        return True
    lower = _emitting(buffer_callback._buffer_callback_lowering, platform)
    mlir.register_lowering(buffer_callback.buffer_callback_p, lower)
    return True

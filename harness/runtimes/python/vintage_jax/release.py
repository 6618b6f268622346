"""JAX, as the shared programs know it, and where each release keeps what they use.

The export API moved twice and some of it is private; everything that differs
between releases is asked for here.
"""

import dataclasses
import importlib
import importlib.util
import os
import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

from vintage_python.failure import Failure
from vintage_python.framework import Framework

JAX = Framework(
    name="jax",
    title="JAX",
    package=Path(__file__).resolve().parent,
    project="jaxlib",
    companions=("jax",),
    others=("flatbuffers", "absl-py"),
    example="0.8.1, 0.4.30..0.12",
    conditions=("warm", "fresh"),
    produces="exported",
    beside=("keras", "torchax", "torch-xla", "flax"),
    root_variable="VINTAGE_JAX_ROOT",
)


# The module that holds `Exported` and the list of guaranteed targets: since
# 0.4.30, 0.4.24 to 0.4.29, up to 0.4.23.
_EXPORT_MODULES = (
    "jax._src.export._export",
    "jax.experimental.export._export",
    "jax.experimental.export.export",
)
_OFFSET_OF_NUMBER = 4  # The first field in a table of a flatbuffer.
_NUMBER_OF_NO_RELEASE = 999
_SERIALIZATION_MODULES = (
    "jax._src.export.serialization",
    "jax.experimental.export.serialization",
    "jax.experimental.export._serialization",
)
# In those: makes a pytree of a node of the flatbuffer. It calls itself by this name for
# the children.
_TREE_READER = "_deserialize_pytreedef_to_pytree"
_CUSTOM_NODE = 5  # Its kind. Releases before 0.4.36 have no name for it.
DEVICES = 8


def prepare_environment() -> None:
    """Settings that must stand before JAX is imported: eight devices of the CPU, and no
    messages of the C++ side but errors."""
    flags = os.environ.get("XLA_FLAGS", "")
    if "xla_force_host_platform_device_count" not in flags:
        flags += f" --xla_force_host_platform_device_count={DEVICES}"
        os.environ["XLA_FLAGS"] = flags.strip()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    os.environ.setdefault("JAX_ENABLE_X64", "1")


def load_jax() -> ModuleType:
    """jax, or a Failure that says why the release does not import."""
    prepare_environment()
    return JAX.load("jax")


def without_x64() -> AbstractContextManager[Any]:
    """Within it, JAX uses no 64 bits."""
    jax = importlib.import_module("jax")
    if not hasattr(jax, "enable_x64"):  # Before 0.8.
        jax = importlib.import_module("jax.experimental")
    made: AbstractContextManager[Any] = jax.enable_x64(False)
    return made


def lowering_for_device(kind: str, platform: str) -> AbstractContextManager[Any]:
    """Within it, lowerings for `platform` are for this kind of device, which newer releases ask
    for; older ones know no kinds, and lower for all."""
    sharding = importlib.import_module("jax.sharding")
    if not hasattr(sharding, "AbstractDevice") or not hasattr(sharding, "use_abstract_mesh"):
        return nullcontext()
    known = {field.name for field in dataclasses.fields(sharding.AbstractDevice)}
    options = {"platform": platform} if "platform" in known else {}
    device = sharding.AbstractDevice(device_kind=kind, num_cores=1, **options)
    axes = {"axis_types": (sharding.AxisType.Explicit,)}
    mesh = sharding.AbstractMesh((1,), ("device",), abstract_device=device, **axes)
    made: AbstractContextManager[Any] = sharding.use_abstract_mesh(mesh)
    return made


def _first_module(names: tuple[str, ...]) -> ModuleType | None:
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as problem:
            if problem.name is None or not name.startswith(problem.name):
                raise Failure(f"{name} needs {problem.name}, which is not installed") from problem
    return None


def export_module() -> ModuleType:
    module = _first_module(_EXPORT_MODULES)
    if module is None:
        raise Failure("this JAX has no export that is known here; 0.4.18 and newer have one")
    return module


def serialization_module() -> ModuleType:
    module = _first_module(_SERIALIZATION_MODULES)
    if module is None:
        raise Failure("this JAX cannot read a serialized Exported; 0.4.24 and newer can")
    return module


def deserialize(data: bytes) -> Any:
    return serialization_module().deserialize(bytearray(data))


@contextmanager
def unregistered_types_as_tuples() -> Iterator[list[str]]:
    """Within it, a node of a pytree type that is not registered is read as a tuple of its children.
    Yields the names of those types, each once and as they are met.

    Users register their types before they load an artifact that names them; a worker cannot. How
    a caller groups its arguments is no part of the program: they are the same and in the same
    order."""
    module = serialization_module()
    original: Any = getattr(module, _TREE_READER, None)
    registered = getattr(export_module(), "deserialization_registry", {})
    met: list[str] = []

    def read(node: Any, *leaves: Any) -> Any:
        if node.Kind() != _CUSTOM_NODE or _type_name(node) in registered:
            return original(node, *leaves)
        if _type_name(node) not in met:
            met.append(_type_name(node))
        return tuple(read(node.Children(i), *leaves) for i in range(node.ChildrenLength()))

    if original is None:
        yield met
        return
    setattr(module, _TREE_READER, read)
    try:
        yield met
    finally:
        setattr(module, _TREE_READER, original)


def _type_name(node: Any) -> str:
    if not hasattr(node, "CustomName"):
        return "(this release reads no names)"
    name: bytes = node.CustomName()
    return name.decode(errors="replace")


def serialize(exported: Any, vjp_order: int) -> bytes:
    return bytes(serialization_module().serialize(exported, vjp_order=vjp_order))


def call_exported(exported: Any) -> Any:
    """The function that runs an Exported."""
    if hasattr(exported, "call"):
        return exported.call
    return export_module().call_exported(exported)


def lowered_for(platform: str, function: Any, arguments: Sequence[Any]) -> Any:
    """Lowers a jitted function for a platform, which this machine need not have."""
    if importlib.util.find_spec("jax.export") is not None:
        return function.trace(*arguments).lower(lowering_platforms=(platform,))
    # Up to 0.4.29 only the release's own export names platforms, and in this way.
    mlir = importlib.import_module("jax._src.interpreters.mlir")
    parameters = mlir.LoweringParameters(platforms=(platform,))
    return function.lower(*arguments, _experimental_lowering_parameters=parameters)


def platforms_of(exported: Any) -> tuple[str, ...]:
    """Called lowering_platforms before 0.4.30."""
    return tuple(getattr(exported, "platforms", None) or exported.lowering_platforms)


def calling_convention_of(exported: Any) -> int:
    newer = ("calling_convention_version", "mlir_module_serialization_version")
    names = (*newer, "serialization_version")
    return next((int(getattr(exported, name)) for name in names if hasattr(exported, name)), 0)


def calling_conventions() -> tuple[int, int]:
    """The oldest and the newest. Up to 0.4.29 they are called serialization versions."""
    module = export_module()
    for word in ("calling_convention", "serialization"):
        names = [f"{end}_supported_{word}_version" for end in ("minimum", "maximum")]
        if all(hasattr(module, name) for name in names):
            return getattr(module, names[0]), getattr(module, names[1])
    return 0, 0


def newest_serialization() -> int:
    """The newest form of the flatbuffer that the release reads. The number that it writes
    stood still from 3 to 11, so that its generated reader is asked for what each brought."""
    module = _first_module(_SERIALIZATION_MODULES)
    if module is None:
        return 0
    stated = int(getattr(module, "_SERIALIZATION_VERSION", 1))
    if stated > 3:
        return stated
    generated = module.ser_flatbuf
    # A feature of each version, the newest first.
    for version, owner, name in (
        (6, "Sharding", "NamedSharding"),
        (5, "AbstractValue", "MemorySpace"),
        (4, "DType", "key_fry"),
        (3, "PyTreeDef", "CustomName"),
        (2, "DType", "f0"),
    ):
        if hasattr(getattr(generated, owner, None), name):
            return max(version, stated)
    return stated


def oldest_serialization(newest: int) -> int:
    """The oldest form of the flatbuffer that the release reads, given its newest. Since 0.11.1 a
    file that holds its number of devices in the place of versions up to 4 has expired; version 1
    was gone before 0.4.24 could read any."""
    module = serialization_module()
    return 5 if hasattr(module, "_expired_error_msg") else min(2, newest)


def written_serialization(data: bytes) -> int:
    """The number that a serialized Exported bears."""
    return int(_read_by_generated(bytearray(data)).SerializationVersion())


def refuses_newer_serialization(data: bytes) -> bool:
    """Whether a number that the release does not know makes it refuse an Exported that it reads
    otherwise. Later releases look at what is in it alone."""
    renumbered = bytearray(data)
    table = _read_by_generated(renumbered)._tab
    position = table.Pos + table.Offset(_OFFSET_OF_NUMBER)
    struct.pack_into("<H", renumbered, position, _NUMBER_OF_NO_RELEASE)
    try:
        deserialize(bytes(renumbered))
    except Exception:  # Its class differs from one release to the next.
        return True
    return False


def _read_by_generated(data: bytearray) -> Any:
    return serialization_module().ser_flatbuf.Exported.GetRootAs(data)


def stablehlo_of(module_bytes: bytes) -> str:
    """The version that a portable artifact names in its head."""
    match = re.search(rb"StableHLO_v(\d+\.\d+\.\d+)", module_bytes[:64])
    return match.group(1).decode() if match else ""


def guaranteed_targets() -> list[str]:
    return sorted(getattr(export_module(), "_CUSTOM_CALL_TARGETS_GUARANTEED_STABLE", ()))


def is_runtime_symbol(name: str) -> bool:
    """Whether XLA's registry holds it for its own code generator: it kept the C library's
    functions and its runtime there up to 0.8.0."""
    return name.startswith("__") or name in _C_SYMBOLS


def _c_symbols() -> Iterator[str]:
    functions = (
        "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 "
        "expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround "
        "log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow "
        "remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc"
    )
    for name in functions.split():
        yield from (name, f"{name}f")
    yield from (
        "calloc", "free", "malloc", "memchr", "memcmp", "memcpy", "memmove", "memset",
        "memrefCopy", "memset_pattern16", "printf", "putchar", "puts",
    )  # fmt: skip


_C_SYMBOLS = frozenset(_c_symbols())

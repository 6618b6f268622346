"""Writes a program that compares our declarations of the PJRT C API with its header.

Our structures have the header's fields in the header's order under names of our own, so that
they correspond by their places.
"""

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
OURS = REPOSITORY / "harness/runtimes/pjrt"
_CLASSES = (
    "AsyncHostToDeviceTransferManager", "AsyncTrackingEvent", "ExecuteContext",
    "CopyToDeviceStream", "TopologyDescription", "LoadedExecutable", "DeviceDescription",
    "Executable", "Plugin", "Client", "Memory", "Device", "Buffer", "Event", "Error",
)  # fmt: skip
_PLAIN = {
    "NamedValue": "PJRT_NamedValue",
    "PluginProgram": "PJRT_Program",
    "TiledLayout": "PJRT_Buffer_MemoryLayout_Tiled",
    "ExecuteOptions": "PJRT_ExecuteOptions",
}
# Types of xla/ffi/api/c_api.h, which jaxlib carries. The header's extensions begin with their base.
_FFI = {
    "FfiBytes": "XLA_FFI_ByteSpan",
    "FfiScalar": "XLA_FFI_Scalar",
    "FfiBuffer": "XLA_FFI_Buffer",
    "FfiArguments": "XLA_FFI_Args",
    "FfiAttributes": "XLA_FFI_Attrs",
    "FfiApiVersion": "XLA_FFI_Api_Version",
    "FfiErrorCreate": "XLA_FFI_Error_Create_Args",
    "FfiApi": "XLA_FFI_Api",
    "FfiFrameExtension": "XLA_FFI_Extension_Base",
    "FfiMetadata": "XLA_FFI_Metadata",
    "FfiMetadataExtension": "XLA_FFI_Metadata_Extension",
    "FfiCallFrame": "XLA_FFI_CallFrame",
}
_FFI_VALUES = {
    "kMetadataExtensionType": "XLA_FFI_Extension_Metadata",
    "kFfiBuffer": "XLA_FFI_ArgType_BUFFER",
    "kFfiScalar": "XLA_FFI_AttrType_SCALAR",
    "kFfiExecute": "XLA_FFI_ExecutionStage_EXECUTE",
}


def api_name(slot: str) -> str:
    """Of `ErrorGetCode`: PJRT_Error_GetCode."""
    if slot == "MemoryKindId":
        return "PJRT_Memory_Kind_Id"
    for name in _CLASSES:
        if slot.startswith(name) and slot != name:
            return f"PJRT_{name}_{slot.removeprefix(name)}"
    return f"PJRT_{slot}"


def slots() -> list[str]:
    text = (OURS / "c_api.h").read_text(encoding="utf-8")
    body = re.search(r"enum class Slot : size_t \{(.*?)\}", text, re.DOTALL).group(1)
    return [name.strip().removeprefix("k") for name in body.split(",") if name.strip()]


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", re.sub(r"//[^\n]*", "", text), flags=re.DOTALL)


def _fields(body: str) -> list[str]:
    """The names that a structure declares, in order; of a union the first."""
    body = re.sub(r"\(\s*\*\s*(\w+)\)\([^)]*\)", r" \1", body)  # A pointer to a function.
    body = re.sub(r"union \{\s*([^;]*;).*?\}[^;]*;", r"\1", body, flags=re.DOTALL)
    names = []
    for declaration in body.split(";"):
        for part in declaration.split(","):
            found = re.search(r"(\w+)\s*(?:=.*)?$", part.strip())
            if found:
                names.append(found.group(1))
    return names


def our_structures() -> dict[str, list[str]]:
    found = {}
    shapes = {
        name: _fields(body)
        for name, body in re.findall(
            r"struct (\w+Arguments) \{\s*VINTAGE_PJRT_HEADER\([^;]*;(.*?)\n\};",
            _without_comments((OURS / "c_api_arguments.h").read_text(encoding="utf-8")),
            re.DOTALL,
        )
    }
    for file in ("c_api.h", "c_api_arguments.h", "c_api_plugin_arguments.h"):
        text = _without_comments((OURS / file).read_text(encoding="utf-8"))
        for name, body in re.findall(r"struct (\w+) \{(.*?)\n\};", text, re.DOTALL):
            arguments = re.match(r"\s*VINTAGE_PJRT_ARGUMENTS\(\w+, \w+\);(.*)", body, re.DOTALL)
            if arguments:
                found[name] = ["structSize", "extension", *_fields(arguments.group(1))]
            elif name in _PLAIN:
                found[name] = _fields(re.sub(r"enum class Type.*?\};", "", body, flags=re.DOTALL))
        for shape, name in re.findall(r"^VINTAGE_PJRT\((\w+), (\w+),", text, re.MULTILINE):
            found[name] = ["structSize", "extension", *shapes[f"{shape}Arguments"]]
    return found


def header_fields(header: str, name: str) -> list[str]:
    body = re.search(rf"struct {name} \{{(.*?)\n\}};", _without_comments(header), re.DOTALL)
    return _fields(re.sub(r"PJRT_\w+\s*\*?\s*PJRT_", "PJRT_", body.group(1))) if body else []


def _header_structure(header: str, name: str) -> list[str]:
    """The fields of a structure, in either of C's two forms."""
    text = _without_comments(header)
    text = re.sub(r"_XLA_FFI_API_STRUCT_FIELD\((\w+)\)", r"void* \1", text)
    body = re.search(rf"struct {name} \{{(.*?)\n\}}", text, re.DOTALL)
    return _fields(body.group(1)) if body else []


def ffi_comparison(header: Path) -> str:
    text = header.read_text(encoding="utf-8")
    ours_text = _without_comments((OURS / "c_api_ffi.h").read_text(encoding="utf-8"))
    lines = [
        f'#include "{header}"',
        '#include "harness/runtimes/pjrt/c_api_ffi.h"',
        "namespace ours = vintage::harness;",
    ]
    lines += [f"static_assert(ours::{our} == {their});" for our, their in _FFI_VALUES.items()]
    for name, theirs in _FFI.items():
        body = re.search(rf"struct {name} \{{(.*?)\n\}};", ours_text, re.DOTALL).group(1)
        for ours, other in zip(_fields(body), _header_structure(text, theirs), strict=False):
            lines.append(
                f"static_assert(offsetof(ours::{name}, {ours}) == offsetof({theirs}, {other}) && "
                f"sizeof(ours::{name}::{ours}) == sizeof({theirs}::{other}), "
                f'"{name}.{ours}, {other}");'
            )
    return "\n".join(lines) + "\n"


def comparison(header: Path) -> str:
    text = header.read_text(encoding="utf-8")
    lines = [
        f'#include "{header}"',
        '#include "harness/runtimes/pjrt/c_api_plugin_arguments.h"',
        "namespace ours = vintage::harness;",
    ]
    # The table of an older header ends earlier.
    known = len(re.findall(r"^\s*_PJRT_API_STRUCT_FIELD\(", text, re.MULTILINE))
    lines += [
        f"static_assert(offsetof(PJRT_Api, {api_name(slot)}) == "
        f"offsetof(ours::Api, functions) + {place} * sizeof(void*));"
        for place, slot in enumerate(slots()[:known])
    ]
    for name, fields in our_structures().items():
        theirs = _PLAIN.get(name) or f"{api_name(name)}_Args"
        known = header_fields(text, theirs)
        for ours, other in zip(fields, known, strict=False):
            lines.append(
                f"static_assert(offsetof(ours::{name}, {ours}) == offsetof({theirs}, {other}) && "
                f"sizeof(ours::{name}::{ours}) == sizeof({theirs}::{other}), "
                f'"{name}.{ours}, {other}");'
            )
    return "\n".join(lines) + "\n"

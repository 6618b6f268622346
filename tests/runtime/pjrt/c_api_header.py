"""Writes a program that compares our declarations of the PJRT C API with its header.

Our structures have the header's fields in the header's order under names of our own, so that
they correspond by their places.
"""

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
OURS = REPOSITORY / "harness/consumers/pjrt"
_CLASSES = (
    "CopyToDeviceStream", "TopologyDescription", "LoadedExecutable", "DeviceDescription",
    "Executable", "Plugin", "Client", "Memory", "Device", "Buffer", "Event", "Error",
)  # fmt: skip
_PLAIN = {
    "NamedValue": "PJRT_NamedValue",
    "PluginProgram": "PJRT_Program",
    "TiledLayout": "PJRT_Buffer_MemoryLayout_Tiled",
    "ExecuteOptions": "PJRT_ExecuteOptions",
}


def api_name(slot: str) -> str:
    """Of `ErrorGetCode`: PJRT_Error_GetCode."""
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
    for file in ("c_api.h", "c_api_arguments.h", "c_api_plugin_arguments.h"):
        text = _without_comments((OURS / file).read_text(encoding="utf-8"))
        for name, body in re.findall(r"struct (\w+) \{(.*?)\n\};", text, re.DOTALL):
            arguments = re.match(r"\s*VINTAGE_PJRT_ARGUMENTS\(\w+, \w+\);(.*)", body, re.DOTALL)
            if arguments:
                found[name] = ["structSize", "extension", *_fields(arguments.group(1))]
            elif name in _PLAIN:
                found[name] = _fields(re.sub(r"enum class Type.*?\};", "", body, flags=re.DOTALL))
    return found


def header_fields(header: str, name: str) -> list[str]:
    body = re.search(rf"struct {name} \{{(.*?)\n\}};", _without_comments(header), re.DOTALL)
    return _fields(re.sub(r"PJRT_\w+\s*\*?\s*PJRT_", "PJRT_", body.group(1))) if body else []


def comparison(header: Path) -> str:
    text = header.read_text(encoding="utf-8")
    lines = [
        f'#include "{header}"',
        '#include "harness/consumers/pjrt/c_api_plugin_arguments.h"',
        "namespace ours = vintage::harness::consumers::pjrt;",
    ]
    lines += [
        f"static_assert(offsetof(PJRT_Api, {api_name(slot)}) == "
        f"offsetof(ours::Api, functions) + {place} * sizeof(void*));"
        for place, slot in enumerate(slots())
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

"""Pytree types that only the process of the exporter knows.

Users register such a type before they load an artifact that names it; a worker cannot. How a
caller groups its arguments is no part of the program, so that a node of an unknown type is read as
a tuple of its children: the arguments are the same and in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vintage_jax.release import export_module, serialization_module

# The function that makes a pytree of a node of the flatbuffer, in all releases. It calls itself by
# this name for the children.
_READER = "_deserialize_pytreedef_to_pytree"
_CUSTOM = 5  # The kind of a node. Releases before 0.4.36 have no name for it.


@contextmanager
def read_as_tuples() -> Iterator[list[str]]:
    """Within it, JAX reads nodes of types that are not registered. Yields their names, each once
    and as they are met."""
    module = serialization_module()
    original: Any = getattr(module, _READER, None)
    registered = getattr(export_module(), "deserialization_registry", {})
    met: list[str] = []

    def read(node: Any, *leaves: Any) -> Any:
        if node.Kind() != _CUSTOM or _name(node) in registered:
            return original(node, *leaves)
        if _name(node) not in met:
            met.append(_name(node))
        return tuple(read(node.Children(i), *leaves) for i in range(node.ChildrenLength()))

    if original is None:
        yield met
        return
    setattr(module, _READER, read)
    try:
        yield met
    finally:
        setattr(module, _READER, original)


def _name(node: Any) -> str:
    if not hasattr(node, "CustomName"):
        return "(this release reads no names)"
    name: bytes = node.CustomName()
    return name.decode(errors="replace")

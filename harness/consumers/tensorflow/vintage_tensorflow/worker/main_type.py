"""The type of a bare module's main function, read from its text."""

from __future__ import annotations

import re

from vintage_python.exported.exported import Aval
from vintage_python.worker.outcome import UnsupportedError

_MAIN = re.compile(
    r"func\.func(?: public)? @main\((?P<arguments>.*?)\)\s*(?:->\s*(?P<results>.*?))?\s*"
    r"(?:attributes\s*\{.*\}\s*)?\{\s*$",
    re.MULTILINE,
)
_TYPE = re.compile(r"tensor<([^<>]*(?:<[^<>]*>)?[^<>]*)>|(!stablehlo\.token)|(tuple<)")
_SHAPE = re.compile(r"((?:(?:\d+|\?)x)*)([^,]*)")


def main_type(text: str) -> tuple[list[Aval], list[Aval]]:
    """The types of its arguments and of its results, tokens included."""
    found = _MAIN.search(text)
    if found is None:
        raise ValueError("the module has no function main")
    return _types(found["arguments"]), _types(found["results"] or "")


def _types(text: str) -> list[Aval]:
    # What stands in braces is an attribute of an argument, and names no type of it.
    plain = re.sub(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "", re.sub(r'"[^"]*"', "", text))
    return [_aval(each) for each in _TYPE.finditer(plain)]


def _aval(found: re.Match[str]) -> Aval:
    if found[3]:
        raise UnsupportedError("a tuple has no form in TensorFlow")
    if found[2]:
        return Aval("token", (), token=True)
    shape = _SHAPE.match(found[1])
    assert shape is not None  # It fits everything.
    sizes = shape[1].split("x")[:-1]
    return Aval(shape[2], tuple(None if size == "?" else int(size) for size in sizes))

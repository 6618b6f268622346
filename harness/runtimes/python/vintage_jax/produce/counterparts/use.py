"""A use of a primitive, as its id in Vintage's catalogue names it.

PRIMITIVE[_TYPE[SHAPE],…][_LABEL]        dot_general_f32[4,3],f32[3,6]_contract=1x0
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Names of ids that NumPy and ml_dtypes spell otherwise.
_LETTERS = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
_ARGUMENT = re.compile(r"([a-z0-9_]+)\[([0-9,]*)\]")
_ARGUMENTS = re.compile(rf"_({_ARGUMENT.pattern}(?:,{_ARGUMENT.pattern})*)(?:_|$)")


def dtype_name(short: str) -> str:
    """ "f32" is "float32", and "f8_e4m3fn" is "float8_e4m3fn"."""
    if short in ("bool", "bf16"):
        return "bfloat16" if short == "bf16" else short
    return _LETTERS[short[0]] + short[1:]


def numbers(text: str) -> tuple[int, ...]:
    """ "2-m1" is (2, -1); nothing is ()."""
    signed = text.replace("m-", "m")  # The lowest integer has no positive counterpart.
    return tuple(int(part.replace("m", "-")) for part in signed.split("-")) if text else ()


@dataclass(frozen=True)
class Argument:
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Use:
    primitive: str
    arguments: tuple[Argument, ...]
    label: str

    @staticmethod
    def parse(primitive: str, identifier: str) -> Use:
        rest = identifier.removeprefix(primitive)
        found = _ARGUMENTS.match(rest)
        if found is None or primitive in LABELLED_BY_TYPE:
            return Use(primitive, (), rest.removeprefix("_"))
        arguments = tuple(
            Argument(dtype_name(name), tuple(int(size) for size in shape.split(",") if size))
            for name, shape in _ARGUMENT.findall(found.group(1))
        )
        return Use(primitive, arguments, rest[1 + len(found.group(1)) :].removeprefix("_"))

    def field(self, name: str) -> str:
        """The field's value in the label, such as "axis=1_reverse=true"."""
        found = re.search(rf"(?:^|_){name}=([^_]*)", self.label)
        if found is None:
            raise KeyError(f"{self.label} says nothing of {name}")
        return found.group(1)

    def has(self, name: str) -> bool:
        return re.search(rf"(?:^|_){name}=", self.label) is not None

    def flag(self, name: str) -> bool:
        return self.field(name) == "true"

    def sizes(self, name: str) -> tuple[int, ...]:
        return numbers(self.field(name))

    @property
    def dtype(self) -> str:
        return self.arguments[0].dtype


# Their ids begin with a result's type, since they take no array.
LABELLED_BY_TYPE = frozenset({"iota", "iota_2x32_shape"})


# From a use to the function of its arguments that JAX has for it; None: there is none.
Counterpart = Callable[[Use], Any]

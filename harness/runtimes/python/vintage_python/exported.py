"""An Exported's description of its module: all that a caller other than JAX needs.

Numbers of fields are those of golden/exported/exported.fbs.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

_OFFSET = "<I"


class DamagedError(ValueError):
    """The bytes are not what they should be."""


class Table:
    """A table at a place of the bytes. Fields are named by the numbers of the schema."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data, self._position = data, position
        self._fields = position - self._value("<i", position)
        self._size = self._value("<H", self._fields)

    @staticmethod
    def root(data: bytes) -> Table:
        if len(data) < 8:
            raise DamagedError(f"{len(data)} bytes are too few for an Exported")
        return Table(data, struct.unpack_from(_OFFSET, data)[0])

    def _value(self, form: str, position: int) -> Any:
        size = struct.calcsize(form)
        if position < 0 or position + size > len(self._data):
            raise DamagedError(
                f"byte {position} is named, and there are {len(self._data)}: no whole Exported"
            )
        return struct.unpack_from(form, self._data, position)[0]

    def _place(self, field: int) -> int:
        """Where the field's value lies; 0 where the table has none."""
        entry = 4 + 2 * field
        if entry + 2 > self._size:
            return 0
        offset: int = self._value("<H", self._fields + entry)
        return self._position + offset if offset else 0

    def has(self, field: int) -> bool:
        return self._place(field) != 0

    def number(self, field: int, form: str, default: int = 0) -> int:
        """`form`: of the struct module, without the byte order."""
        place = self._place(field)
        return int(self._value("<" + form, place)) if place else default

    def _behind(self, place: int) -> int:
        return place + int(self._value(_OFFSET, place))

    def _bytes_at(self, place: int) -> bytes:
        length = self._value(_OFFSET, place)
        if place + 4 + length > len(self._data):
            raise DamagedError("a part is longer than the bytes: no whole Exported")
        return self._data[place + 4 : place + 4 + length]

    def content(self, field: int) -> bytes:
        """A vector of bytes."""
        place = self._place(field)
        return self._bytes_at(self._behind(place)) if place else b""

    def text(self, field: int) -> str:
        return self.content(field).decode(errors="replace")

    def table(self, field: int) -> Table | None:
        place = self._place(field)
        return Table(self._data, self._behind(place)) if place else None

    def _elements(self, field: int, size: int) -> range:
        place = self._place(field)
        if not place:
            return range(0)
        vector = self._behind(place)
        count = self._value(_OFFSET, vector)
        if vector + 4 + count * size > len(self._data):
            raise DamagedError("a list is longer than the bytes: no whole Exported")
        return range(vector + 4, vector + 4 + count * size, size)

    def numbers(self, field: int, form: str) -> list[int]:
        size = struct.calcsize("<" + form)
        return [int(self._value("<" + form, place)) for place in self._elements(field, size)]

    def tables(self, field: int) -> list[Table]:
        return [Table(self._data, self._behind(place)) for place in self._elements(field, 4)]

    def texts(self, field: int) -> list[str]:
        places = self._elements(field, 4)
        return [self._bytes_at(self._behind(p)).decode(errors="replace") for p in places]


_Element = TypeVar("_Element")

# StableHLO's element type of each number, and the sizes of a key's own dimensions.
_TYPES = [
    "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64",
    "complex<f32>", "complex<f64>", "bf16", "i4", "ui4", "f8E4M3B11FNUZ", "f8E4M3FN",
    "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "i1", "f8E4M3", "f8E3M4", "f8E8M0FNU", "f4E2M1FN",
    "ui32", "ui32", "ui32",
]  # fmt: skip
_KEYS = {27: 2, 28: 4, 29: 4}
_TOKEN = 1
_CHECKS = ("platform", "custom_call", "shape_assertions")
_MOST_DERIVATIVES = 32

# The forms of the flatbuffer that are read here, as a description says them. A newer number alone
# is read too; the calling conventions in which a caller has to do the same are these.
SERIALIZATION = {"oldest": 1, "newest": 12, "default": 12, "refuses_newer": False}
CALLING_CONVENTIONS = {"oldest": 4, "newest": 10, "default": 10}


@dataclass(frozen=True)
class Aval:
    """The type of an input or output, as it travels: keys as their words, float0 as i1."""

    dtype: str  # StableHLO's name.
    shape: tuple[int | None, ...]  # None: it depends on dimension variables.
    token: bool = False


@dataclass(frozen=True)
class Exported:
    module: bytes  # A portable artifact.
    calling_convention: int
    platforms: tuple[str, ...]
    inputs: tuple[Aval, ...]
    outputs: tuple[Aval, ...]
    kept: tuple[int, ...]  # The inputs that main takes.
    disabled_checks: tuple[str, ...]
    ordered_effects: int
    devices: int
    derivative: Exported | None

    @property
    def static(self) -> bool:
        return all(size is not None for aval in self.inputs for size in aval.shape)

    def kept_of(self, inputs: Sequence[_Element]) -> list[_Element]:
        return [inputs[i] for i in self.kept]


def read_exported(data: bytes, depth: int = 0) -> Exported:
    return _exported(Table.root(data), depth)


def _exported(table: Table, depth: int) -> Exported:
    if depth > _MOST_DERIVATIVES:
        raise DamagedError(f"derivatives are nested more than {_MOST_DERIVATIVES} deep")
    values = [_aval(each) for each in table.tables(19)]

    def avals(indices: int, whole: int) -> tuple[Aval, ...]:
        if not table.has(indices):
            return tuple(_aval(each) for each in table.tables(whole))
        numbers = table.numbers(indices, "I")
        if any(number >= len(values) for number in numbers):
            raise DamagedError("a value is named that is not there: no whole Exported")
        return tuple(values[number] for number in numbers)

    inputs = avals(22, 3)
    kept = tuple(table.numbers(15, "H"))
    if any(number >= len(inputs) for number in kept):
        raise DamagedError("an input is kept that is not there: no whole Exported")
    derivative = table.table(17)
    return Exported(
        module=table.content(13),
        calling_convention=table.number(14, "H"),
        platforms=tuple(table.texts(9)),
        inputs=inputs,
        outputs=avals(23, 5),
        kept=kept,
        disabled_checks=tuple(_check(each) for each in table.tables(12)),
        ordered_effects=len(table.tables(10)),
        devices=table.number(18, "I") or table.number(6, "h") or 1,
        derivative=_exported(derivative, depth + 1) if derivative else None,
    )


def _aval(table: Table) -> Aval:
    number = table.number(2, "b")
    if not 0 <= number < len(_TYPES):
        raise DamagedError(f"the element type number {number} is not known; 0 to "
                           f"{len(_TYPES) - 1} are")  # fmt: skip
    sizes = [int(text) if text.isdigit() else None for text in table.texts(1)]
    if number in _KEYS:
        sizes.append(_KEYS[number])
    return Aval(_TYPES[number], tuple(sizes), table.number(0, "b") == _TOKEN)


def _check(table: Table) -> str:
    """As JAX spells it where it passes a check on."""
    kind = table.number(0, "b")
    name = _CHECKS[kind] if 0 <= kind < len(_CHECKS) else f"unknown {kind}"
    return f"{name}:{table.text(1)}" if name == "custom_call" else name

"""Flatbuffers, read field by field; a place outside of the bytes is a DamagedError."""

from __future__ import annotations

import struct
from typing import Any

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

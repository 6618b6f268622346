"""Writes flatbuffers field by field, after their specification: not the code under test."""

import struct


class Vector(list):
    """A struct of numbers, with the form of each."""

    def __init__(self, form, values):
        super().__init__(values)
        self.form = form


def write(table):
    """`table`: by the field's number a (form, number), bytes, text, a Vector, a dictionary
    (a table), or a list of texts or dictionaries."""
    data = bytearray(4)
    struct.pack_into("<I", data, 0, _table(data, table))
    return bytes(data)


def _align(data):
    data.extend(b"\0" * (-len(data) % 8))


def _table(data, fields):
    count = max(fields, default=-1) + 1
    _align(data)
    vtable = len(data)
    data.extend(struct.pack("<HH", 4 + 2 * count, 4 + 8 * count))
    data.extend(bytes(2 * count))
    _align(data)
    table = len(data)
    data.extend(struct.pack("<i", table - vtable))
    places = {}
    for number in sorted(fields):
        # The distances of a vtable are of 16 bits; each value gets eight bytes.
        places[number] = len(data)
        struct.pack_into("<H", data, vtable + 4 + 2 * number, len(data) - table)
        data.extend(bytes(8))
    for number, value in fields.items():
        place = places[number]
        if isinstance(value, tuple):
            struct.pack_into("<" + value[0], data, place, value[1])
        else:
            struct.pack_into("<I", data, place, _reference(data, value) - place)
    return table


def _reference(data, value):
    if isinstance(value, dict):
        return _table(data, value)
    if isinstance(value, str):
        value = value.encode()
    _align(data)
    start = len(data)
    if isinstance(value, bytes):
        data.extend(struct.pack("<I", len(value)) + value + b"\0")
    elif isinstance(value, Vector):
        data.extend(struct.pack(f"<I{len(value)}{value.form}", len(value), *value))
    else:
        data.extend(struct.pack("<I", len(value)) + bytes(4 * len(value)))
        for index, each in enumerate(value):
            place = start + 4 + 4 * index
            struct.pack_into("<I", data, place, _reference(data, each) - place)
    return start

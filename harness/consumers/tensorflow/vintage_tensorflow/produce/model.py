"""What a producer saves: a function over variables, and the inputs that are recorded."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vintage_python.worker.elements import Array


@dataclass(frozen=True)
class Built:
    """A model in the TensorFlow of this process."""

    function: Callable[..., Any]  # Of tensors; gives one or a tuple.
    inputs: tuple[Array, ...]  # What is recorded and computed with.
    state: tuple[Any, ...] = ()  # Variables and tables that the function uses.
    shapes: tuple[tuple[int | None, ...], ...] = ()  # Of the signature, if not the inputs' own.


@dataclass(frozen=True)
class Model:
    name: str
    primitive: str  # TensorFlow's name of what it is about: tf.einsum.
    build: Callable[[], Built]
    variant: str = "static"


def numbers(name: str, *shape: int, dtype: str = "float32", scale: float = 1.0) -> Array:
    """Normally distributed, the same for the same name in each process."""
    source = np.random.RandomState(zlib.crc32(name.encode()))
    array: Array = (source.standard_normal(shape) * scale).astype(dtype)
    return array


def integers(name: str, low: int, high: int, *shape: int, dtype: str = "int32") -> Array:
    source = np.random.RandomState(zlib.crc32(name.encode()))
    array: Array = source.randint(low, high, shape).astype(dtype)
    return array

"""Products: small ones for each row, and contractions along what is large."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from vintage_jax.produce.case import Case
from vintage_jax.produce.seeded_case import Seeded, seeded
from vintage_jax.produce.sized.idiom import (
    FEW_FLOATS,
    FLOAT_ROWS,
    FLOAT_WHOLE,
    Idiom,
    Sizes,
    cases_of_idioms,
    wide,
)

_SMALL_ROWS: Sizes = {**FLOAT_ROWS, "i32": (8193,)}
# Compilers unroll small matrices in their own ways: every size from 2 to 8 is there, by two numbers
# of rows at which they begin to split the work.
_COLUMNS = range(2, 9)
_SPLIT_ROWS: Sizes = {"f32": (32769,), "f64": (16385,)}
_USUAL_COLUMNS = 4


def _matrix_and_rows(columns: int) -> Any:
    return lambda n, dtype: (
        seeded(dtype, columns, columns, seed=columns, low=-2, high=2),
        seeded(dtype, n, columns, seed=7, low=-2, high=2),
    )


def _pairs(n: int, dtype: str) -> tuple[Seeded, ...]:
    return seeded(dtype, n, 3, 3, seed=1), seeded(dtype, n, 3, 3, seed=2)


def _vectors(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n, seed=1, low=-2, high=2), seeded(dtype, n, seed=2, low=-2, high=2))


def _tall(n: int, dtype: str) -> tuple[Seeded, ...]:
    return seeded(dtype, n, 4, low=-2, high=2), seeded(dtype, 4, seed=2)


def _signal(n: int, dtype: str) -> tuple[Seeded, ...]:
    return seeded(dtype, 1, 2, n), seeded(dtype, 3, 2, 5, seed=2)


def _images(n: int, dtype: str) -> tuple[Seeded, ...]:
    return seeded(dtype, n, 6, 6, 1), seeded(dtype, 3, 3, 1, 2, seed=2)


def _image(n: int, dtype: str) -> tuple[Seeded, ...]:
    return seeded(dtype, 1, n, 5, 3), seeded(dtype, 3, 3, 3, 4, seed=2)


def _row_norms(m: Any, x: Any) -> Any:
    return jax.vmap(lambda row: jnp.sum((wide(m) @ row) ** 2))(wide(x))


def _row_products_summed(m: Any, x: Any) -> Any:
    return jax.vmap(lambda row: jnp.sum(wide(m) @ row))(wide(x))


def _bilinear(m: Any, x: Any) -> Any:
    return jax.vmap(lambda row: row @ wide(m) @ row)(wide(x))


def _traces(a: Any, b: Any) -> Any:
    return jax.vmap(lambda p, q: jnp.trace(p @ q))(wide(a), wide(b))


def _determinants(a: Any, b: Any) -> Any:
    """Of a sum, written out."""
    m = wide(a) + wide(b)
    minors = jnp.cross(m[:, 1], m[:, 2])
    return (m[:, 0] * minors).sum(1)


def _dot(x: Any, y: Any) -> Any:
    return jnp.vdot(x, y) if x.dtype != jnp.bfloat16 else jnp.vdot(wide(x), wide(y))


def _signal_convolved(x: Any, kernel: Any) -> Any:
    result = jax.lax.conv_general_dilated(wide(x), wide(kernel), (1,), "SAME")
    return result.max(1)


def _images_convolved(x: Any, kernel: Any) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    result = jax.lax.conv_general_dilated(
        wide(x), wide(kernel), (1, 1), "VALID", dimension_numbers=numbers
    )
    return result.sum((1, 2, 3))


def _image_convolved(x: Any, kernel: Any) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    result = jax.lax.conv_general_dilated(
        wide(x), wide(kernel), (2, 1), "SAME", dimension_numbers=numbers
    )
    return result.sum((2, 3))


_IDIOMS = (
    *(Idiom(f"vmapped_product_norms_{columns}", "dot_general", _row_norms,
            _matrix_and_rows(columns),
            _SMALL_ROWS if columns == _USUAL_COLUMNS else _SPLIT_ROWS)
      for columns in _COLUMNS),
    *(Idiom(f"vmapped_product_sums_{columns}", "dot_general", _row_products_summed,
            _matrix_and_rows(columns), {"f64": (16385,)})
      for columns in _COLUMNS),
    Idiom("vmapped_product_total", "dot_general", lambda m, x: _row_norms(m, x).sum(),
          _matrix_and_rows(_USUAL_COLUMNS), FLOAT_WHOLE),
    Idiom("vmapped_bilinear", "dot_general", _bilinear, _matrix_and_rows(5), FEW_FLOATS),
    Idiom("vmapped_traces", "dot_general", _traces, _pairs, _SMALL_ROWS),
    Idiom("vmapped_determinants", "mul", _determinants, _pairs, {"f32": (255, 16385, 32769),
          "f64": (16385,)}),
    Idiom("rows_by_matrix", "dot_general", lambda x, v: wide(x) @ wide(v), _tall, _SMALL_ROWS),
    Idiom("gram", "dot_general", lambda x, _: wide(x).T @ wide(x), _tall,
          {"f32": (1, 255, 8193, 65537), "f64": (16385,), "bf16": (4095,)}),
    Idiom("dot", "dot_general", _dot, _vectors, FLOAT_WHOLE),
    Idiom("convolved_signal", "conv_general_dilated", _signal_convolved, _signal, FLOAT_ROWS),
    Idiom("convolved_images", "conv_general_dilated", _images_convolved, _images,
          {"f32": (1, 255, 4095), "f64": (255,), "bf16": (255,)}),
    Idiom("convolved_image", "conv_general_dilated", _image_convolved, _image,
          {"f32": (1, 255, 16385), "f64": (4095,)}),
)  # fmt: skip


def cases() -> Iterator[Case]:
    return cases_of_idioms(_IDIOMS)

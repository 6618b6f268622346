"""Constants with NaN, infinity, zeros of both signs and denormals, which inputs meet.

They are part of the program, so that a compiler may compute with them itself; the largest numbers
are left out, since a tolerance that is relative to them would hide everything else.
"""

from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np

from vintage_jax.produce.case import Case
from vintage_jax.produce.seeded_case import Seeded, seeded
from vintage_jax.produce.sized.idiom import Idiom, Sizes, cases_of_idioms

_SIZES: Sizes = {"f32": (1, 7, 4095), "f64": (255,), "bf16": (255,)}
_FEW: Sizes = {"f32": (7, 4095), "f64": (255,), "bf16": (7,)}
_SPECIAL = (np.nan, np.inf, -0.0, 3.0, -np.inf, 0.0, -2.0, 1.0)


def _inputs(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n, low=-3, high=3),)


def _constant(x: Any, special: tuple[float, ...] = _SPECIAL) -> Any:
    return np.resize(np.array(special), x.shape).astype(x.dtype)


def _denormal(x: Any) -> Any:
    """The smallest numbers of the type, which some runtimes take for zero."""
    smallest = float(jnp.finfo(x.dtype).smallest_subnormal)
    return _constant(x, (smallest, -smallest, 0.0, float(jnp.finfo(x.dtype).tiny)))


def _bounds(x: Any) -> Any:
    c = _constant(x)
    return jnp.minimum(x, c), jnp.maximum(c, x), jnp.clip(x, -1, c)


def _comparisons(x: Any) -> Any:
    c = _constant(x)
    return x < c, x >= c, c == x, jnp.isnan(x * c), jnp.isfinite(x - c), jnp.signbit(x * c)


def _chosen(x: Any) -> Any:
    c = _constant(x)
    return jnp.where(jnp.isfinite(c), c * x, x), jnp.nan_to_num(c + x, nan=5, posinf=7, neginf=-7)


def _folded(x: Any) -> Any:
    c = _constant(x)
    return jnp.nansum(jnp.where(jnp.isinf(c), x, c * x)), jnp.max(c + x), jnp.nanmin(c * x)


def _ordered(x: Any) -> Any:
    return jnp.sort(jnp.concatenate([x, _constant(x)])), jnp.argmax(_constant(x) + x)


def _scaled_denormals(x: Any) -> Any:
    """Where zero is as good as the number itself, nothing is returned that shows it."""
    c = _denormal(x)
    return jnp.maximum(x, c) > 0.5, c + x, jnp.where(jnp.abs(c) < 1, x, c)


_IDIOMS = (
    Idiom("constant_bounds", "clamp", _bounds, _inputs, _SIZES),
    Idiom("constant_comparisons", "lt", _comparisons, _inputs, _SIZES),
    Idiom("constant_chosen", "select_n", _chosen, _inputs, _SIZES),
    Idiom("constant_folded", "reduce_max", _folded, _inputs, _SIZES),
    Idiom("constant_ordered", "sort", _ordered, _inputs, _FEW),
    Idiom("constant_denormals", "max", _scaled_denormals, _inputs, _FEW),
)


def cases() -> Iterator[Case]:
    return cases_of_idioms(_IDIOMS)

"""Functions element by element."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import ad_util

from vintage_jax.produce.counterparts.use import Counterpart, Use, dtype_name

# Functions of one, two or three arrays that `jax.lax` calls by the same name.
_SAME_NAME = (
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bessel_i0e",
    "bessel_i1e", "bitwise_and", "cbrt", "ceil", "clamp", "clz", "complex", "conj", "cos", "cosh",
    "digamma", "div", "eq", "erf", "erf_inv", "erfc", "exp", "exp2", "expm1", "floor", "ge", "gt",
    "igamma", "igamma_grad_a", "igammac", "imag", "is_finite", "le", "lgamma", "log", "log1p",
    "logistic", "lt", "max", "min", "mul", "ne", "neg", "nextafter", "polygamma",
    "population_count", "pow", "random_gamma_grad", "real", "rem", "rsqrt", "shift_left",
    "shift_right_arithmetic", "shift_right_logical", "sign", "sin", "sinh", "sqrt", "square",
    "stop_gradient", "sub", "tan", "tanh", "zeta",
)  # fmt: skip
_OTHER_NAME = {
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "not": "bitwise_not",
    "regularized_incomplete_beta": "betainc",
}  # fmt: skip


def _named(use: Use) -> Any:
    return getattr(lax, _OTHER_NAME.get(use.primitive, use.primitive))


def _round(use: Use) -> Any:
    away = lax.RoundingMethod.AWAY_FROM_ZERO
    even = lax.RoundingMethod.TO_NEAREST_EVEN
    return lambda x: lax.round(x, even if use.field("method") == "even" else away)


def _convert(use: Use) -> Any:
    dtype = dtype_name(use.label.removeprefix("to="))
    if use.primitive == "bitcast_convert_type":
        return lambda x: lax.bitcast_convert_type(x, dtype)
    return lambda x: lax.convert_element_type_p.bind(
        x, new_dtype=jnp.dtype(dtype), weak_type=False, sharding=None
    )


def _reduce_precision(use: Use) -> Any:
    exponent, mantissa = use.label[1:].split("m")
    return lambda x: lax.reduce_precision(x, int(exponent), int(mantissa))


def _identity(use: Use) -> Any:
    if use.primitive == "device_put":
        return jax.device_put
    if use.primitive == "copy":
        return lax.copy_p.bind if hasattr(lax, "copy_p") else jax.numpy.copy
    return lax.zeros_like_array if hasattr(lax, "zeros_like_array") else jax.numpy.zeros_like


COUNTERPARTS: dict[str, Counterpart] = {
    **dict.fromkeys([*_SAME_NAME, *_OTHER_NAME], _named),
    **dict.fromkeys(["convert_element_type", "bitcast_convert_type"], _convert),
    **dict.fromkeys(["device_put", "copy", "zeros_like"], _identity),
    "add_any": lambda use: ad_util.add_any_p.bind,
    "round": _round,
    "integer_pow": lambda use: lambda x: lax.integer_pow(x, int(use.field("y"))),
    "reduce_precision": _reduce_precision,
    "select_n": lambda use: lax.select_n,
}

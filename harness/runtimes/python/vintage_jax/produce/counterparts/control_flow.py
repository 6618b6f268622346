"""Loops, branches, calls, and collectives over a mesh of one device."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from vintage_jax.produce.counterparts.use import Counterpart, Use


def _while(use: Use) -> Any:
    def function(x: Any, y: Any) -> Any:
        limit = np.int32(use.field("steps"))
        return lax.while_loop(
            lambda v: v[0] < limit, lambda v: (v[0] + np.int32(1), v[1] + y), (np.int32(0), x)
        )[1]

    return function


def _scan(use: Use) -> Any:
    def step(carry: Any, x: Any) -> Any:
        following = carry + x
        return following, following

    return lambda carry, xs: lax.scan(step, carry, xs)


def _unit(use: Use) -> Any:
    """max(x, 0), or the square of a complex number."""
    if use.dtype.startswith("complex"):
        return lambda x: x * x
    return lambda x: lax.max(x, lax.full_like(x, jnp.zeros((), x.dtype)))


def _named(function: Any, name: str) -> Any:
    function.__name__ = function.__qualname__ = name
    return function


def _call(use: Use) -> Any:
    unit = _unit(use)
    if use.primitive == "jit":
        return jax.jit(_named(unit, "relu"))
    if use.primitive == "checkpoint":
        return jax.checkpoint(unit)
    function: Any
    if use.primitive == "custom_jvp_call":
        function = jax.custom_jvp(unit)
        function.defjvp(lambda x, t: (unit(*x), t[0]))
    else:
        function = jax.custom_vjp(unit)
        function.defvjp(lambda x: (unit(x), None), lambda _, g: (g,))
    return function


def _composite(use: Use) -> Any:
    unit = _unit(use)

    def decomposition(x: Any, *, degree: Any) -> Any:
        del degree  # Only the composite carries it.
        return unit(x)

    function = lax.composite(decomposition, "vintage.unit", version=1)
    return lambda x: function(x, degree=np.int64(1))


COUNTERPARTS: dict[str, Counterpart] = {
    **dict.fromkeys(["jit", "checkpoint", "custom_jvp_call", "custom_vjp_call"], _call),
    "composite": _composite,
    "while": _while,
    "cond": lambda use: lambda predicate, x, y: lax.cond(predicate, lax.add, lax.mul, x, y),
    "scan": _scan,
    "optimization_barrier": lambda use: lambda *x: lax.optimization_barrier(x),
}

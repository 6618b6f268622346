"""Functions with an effect, ordered (a token goes in and out) and unordered.

JAX's own effects call back into Python, which cannot be exported: a primitive
of our own has an effect of our own and lowers to an addition.
"""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import jax
import numpy as np

from vintage_jax.effect_types import effect_types
from vintage_jax.produce.case import Case, Prepared


@cache
def _primitive(ordered: bool) -> Any:
    from jax._src import core
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir.dialects import hlo

    effect = effect_types()[0 if ordered else 1]()
    primitive = core.Primitive("vintage_ordered" if ordered else "vintage_unordered")

    def abstract(x: Any) -> Any:
        return core.ShapedArray(x.shape, x.dtype), {effect}

    def lower(context: Any, x: Any) -> Any:
        if ordered:
            token = context.tokens_in.get(effect)
            context.set_tokens_out(mlir.TokenSet({effect: token}))
        return [hlo.add(x, x)]

    primitive.def_effectful_abstract_eval(abstract)
    mlir.register_lowering(primitive, lower)
    return primitive


def _doubled(x: Any, ordered: bool) -> Any:
    return _primitive(ordered).bind(x)


def _twice(x: Any) -> Any:
    return _doubled(_doubled(x, True) + 1, True)


def _both(x: Any) -> Any:
    return _doubled(x, True), _doubled(x, False)


def _conditional(x: Any) -> Any:
    return jax.lax.cond(x[0] > 0, partial(_doubled, ordered=True), lambda v: v, x)


def cases() -> Iterator[Case]:
    x = np.array([1, 2, -3], np.float32)
    for name, function in (
        ("ordered", partial(_doubled, ordered=True)),
        ("unordered", partial(_doubled, ordered=False)),
        ("ordered_twice", _twice),
        ("both", _both),
        ("in_a_branch", _conditional),
    ):
        yield Case(f"own:effects/{name}", "effect", partial(Prepared, function, (x,)), "effects")

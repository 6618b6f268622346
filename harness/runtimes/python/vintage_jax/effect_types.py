"""Effects that an Exported can name.

JAX serializes an effect by the name of its type, and only where the type says
that its instances are equal: those of its callbacks are not, and callbacks
cannot be exported. These stand for what plug-ins define. A process knows those
that it has loaded.
"""

from functools import cache
from typing import Any


@cache
def effect_types() -> tuple[Any, Any]:
    """The ordered one and the unordered one, registered with this JAX."""
    from jax._src import effects

    class _Effect(effects.Effect):  # type: ignore[misc]
        def __eq__(self, other: object) -> bool:
            return type(self) is type(other)

        def __hash__(self) -> int:
            return hash(type(self).__name__)

    class OrderedEffect(_Effect):
        __str__ = lambda self: "VintageOrdered"  # noqa: E731

    class UnorderedEffect(_Effect):
        __str__ = lambda self: "VintageUnordered"  # noqa: E731

    for kind in (OrderedEffect, UnorderedEffect):
        kind.__module__, kind.__qualname__ = __name__, kind.__name__
        effects.lowerable_effects.add_type(kind)
        effects.control_flow_allowed_effects.add_type(kind)
    effects.ordered_effects.add_type(OrderedEffect)
    return OrderedEffect, UnorderedEffect

"""Programs that depend on the process in which they run."""

import weakref
from typing import Any

import numpy as np

from program import Program

# Lives until the process ends: that is when it dies.
_CACHE: Any = weakref.WeakKeyDictionary()


def sum_by_the_former_runtime() -> Program:
    return Program(lambda x: x + 1, (np.ones(3, np.float32),), np.full(3, 2))


def function_that_its_cache_refers_to() -> Program:
    import jax

    def use() -> None:
        def key(_: Any) -> None:
            return None

        def function(_: Any) -> None:
            return None

        jitted = _CACHE[key] = jax.jit(function, static_argnums=0)
        jitted(key)

    def function(x: Any) -> Any:
        use()
        return x + 1

    return Program(function, (np.ones(3, np.float32),), np.full(3, 2))

"""Executes artifacts with the JAX of this interpreter, in the worker protocol."""

import importlib
from typing import Any

from vintage_jax.effect_types import effect_types
from vintage_jax.release import load_jax
from vintage_python.programs import Options


def load(options: Options) -> Any:
    load_jax()
    load_effects()
    from vintage_jax.worker.consumer import JaxConsumer, warm_up

    if options.condition == "warm":
        warm_up()
    return JaxConsumer()


def load_effects() -> None:
    """Modules whose effects an artifact may name: JAX knows those that are loaded."""
    for name in ("jax._src.debugging", "jax._src.callback", "jax.experimental"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    effect_types()

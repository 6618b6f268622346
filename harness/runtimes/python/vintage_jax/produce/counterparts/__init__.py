"""JAX's own counterparts of the cases in Vintage's catalogue: the same primitive, with the same
dtypes, shapes and parameters."""

import importlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from vintage_jax.produce.case import Case, Prepared
from vintage_jax.produce.counterparts.use import Counterpart, Use
from vintage_python.failure import Failure

_MODULES = (
    "elementwise", "folds", "indexing", "linear_algebra", "random_bits", "control_flow",
)  # fmt: skip


def _prepare(use: Use, counterpart: Counterpart) -> Prepared:
    import jax
    import jax.numpy as jnp

    function = counterpart(use)
    if function is None:
        raise NotImplementedError("JAX's use of it is another one")
    arguments = tuple(
        jax.ShapeDtypeStruct(each.shape, jnp.dtype(each.dtype)) for each in use.arguments
    )
    return Prepared(
        function, (), specifications=arguments, without_golden="its program is compared"
    )


def counterpart_cases(catalogue: Path) -> Iterator[Case]:
    """For the static cases in a list that `vintage cases --format json` wrote."""
    table: dict[str, Counterpart] = {}
    for name in _MODULES:  # They import JAX, which has to be loaded before.
        table |= importlib.import_module(f"{__name__}.{name}").COUNTERPARTS
    for entry in _entries(catalogue):
        if entry["variant"] != "static" or entry["primitive"] not in table:
            continue
        use = Use.parse(entry["primitive"], entry["id"])
        yield Case(
            name=entry["id"],
            primitive=entry["primitive"],
            prepare=partial(_prepare, use, table[entry["primitive"]]),
            platforms=tuple((name,) for name in entry["platforms"]),
        )


def _entries(catalogue: Path) -> list[dict[str, Any]]:
    try:
        entries: list[dict[str, Any]] = json.loads(catalogue.read_text(encoding="utf-8"))["cases"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise Failure(
            f"{catalogue} is no list of cases ({problem}); write one with "
            "'vintage cases --format json'"
        ) from problem
    return entries

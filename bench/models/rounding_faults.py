#!/usr/bin/env python3
"""Exports models whose values depend on rounding, with what they give where a fault is in them.

    PYTHON bench/models/rounding_faults.py MODELS --date YYYY-MM-DD [--only NAME...]

PYTHON is that of an environment of JAX (docs/howto/jax.md). Each model becomes a folder below
MODELS that `vintage import` and `detection_limits` take: the artifact, its inputs, and the outputs
of this JAX. Beside them are the outputs with a fault, as faulty_NAME_N.npy:

    term  a sum or a matrix product lacks its last term
    f16   the factors of a matrix product or a convolution were rounded to f16

Each is in the first operation outside of loops where it changes an output. A model without such an
operation has no such files.
"""

import argparse
import functools
import itertools
import json
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.extend.core import Literal

from models import Model

_arguments = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
_arguments.add_argument("models", type=pathlib.Path, help="the folder to write")
_arguments.add_argument("--date", required=True, help="the day of this JAX's release")
_arguments.add_argument("--only", nargs="*", default=[], help="the names of models")

# From an operation and its operands: operands with the fault, or None where it has no place.
Fault = Callable[[Any, list[Any]], list[Any] | None]

# Operations that only call another program.
CALLS = {"pjit", "jit", "custom_jvp_call", "custom_vjp_call", "closed_call", "remat"}


def without_last_term(equation: Any, operands: list[Any]) -> list[Any] | None:
    if equation.primitive.name == "dot_general":
        summed = equation.params["dimension_numbers"][0][0]
    elif equation.primitive.name == "reduce_sum":
        summed = equation.params["axes"]
    else:
        return None
    first, *rest = operands
    if not summed or first.shape[summed[0]] < 2:
        return None
    last = (slice(None),) * summed[0] + (-1,)
    return [first.at[last].set(0), *rest]


def in_f16(equation: Any, operands: list[Any]) -> list[Any] | None:
    if equation.primitive.name not in ("dot_general", "conv_general_dilated"):
        return None
    if operands[0].dtype.itemsize <= 2:  # bf16 has fewer digits than f16.
        return None
    return [operand.astype(jnp.float16).astype(operand.dtype) for operand in operands]


FAULTS: dict[str, Fault] = {"term": without_last_term, "f16": in_f16}


class FaultyProgram:
    """Evaluates a program with a fault in one of the operations that have a place for it."""

    def __init__(self, fault: Fault, place: int) -> None:
        self._fault = fault
        # How many places come before that of the fault; -1 after it, or for no fault.
        self._before = place

    @property
    def placed(self) -> bool:
        return self._before < 0

    def evaluate(self, jaxpr: Any, constants: Any, arguments: Any) -> list[Any]:
        values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *arguments], strict=True))

        def value(variable: Any) -> Any:
            return variable.val if isinstance(variable, Literal) else values[variable]

        for equation in jaxpr.eqns:
            results = self._results(equation, [value(operand) for operand in equation.invars])
            values.update(zip(equation.outvars, results, strict=True))
        return [value(output) for output in jaxpr.outvars]

    def _results(self, equation: Any, operands: list[Any]) -> list[Any]:
        called = equation.params.get("jaxpr") or equation.params.get("call_jaxpr")
        if equation.primitive.name in CALLS and called is not None:
            # A call has either a closed program or one without constants.
            program = getattr(called, "jaxpr", called)
            return self.evaluate(program, getattr(called, "consts", []), operands)
        if not self.placed and operands and jnp.issubdtype(operands[0].dtype, jnp.floating):
            faulty = self._fault(equation, operands)
            if faulty is not None:
                operands = faulty if self._before == 0 else operands
                self._before -= 1
        results = equation.primitive.bind(*operands, **equation.params)
        return list(results) if equation.primitive.multiple_results else [results]


def faulty_outputs(
    flat: Callable[..., Any], leaves: list[Any], sound: list[Any], fault: Fault
) -> list[Any]:
    """The outputs of a faulty function of leaves; none where the fault changes none of `sound`."""
    closed = jax.make_jaxpr(flat)(*leaves)

    def outputs(place: int) -> list[Any]:
        program = FaultyProgram(fault, place)
        evaluate = functools.partial(program.evaluate, closed.jaxpr, closed.consts)
        lowered = jax.jit(lambda *leaves: evaluate(leaves)).lower(*leaves)
        return list(lowered.compile()(*leaves)) if program.placed else []

    # Evaluated call by call, a program may round otherwise: only a fault's own changes count.
    without = outputs(-1)
    for place in itertools.count():
        faulty = outputs(place)
        if not faulty:
            break
        changed = [not np.array_equal(*pair) for pair in zip(faulty, without, strict=True)]
        if any(changed):
            return [f if c else s for f, c, s in zip(faulty, changed, sound, strict=True)]
    return []


def _described(values: list[Any]) -> list[Any]:
    return [[str(np.asarray(value).dtype), list(np.shape(value))] for value in values]


def write(name: str, model: Model, folder: pathlib.Path, date: str) -> str:
    """Writes the folder of a model; returns a line that says so."""
    function, arguments = model
    leaves, tree = jax.tree.flatten(arguments)

    def flat(*leaves: Any) -> Any:
        return jax.tree.leaves(function(*jax.tree.unflatten(tree, leaves)))

    compiled = jax.jit(flat)
    outputs = compiled(*leaves)
    files = {f"input_{i}": leaf for i, leaf in enumerate(leaves)}
    files |= {f"expected_{i}": output for i, output in enumerate(outputs)}
    placed = []
    for kind, fault in FAULTS.items():
        faulty = faulty_outputs(flat, leaves, outputs, fault)
        files |= {f"faulty_{kind}_{i}": output for i, output in enumerate(faulty)}
        placed += [kind] if faulty else []
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "exported.bin").write_bytes(export.export(compiled)(*leaves).serialize())
    for stem, value in files.items():
        np.save(folder / f"{stem}.npy", np.asarray(value))
    meta = {
        "name": name,
        "kind": "exported",
        "platform": "cpu",
        "first_commit_date": date,
        "producer": f"jax {jax.__version__}",
        "recorded_by": f"jax {jax.__version__} cpu",
        "inputs": _described(leaves),
        "outputs": _described(outputs),
    }
    (folder / "meta.json").write_text(json.dumps(meta) + "\n")
    return f"{len(leaves)} inputs, {len(outputs)} outputs, faults: {', '.join(placed) or 'none'}"


def main() -> int:
    options = _arguments.parse_args()
    jax.config.update("jax_enable_x64", True)
    import rounding_networks
    import rounding_science

    models = rounding_networks.MODELS | rounding_science.MODELS
    unknown = set(options.only) - set(models)
    if unknown:
        sys.exit(f"there is no model {', '.join(sorted(unknown))}; there are {', '.join(models)}")
    for name in options.only or models:
        print(name, write(name, models[name](), options.models / name, options.date), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

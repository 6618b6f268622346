"""Runs JAX's own primitive harnesses on the engine and on JAX's CPU backend, in one process, and
writes a line of JSON for each. compare.py starts it."""

import json
import sys
import time
import warnings
from typing import Any, NamedTuple

import numpy as np

from closeness import compare
from meaning import same_by_meaning


def _flat(value: Any) -> list[Any]:
    import jax

    leaves = jax.tree_util.tree_leaves(value)
    arrays = []
    for leaf in leaves:
        key = jax.dtypes.issubdtype(getattr(leaf, "dtype", np.float32), jax.dtypes.prng_key)
        arrays.append(np.asarray(jax.random.key_data(leaf) if key else leaf))
    return arrays


def _run(harness: Any, device: Any, mode: str) -> list[Any]:
    """The results, which lie on the device."""
    import jax

    arguments = tuple(harness.dyn_args_maker(np.random.RandomState(0)))
    function = jax.jit(harness.dyn_fun) if mode == "warm" else harness.dyn_fun
    with jax.default_device(device):
        results = function(*arguments)
    placed_by_itself = str(harness.group_name) == "device_put"
    for leaf in () if placed_by_itself else jax.tree_util.tree_leaves(results):
        if isinstance(leaf, jax.Array) and leaf.devices() != {device}:
            raise RuntimeError(f"a result lies on {leaf.devices()} instead of {device}")
    return _flat(results)


def _first_line(problem: BaseException) -> str:
    text = str(problem).strip()
    return f"{type(problem).__name__}: {text.splitlines()[0] if text else ''}"[:300]


class Verdict(NamedTuple):
    verdict: str
    detail: str = ""
    epsilons: float = 0.0


def judge(harness: Any, engine: Any, cpu: Any, mode: str) -> Verdict:
    try:
        expected = _run(harness, cpu, mode)
    except Exception as problem:
        return Verdict("cpu fails", _first_line(problem))
    try:
        found = _run(harness, engine, mode)
    except Exception as problem:
        unsupported = isinstance(problem, NotImplementedError) or "UNIMPLEMENTED" in str(problem)
        return Verdict("unsupported" if unsupported else "error", _first_line(problem))
    if len(found) != len(expected):
        return Verdict("differs", f"{len(found)} results instead of {len(expected)}")
    comparisons = [compare(ours, theirs) for ours, theirs in zip(found, expected, strict=True)]
    epsilons = max((each.epsilons for each in comparisons), default=0.0)
    wrong = [
        f"result {place}: {each.difference}"
        for place, each in enumerate(comparisons)
        if each.difference
    ]
    if not wrong:
        return Verdict("same", "", epsilons)
    reason = same_by_meaning(harness, found, expected)
    return Verdict("same by meaning", reason) if reason else Verdict("differs", wrong[0], epsilons)


def main() -> None:
    """child.py MODE FIRST STEP: every STEPth harness from FIRST on."""
    mode, first, step = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    import jax
    from jax._src.internal_test_util import test_harnesses

    engine, cpu = jax.devices("vintage")[0], jax.devices("cpu")[0]
    harnesses = sorted(test_harnesses.all_harnesses, key=lambda harness: str(harness.fullname))
    for place in range(first, len(harnesses), step):
        harness = harnesses[place]
        start = {"place": place, "name": str(harness.fullname)}
        print(json.dumps(start), flush=True)
        line: dict[str, Any] = {"place": place, "primitive": str(harness.group_name)}
        if harness.filter("cpu"):
            began = time.monotonic()
            line.update(judge(harness, engine, cpu, mode)._asdict())
            line["seconds"] = round(time.monotonic() - began, 3)
        else:
            line.update(Verdict("not for the cpu")._asdict())
        print(json.dumps(line), flush=True)
        if place % 400 < step:
            jax.clear_caches()


if __name__ == "__main__":
    main()

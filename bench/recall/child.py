"""Runs the program of a case in one release. reproduce.py starts it with that release's Python.

    child.py run NAME                  compiles, runs, compares with what NumPy gives
    child.py time NAME SECONDS         minima of compiling and running, and bytes of temporaries
    child.py export NAME FOLDER        writes the Exported with its inputs and outputs
    child.py load FOLDER warm|fresh    reads it, calls it, compares with those outputs; warm: after
                                       a program of its own called LAPACK

Prints one line of JSON at the end. An error of the program is an answer; a signal is one, too, and
the parent sees it.
"""

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from program import program

# Relative to the largest magnitude in the array: far above the differences between orders of
# summation, and far below the errors that the reports are about.
_CLOSE = 1e-4


def _leaves(value: Any) -> list[Any]:
    import jax

    return [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(value)]


def _comparable(array: Any) -> Any:
    return np.asarray(array).astype(np.complex128)


def _difference(found: Any, expected: Any) -> str:
    """Empty where they are the same within _CLOSE; NaNs are equal."""
    if np.shape(found) != np.shape(expected):
        return f"the shape is {np.shape(found)} instead of {np.shape(expected)}"
    one, other = _comparable(found), _comparable(expected)
    finite = np.abs(other[np.isfinite(other)])
    scale = float(finite.max()) if finite.size else 0.0
    bad = ~np.isclose(one, other, rtol=_CLOSE, atol=_CLOSE * scale, equal_nan=True)
    if not bad.any():
        return ""
    place = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.ndim else ()
    values = f"{np.asarray(found)[place]} instead of {np.asarray(expected)[place]}"
    return f"{int(bad.sum())} of {bad.size} elements differ, first {values} at {list(place)}"


def _judge(found: list[Any], expected: list[Any]) -> dict[str, Any]:
    pairs = zip(found, expected, strict=False)
    says = next((text for one, other in pairs if (text := _difference(one, other))), "")
    return {"ended": "wrong" if says else "right", "detail": says}


def _run(name: str) -> dict[str, Any]:
    import jax

    made = program(name)
    found = _leaves(jax.jit(made.function)(*made.inputs))
    return _judge(found, [] if made.expected is None else [made.expected])


def _time(name: str, seconds: float) -> dict[str, Any]:
    import jax

    made = program(name)
    inputs = jax.device_put(made.inputs)
    began = time.perf_counter()
    compiled = jax.jit(made.function).lower(*inputs).compile()
    compiling = time.perf_counter() - began
    jax.block_until_ready(compiled(*inputs))
    runs: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or not runs:
        began = time.perf_counter()
        jax.block_until_ready(compiled(*inputs))
        runs.append(time.perf_counter() - began)
    return {
        "ended": "right", "detail": "", "run": min(runs), "compile": compiling,
        "temporary_bytes": compiled.memory_analysis().temp_size_in_bytes,
    }  # fmt: skip


def _export(name: str, folder: Path) -> dict[str, Any]:
    import jax
    from jax import export

    made = program(name)
    jitted = jax.jit(made.function)
    exported = export.export(jitted)(*made.inputs)
    outputs = _leaves(jitted(*made.inputs))
    folder.mkdir(parents=True, exist_ok=True)
    # Made whole aside: a call that ends in between leaves no half artifact.
    np.savez(folder / "inputs.npz", *_leaves(made.inputs))
    np.savez(folder / "outputs.npz", *outputs)
    (folder / "exported.tmp").write_bytes(exported.serialize())
    (folder / "exported.tmp").rename(folder / "exported.bin")
    return _judge(outputs, [] if made.expected is None else [made.expected])


def _arrays(file: Path) -> list[Any]:
    with np.load(file) as archive:
        return [archive[f"arr_{number}"] for number in range(len(archive.files))]


def _load(folder: Path, condition: str) -> dict[str, Any]:
    import jax
    from jax import export

    if condition == "warm":
        jax.jit(jax.numpy.linalg.inv).lower(np.eye(2, dtype=np.float32)).compile()

    exported = export.deserialize((folder / "exported.bin").read_bytes())
    inputs = jax.tree_util.tree_unflatten(exported.in_tree, _arrays(folder / "inputs.npz"))
    arguments, keywords = inputs
    found = _leaves(jax.jit(exported.call)(*arguments, **keywords))
    return _judge(found, _arrays(folder / "outputs.npz"))


def main() -> None:
    warnings.filterwarnings("ignore")
    what, *words = sys.argv[1:]
    try:
        if what == "run":
            answer = _run(words[0])
        elif what == "time":
            answer = _time(words[0], float(words[1]))
        elif what == "export":
            answer = _export(words[0], Path(words[1]))
        else:
            answer = _load(Path(words[0]), words[1])
    except Exception as problem:
        line = next(iter(str(problem).strip().splitlines()), "")
        answer = {"ended": "refused", "detail": f"{type(problem).__name__}: {line}"[:300]}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()

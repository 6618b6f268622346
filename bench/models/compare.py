#!/usr/bin/env python3
"""Compares models of real JAX on the embedded engine with XLA's CPU backend, in turns.

    PYTHON bench/models/compare.py --program build/release/bench/models_bench [--work DIR]
        [--rounds N] [--only NAME...] [--cores N] [--json FILE]

PYTHON is that of an environment of JAX (docs/howto/jax.md). Each model is exported by this JAX.
Then JAX and the engine take turns, each in its own process. Compiling means, for both,
turning the bytes of the artifact into something that runs. A time is the smallest of the
rounds; processor time is that of all threads. --cores limits both to that many cores.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from typing import Any

_arguments = argparse.ArgumentParser(description=__doc__)
_arguments.add_argument("--program", type=pathlib.Path, required=True)
_arguments.add_argument("--work", type=pathlib.Path)
_arguments.add_argument("--rounds", type=int, default=7)
_arguments.add_argument("--only", nargs="*", default=[])
_arguments.add_argument("--cores", type=int)
_arguments.add_argument("--json", type=pathlib.Path)

COMPILATIONS = 3
# A turn is as many runs as take about this long.
TURN_SECONDS = 0.15


@dataclass
class Times:
    """Milliseconds, the smallest of all rounds."""

    wall: float = float("inf")
    processor: float = float("inf")

    def add(self, wall: float, processor: float) -> None:
        self.wall = min(self.wall, 1000 * wall)
        self.processor = min(self.processor, 1000 * processor)


@dataclass
class Comparison:
    model: str
    artifact_bytes: int = 0
    difference: float = 0
    run: dict[str, Times] = field(default_factory=lambda: {"xla": Times(), "engine": Times()})
    compile: dict[str, Times] = field(default_factory=lambda: {"xla": Times(), "engine": Times()})


class Engine:
    """The process of the engine; it answers one line for each."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path) -> None:
        self._process = subprocess.Popen(
            [program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, line: str) -> list[float]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            sys.exit(f"the engine ended at '{line}'")
        return [float(word) for word in answer.split()]

    def end(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def compare(name: str, options: argparse.Namespace, folder: pathlib.Path) -> Comparison:
    import jax
    import numpy as np
    from jax import export

    from models import MODELS

    untyped: Any = jax  # Some of its functions have no types.
    function, arguments = MODELS[name]()
    exported = export.export(jax.jit(function), platforms=["cpu"])(*arguments)
    artifact = bytes(exported.serialize())
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "artifact").write_bytes(artifact)
    for i, leaf in enumerate(jax.tree_util.tree_leaves(arguments)):
        np.save(folder / f"input_{i}.npy", leaf)
    comparison = Comparison(name, len(artifact))
    engine = Engine(options.program, folder)
    placed = jax.device_put(arguments)
    compiled: Any = None
    for _ in range(COMPILATIONS):
        untyped.clear_caches()
        wall, processor = time.perf_counter(), time.process_time()
        compiled = jax.jit(export.deserialize(bytearray(artifact)).call).lower(*placed).compile()
        comparison.compile["xla"].add(time.perf_counter() - wall, time.process_time() - processor)
        comparison.compile["engine"].add(*engine.ask("compile"))
    outputs = jax.tree_util.tree_leaves(untyped.block_until_ready(compiled(*placed)))
    engine.ask("outputs")
    for i, expected in enumerate(outputs):
        actual = np.load(folder / f"output_{i}.npy")
        scale = float(np.abs(np.asarray(expected)).max())
        worst = float(np.abs(np.asarray(expected) - actual).max()) / scale
        comparison.difference = max(comparison.difference, worst)
    wall = time.perf_counter()
    untyped.block_until_ready(compiled(*placed))
    turns = max(1, min(200, int(TURN_SECONDS / (time.perf_counter() - wall))))
    for _ in range(options.rounds):
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(turns):
            untyped.block_until_ready(compiled(*placed))
        comparison.run["xla"].add(
            (time.perf_counter() - wall) / turns, (time.process_time() - processor) / turns
        )
        comparison.run["engine"].add(*engine.ask(f"run {turns}"))
    engine.end()
    return comparison


def main() -> int:
    options = _arguments.parse_args()
    if options.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    from models import MODELS

    unknown = set(options.only) - set(MODELS)
    if unknown:
        sys.exit(f"there is no model {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    comparisons = []
    with tempfile.TemporaryDirectory() as scratch:
        work = options.work or pathlib.Path(scratch)
        print(
            "model                run ms: xla   engine  ratio (processor)   compile ms: xla"
            "   engine  ratio   difference"
        )
        for name in options.only or MODELS:
            c = compare(name, options, work / name.replace(" ", "_").replace(",", ""))
            comparisons.append(c)
            run, built = c.run, c.compile
            print(
                f"{name:20} {run['xla'].wall:12.3f} {run['engine'].wall:8.3f}"
                f" {run['engine'].wall / run['xla'].wall:6.2f}"
                f" {run['engine'].processor / run['xla'].processor:11.2f}"
                f" {built['xla'].wall:17.1f} {built['engine'].wall:8.1f}"
                f" {built['engine'].wall / built['xla'].wall:6.3f} {c.difference:12.1e}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps([asdict(c) for c in comparisons], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

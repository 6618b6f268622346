"""Saves models with the TensorFlow of this interpreter."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from vintage_python.environment.record import release_of
from vintage_python.failure import EXIT_HOLDS
from vintage_python.lifetime import ends_with_this
from vintage_python.producing import Journal, chosen
from vintage_python.progress import progress
from vintage_tensorflow.release import TENSORFLOW, load_tensorflow

DOES, EACH = "Saves models", "models"
_MODE = "default"  # TensorFlow saves in one way.


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--exported", nargs="+", type=Path, default=[], metavar="FILE",
        help="instead: models around these Exported, as jax2tf wraps them")  # fmt: skip
    parser.add_argument("--only", help=argparse.SUPPRESS)  # For the process of one model.


def cases(options: argparse.Namespace) -> list[Any]:
    load_tensorflow()
    return chosen(_models(options), options)


def produce(options: argparse.Namespace, arguments: list[str], _: int) -> int | None:
    models = cases(options)
    journal = Journal(options.out, options.retry)
    if options.only:
        _make(next(m for m in models if m.name == options.only), options, journal)
        return None
    waiting = [model.name for model in models if name_of(model.name) not in journal.lines]
    _run_each(waiting, options.jobs, arguments)
    return EXIT_HOLDS


def _models(options: argparse.Namespace) -> list[Any]:
    from vintage_tensorflow.produce.models import arrays, control_flow, layers, modules

    if options.exported:
        return [modules.model_around(file) for file in options.exported]
    return [*layers.MODELS, *arrays.MODELS, *control_flow.MODELS, *modules.MODELS]


def name_of(model: str) -> str:
    return f"tensorflow:{model}/cpu"


def _run_each(names: Sequence[str], jobs: int, arguments: list[str]) -> None:
    """A process for each model: TensorFlow numbers functions as they come, so that only the first
    one of a process has the same bytes each time."""
    done = 0

    def run(name: str) -> None:
        nonlocal done
        command = [sys.executable, str(TENSORFLOW.package), "produce", *arguments, "--only", name]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False, preexec_fn=ends_with_this())
        done += 1
        progress("1/1", _MODE, done, len(names))

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, names))


def _make(model: Any, options: argparse.Namespace, journal: Journal) -> None:
    from vintage_python.producing.folder import SAVED_MODEL, described, write_folder
    from vintage_python.worker.outcome import detail_of
    from vintage_tensorflow.produce.model import save_model

    version = str(load_tensorflow().__version__)
    producer, released = release_of(TENSORFLOW, version, options.environment, options.released)
    artifact = {
        "name": name_of(model.name), "primitive": model.primitive, "variant": model.variant,
        "platforms": ["cpu"], "mode": _MODE,
    }  # fmt: skip
    journal.add(artifact, "started")
    try:
        built = model.build()
        saved = save_model(built)
    except Exception as problem:
        journal.add(artifact, "refused", f"save: {detail_of(problem).splitlines()[0]}")
        return
    meta = {
        "name": name_of(model.name),
        "kind": "saved model",
        "platform": "cpu",
        "serialized_date": released,
        "producer": producer,
        "primitive": model.primitive,
        "variant": model.variant,
        "recorded_by": f"{producer} on cpu",
        "inputs": described(built.inputs),
        "outputs": described(saved.expected),
    }
    place = write_folder(
        options.out, meta, SAVED_MODEL, saved.artifact, built.inputs, saved.expected
    )
    journal.add(artifact, "exported", folder=place.name, golden="recorded")

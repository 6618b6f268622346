"""Saves models with the TensorFlow of this interpreter."""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from vintage_jax.release import JAX
from vintage_python.environment.beside import use_beside
from vintage_python.environment.record import read_environment, release_of
from vintage_python.failure import EXIT_HOLDS
from vintage_python.lifetime import ends_with_this
from vintage_python.producing import Journal, chosen
from vintage_python.progress import progress
from vintage_tensorflow.release import TENSORFLOW, load_tensorflow, own_version

DOES, EACH = "Saves models", "models"
_MODE = "default"  # TensorFlow saves in one way.


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--exported", nargs="+", type=Path, default=[], metavar="FILE",
        help="instead: models around these Exported, as jax2tf wraps them")  # fmt: skip
    parser.add_argument(
        "--jax2tf", type=Path, metavar="FOLDER",
        help="instead: models that jax2tf makes with the JAX of this environment")  # fmt: skip
    parser.add_argument(
        "--with", dest="package", metavar="PACKAGE[==VERSION]",
        help="with --jax2tf: models that a package beside TensorFlow saves: "
             f"{', '.join(TENSORFLOW.beside)}")  # fmt: skip
    parser.set_defaults(beside="")


def cases(options: argparse.Namespace) -> list[Any]:
    load_tensorflow()
    return chosen(_models(options), options)


def produce(options: argparse.Namespace, _arguments: list[str], _: int) -> int:
    models = cases(options)
    journal = Journal(options.out, options.retry)
    waiting = [model for model in models if name_of(model.name) not in journal.lines]
    _make_each(waiting, options, journal)
    return EXIT_HOLDS


def _models(options: argparse.Namespace) -> list[Any]:
    from vintage_tensorflow.produce.models import arrays, control_flow, layers, modules

    if options.exported:
        return [modules.model_around(file) for file in options.exported]
    if options.jax2tf:
        from vintage_tensorflow.produce.models import jax2tf

        if options.package:
            framework, _ = own_version()
            found = use_beside(framework, options.environment, options.package)
            options.beside = found.released
            return jax2tf.models_with(found, options.jax2tf)
        return jax2tf.models_of(options.jax2tf)
    return [*layers.MODELS, *arrays.MODELS, *control_flow.MODELS, *modules.MODELS]


def name_of(model: str) -> str:
    return f"tensorflow:{model}/cpu"


def _make_each(models: Sequence[Any], options: argparse.Namespace, journal: Journal) -> None:
    """A process for each model: TensorFlow numbers functions as they come, so that only the first
    one of a process has the same bytes each time. It starts with TensorFlow imported, which has
    no threads yet."""
    forked = multiprocessing.get_context("fork")
    running: list[Any] = []
    for done, model in enumerate(models):
        while len(running) >= options.jobs:
            wait([process.sentinel for process in running])
            running = [process for process in running if process.is_alive()]
        progress("1/1", _MODE, done, len(models))
        process = forked.Process(target=_make, args=(model, options, journal, ends_with_this()))
        process.start()
        running.append(process)
    for process in running:
        process.join()
    progress("1/1", _MODE, len(models), len(models))


def _make(
    model: Any, options: argparse.Namespace, journal: Journal, prepare: Callable[[], None]
) -> None:
    prepare()
    from vintage_python.producing.folder import SAVED_MODEL, described, write_folder
    from vintage_tensorflow.produce.model import save_model
    from vintage_tensorflow.worker.consumer import reason_first

    framework, version = own_version()
    producer, released = release_of(framework, version, options.environment, options.released)
    if options.jax2tf:  # Nobody could make it before both were there.
        days = (read_environment(JAX, options.jax2tf)["released"], options.beside)
        released = max(released, *days)
    artifact = {
        "name": name_of(model.name), "primitive": model.primitive, "variant": model.variant,
        "platforms": ["cpu"], "mode": _MODE,
    }  # fmt: skip
    journal.add(artifact, "started")
    try:
        built = model.build()
        saved = save_model(built)
    except Exception as problem:
        journal.add(artifact, "refused", f"save: {reason_first(problem).splitlines()[0]}")
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

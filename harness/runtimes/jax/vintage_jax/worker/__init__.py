"""Executes artifacts with the JAX of this interpreter, in the worker protocol."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vintage_jax.effect_types import effect_types
from vintage_jax.release import JAX, load_jax
from vintage_python.environment.record import describe, read_environment
from vintage_python.failure import EXIT_HOLDS, run_program
from vintage_python.standard_streams import keep_standard_output


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="vintage_jax worker",
        description="Executes artifacts with the JAX of this interpreter "
                    "(docs/worker_protocol.md on standard input and output).")  # fmt: skip
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--environment", type=Path, help="whose release this interpreter has")
    place.add_argument("--released", help="the day of a release of your own, YYYY-MM-DD")
    parser.add_argument(
        "--condition", choices=("warm", "fresh"), default="warm",
        help="warm: the process has lowered programs of its own before it loads an artifact; "
             "fresh: it has not")  # fmt: skip
    options = parser.parse_args(arguments)
    return run_program("vintage_jax worker", lambda: _run(options))


def _runtime(options: argparse.Namespace) -> dict[str, Any]:
    """Asked in another process, so that this one stays as fresh as it is to be."""
    if options.environment:
        runtime: dict[str, Any] = read_environment(JAX, options.environment)["runtime"]
        return runtime
    return describe(JAX, sys.executable, options.released)


def _run(options: argparse.Namespace) -> int:
    with keep_standard_output() as stdout:
        runtime = _runtime(options)
        load_jax()
        load_effects()
        # What needs NumPy is loaded after JAX, whose absence is the clearer message.
        from vintage_jax.worker.consumer import JaxConsumer, warm_up
        from vintage_python.worker.server import Server

        if options.condition == "warm":
            warm_up()
        consumer = JaxConsumer()
        Server(sys.stdin.buffer, stdout, runtime, consumer, options.condition).serve()
    return EXIT_HOLDS


def load_effects() -> None:
    """Modules whose effects an artifact may name: JAX knows those that are loaded."""
    import importlib

    for name in ("jax._src.debugging", "jax._src.callback", "jax.experimental"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    effect_types()

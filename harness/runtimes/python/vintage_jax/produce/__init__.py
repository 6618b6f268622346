"""Exports artifacts with the JAX of this interpreter."""

import argparse
import importlib
import subprocess
import sys
from pathlib import Path

from vintage_jax.produce.case import MODES, PLATFORMS, Case
from vintage_jax.release import JAX, load_jax
from vintage_python import producing
from vintage_python.environment.beside import use_beside
from vintage_python.environment.record import release_of
from vintage_python.failure import (
    EXIT_CANNOT_TELL,
    EXIT_HOLDS,
    EXIT_NOTHING_RAN,
    EXIT_USAGE,
)
from vintage_python.lifetime import ends_with_this
from vintage_python.progress import note

DOES, EACH = "Exports JAX's harnesses, our own functions, sizes, models and kernels", "cases"
_KINDS = ("harnesses", "own", "sized", "models", "kernels")
_EMISSION = "emission:"  # Cases of describe --emitted that JAX's harnesses lack.
_CLASSES = {"bool": "bool", "int": "signed", "uint": "unsigned", "float": "floating",
            "bfloat": "floating", "complex": "complex"}  # fmt: skip
_CALLS_OF_LIBRARIES = (
    "approx_top_k", "cholesky", "custom_linear_solve", "eig", "fft", "geqrf", "hessenberg",
    "householder", "lu", "qr", "schur", "svd", "top_k", "triangular_solve", "tridiagonal",
)  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--platform", nargs="+", choices=PLATFORMS, default=["cpu"])
    parser.add_argument("--mode", nargs="+", choices=MODES, default=["default"])
    parser.add_argument(
        "--cases", nargs="+", choices=("all", *_KINDS), default=["all"],
        help="harnesses: JAX's own; own: functions that those lack; sized: idioms at sizes up to "
             "a million elements; models: whole models; kernels: Pallas kernels, with goldens "
             "by JAX's interpret mode; all")  # fmt: skip
    parser.add_argument(
        "--counterparts-of", type=Path, metavar="CASES",
        help="instead: what JAX has for the cases in this list, which 'vintage cases --format "
             "json' wrote")  # fmt: skip
    parser.add_argument(
        "--with", dest="package", metavar="PACKAGE[==VERSION]",
        help=f"instead: models of a package beside JAX: {', '.join(JAX.beside)}")  # fmt: skip
    parser.add_argument(
        "--one-of-each", nargs="?", const="dtype", choices=("dtype", "class"),
        help="of the harnesses one for each primitive and dtype (the default), or class of dtypes: "
             "bool, signed, unsigned, floating, complex")  # fmt: skip
    parser.add_argument(
        "--calling-convention", type=int, default=0, metavar="N",
        help="write artifacts in this version, which the release must know")  # fmt: skip
    parser.add_argument("--harness-file", type=Path, help="another release's test_harnesses.py")
    parser.add_argument("--part-of-jobs", action="store_true", help=argparse.SUPPRESS)


def cases(options: argparse.Namespace) -> list[Case]:
    load_jax()
    return _cases(options)[0]


def _cases(options: argparse.Namespace) -> tuple[list[Case], str]:
    cases: list[Case] = []
    source = ""
    kinds = _KINDS if "all" in options.cases else options.cases
    if options.counterparts_of is not None:
        from vintage_jax.produce.counterparts import counterpart_cases

        cases += counterpart_cases(options.counterparts_of)
        kinds = ()
    if options.package:
        found = use_beside(JAX, options.environment, options.package)
        models = importlib.import_module(f"vintage_jax.produce.models.{found.module}")
        cases += models.cases(f"{found.name}:")
        kinds = ()
    if "harnesses" in kinds:
        from vintage_jax.produce.harnesses import harness_cases, load_harnesses

        module, source = load_harnesses(options.harness_file, options.environment)
        cases += harness_cases(module)
        if options.one_of_each:
            by = options.one_of_each
            cases = list({(c.primitive, _kind(c, by)): c for c in reversed(cases)}.values())[::-1]
    for name in ("own", "sized", "models", "kernels"):
        if name in kinds:
            cases += importlib.import_module(f"vintage_jax.produce.{name}").cases()
    names = producing.patterns_of(options.filter).get("name", ())
    if any(pattern.startswith(_EMISSION) for pattern in names):
        from vintage_jax.describe.emission.cases import linear_algebra_cases

        cases += linear_algebra_cases()  # Only where they are asked for by name.
    return producing.chosen(cases, options), source


def _kind(case: Case, by: str) -> str:
    """The case's dtype or class of dtypes."""
    # The harness's name spells it.
    words = case.harness.replace("=", "_").split("_")
    dtype = next((word for word in words if word.startswith(tuple(_CLASSES))), "")
    # A primitive that calls a library calls another target for each dtype.
    if by == "dtype" or case.primitive.startswith(_CALLS_OF_LIBRARIES):
        return dtype
    return next((c for start, c in _CLASSES.items() if dtype.startswith(start)), dtype)


def produce(options: argparse.Namespace, arguments: list[str], output: int) -> int | None:
    if not options.part_of_jobs:
        return _run_jobs(options, arguments, output)
    _run_here(options)
    return None


def _run_here(options: argparse.Namespace) -> None:
    version = load_jax().__version__
    from vintage_jax.produce.export import choose_calling_convention
    from vintage_jax.produce.producer import Producer, Request

    name, released = release_of(JAX, version, options.environment, options.released)
    if options.package:
        found = use_beside(JAX, options.environment, options.package)
        name, released = found.as_producer(name, released)
    cases, source = _cases(options)
    journal = producing.Journal(options.out, options.retry)
    choose_calling_convention(options.calling_convention)
    request = Request(
        options.out, frozenset(options.platform), name, released, source, options.calling_convention
    )
    producer = Producer(request, journal)
    for mode in options.mode:
        producer.run(cases, mode, options.shard)


def _run_jobs(options: argparse.Namespace, arguments: list[str], stdout: int) -> int:
    """A process for each part, since JAX traces one program at a time. One that an artifact ends
    is started again behind that artifact."""
    part, parts = producing.part_of(options.shard)
    options.out.mkdir(parents=True, exist_ok=True)
    waiting = [
        [sys.executable, str(JAX.package), "produce", *arguments, "--jobs", "1",
         "--part-of-jobs", "--shard", f"{part + 1 + parts * job}/{parts * options.jobs}"]
        for job in range(options.jobs)
    ]  # fmt: skip
    failed: list[int] = []
    while waiting:
        known = len(producing.Journal(options.out).lines)
        started = [
            # The child only calls the kernel.
            subprocess.Popen(command, stdout=stdout, preexec_fn=ends_with_this())  # noqa: PLW1509
            for command in waiting
        ]
        processes = list(zip(started, waiting, strict=True))
        ended = [(process.wait(), command) for process, command in processes]
        usage = [status for status, _ in ended if status == EXIT_USAGE]
        if usage:
            return EXIT_USAGE
        failed = [s for s, _ in ended if s not in (EXIT_HOLDS, EXIT_NOTHING_RAN)]
        went_on = len(producing.Journal(options.out).lines) > known
        crashed = [command for status, command in ended if status < 0]
        waiting = crashed if went_on else []
        if waiting:
            note(f"{len(waiting)} of {len(ended)} processes were ended by an artifact; they go on")
            # Refused cases have been tried again by now: only the first round does that.
            waiting = [[word for word in command if word != "--retry"] for command in waiting]
    if failed:
        print(f"{len(failed)} processes ended with status {failed[0]}; the same command goes on "
              "from here", file=sys.stderr)  # fmt: skip
    return EXIT_CANNOT_TELL if failed else EXIT_HOLDS

"""Starts one of a package's programs: `python3 PATH/vintage_jax worker …`; and what the programs of
all frameworks do alike. Their modules say what differs: `describe` has describe(options), `worker`
has load(options), `produce` what vintage_python.producing says, and each may have
add_options(parser) for options of its own."""

import argparse
import importlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from vintage_python.environment.record import describe, read_environment, use_environment
from vintage_python.failure import EXIT_HOLDS, Failure, UsageFailure, run_program
from vintage_python.framework import Framework
from vintage_python.lifetime import end_when_nobody_reads
from vintage_python.progress import result, write_lines_to
from vintage_python.standard_streams import keep_standard_output

Options = argparse.Namespace


def start(package: str, programs: Mapping[str, Callable[[Sequence[str]], int]]) -> int:
    """The first argument names the program."""
    if len(sys.argv) < 2 or sys.argv[1] not in programs:
        print(f"usage: {package} {{{','.join(programs)}}} …", file=sys.stderr)
        return 2
    return programs[sys.argv[1]](sys.argv[2:])


def start_framework(framework: Framework, *others: Framework) -> int:
    """The programs that all frameworks have; `produce` only where it makes something. `others`
    have releases that the same programs drive."""
    programs: dict[str, Callable[..., int]] = {
        "environment": partial(_environment, others),
        "describe": _describe,
        "worker": _work,
    }
    if framework.produces:
        programs["produce"] = _produce
    return start(framework.program, {k: partial(v, framework) for k, v in programs.items()})


def program_parser(framework: Framework, program: str, description: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=f"{framework.program} {program}", description=description)


def add_release(parser: argparse.ArgumentParser) -> None:
    """Which release this interpreter has."""
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--environment", type=Path, help="whose release this interpreter has")
    place.add_argument("--released", help="the day of a release of your own, YYYY-MM-DD")


def day_of(text: str, option: str) -> date | None:
    """None: no day is given."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageFailure(f"{option} {text}: no day; YYYY-MM-DD is accepted") from None


def _environment(
    others: Sequence[Framework], framework: Framework, arguments: Sequence[str]
) -> int:
    from vintage_python.environment.command import environment_program

    return environment_program([framework, *others], arguments)


def module_of(framework: Framework, program: str, parser: argparse.ArgumentParser) -> Any:
    """The framework's own module for a program; adds its options."""
    module = importlib.import_module(f"{framework.program}.{program}")
    getattr(module, "add_options", lambda _: None)(parser)
    return module


def _describe(framework: Framework, arguments: Sequence[str]) -> int:
    what = f"Says what the {framework.title} of this interpreter is (docs/gate/registry.md)."
    parser = program_parser(framework, "describe", what)
    parser.add_argument("--released", default="", help="the day of the release, YYYY-MM-DD")
    module = module_of(framework, "describe", parser)
    parser.add_argument("--format", choices=("text", "json", "lines"), default="json")
    options = parser.parse_args(arguments)

    def run() -> int:
        day_of(options.released, "--released")
        # Text that the framework prints on the way goes to standard error.
        with keep_standard_output() as stdout:
            if options.format == "lines":
                write_lines_to(stdout.fileno())
            runtime: dict[str, Any] = module.describe(options)
            result(runtime)
            if options.format != "lines":
                as_text = options.format == "text"
                text = _text_of(runtime) if as_text else json.dumps(runtime, indent=1)
                stdout.write((text + "\n").encode())
        return EXIT_HOLDS

    return run_program(parser.prog, run)


def described(framework: Framework, version: str, released: str, **facts: Any) -> dict[str, Any]:
    """A release in the form of docs/gate/registry.md: `facts`, and what all say alike."""
    if not released:
        raise Failure(f"nothing says when {framework.title} {version} was built; say it with "
                      "--released YYYY-MM-DD (vintage builds add: --date)")  # fmt: skip
    return {
        "format": "vintage runtime",
        "version": 1,
        "name": f"{framework.name} {version}",
        "runtime_version": version,
        "build_date": released,
        "released": released,
        "platforms": ["cpu"],
        "modes": list(framework.modes),
        "targets": [],
        "stable_targets": [],
        **facts,
    }


def _text_of(runtime: dict[str, Any]) -> str:
    lines = [f"{runtime['name']} of {runtime['released']}"]
    for key in ("calling_convention", "serialization", "stablehlo"):
        if part := runtime.get(key):
            lines.append(f"{key}: {part['oldest']} to {part['newest']}")
    lines.append(f"targets: {len(runtime['targets'])} registered, "
                 f"{len(runtime['stable_targets'])} listed")  # fmt: skip
    if "emitted" in runtime:
        lines.append(f"{len({line['name'] for line in runtime['emitted']})} targets emitted")
    return "\n".join(lines)


def _work(framework: Framework, arguments: Sequence[str]) -> int:
    what = (f"Executes artifacts with the {framework.title} of this interpreter "
            "(docs/reference/worker_protocol.md on standard input and output).")  # fmt: skip
    parser = program_parser(framework, "worker", what)
    add_release(parser)
    parser.set_defaults(condition=framework.conditions[0])
    if len(framework.conditions) > 1:
        parser.add_argument(
            "--condition", choices=framework.conditions,
            help="warm: the process has lowered programs of its own before it loads an artifact; "
                 "fresh: it has not")  # fmt: skip
    module = module_of(framework, "worker", parser)
    options = parser.parse_args(arguments)

    def run() -> int:
        with keep_standard_output() as stdout:
            if options.environment:
                runtime = read_environment(framework, options.environment)["runtime"]
                use_environment(options.environment)
            else:  # Asked in another process, so that this one stays as fresh as it is to be.
                runtime = describe(framework, sys.executable, options.released)
            consumer = module.load(options)
            end_when_nobody_reads(stdout.fileno())
            # Modules that need NumPy are loaded after the framework: if both are absent, the
            # framework's absence is the clearer message.
            from vintage_python.worker.server import serve

            condition, formats = options.condition, framework.formats
            serve(sys.stdin.buffer, stdout, runtime, consumer, condition, formats)
        return EXIT_HOLDS

    return run_program(parser.prog, run)


def _produce(framework: Framework, arguments: Sequence[str]) -> int:
    from vintage_python.producing import produce_program

    return produce_program(framework, arguments)

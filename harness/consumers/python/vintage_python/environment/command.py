"""The command line of `environment`."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from vintage_python.environment.compose import (
    Request,
    describe,
    kept_releases,
    make_environment,
)
from vintage_python.environment.interpreters import OLDEST, Interpreter, find_interpreters, probe
from vintage_python.environment.package_index import Release, releases_in_folder, releases_on_index
from vintage_python.environment.selection import Selection, select
from vintage_python.environment.versions import Window, is_release
from vintage_python.failure import (
    EXIT_CANNOT_TELL,
    EXIT_HOLDS,
    Failure,
    UsageFailure,
    run_program,
)
from vintage_python.framework import Framework
from vintage_python.progress import note, result, write_lines_to


def _parser(framework: Framework) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{framework.program} environment",
        description=f"Makes environments for releases of {framework.title}, over shared packages.",
    )
    parser.add_argument(
        f"--{framework.name}", dest="releases", nargs="+", default=[], metavar="RELEASE",
        help=f"{framework.example}, latest (the newest that an interpreter here can have), or "
             "window (all that the promises of today cover)")  # fmt: skip
    parser.add_argument(
        "--root", type=Path, default=framework.default_root(),
        help="where environments and packages are kept (default: %(default)s, by "
             f"{framework.root_variable} or XDG_DATA_HOME)")  # fmt: skip
    parser.add_argument("--wheels", type=Path, help="a folder of wheels, instead of the index")
    parser.add_argument(
        "--python", help=f"an interpreter whose environment has a {framework.title} already"
    )
    parser.add_argument("--released", default="", help="the day of the release, YYYY-MM-DD")
    parser.add_argument("--today", default="", help="the day of the window, YYYY-MM-DD")
    parser.add_argument("--backward-days", type=int, default=180)
    parser.add_argument("--forward-days", type=int, default=21)
    parser.add_argument("--list", action="store_true", help="only say what would be made")
    parser.add_argument("--format", choices=("text", "json", "lines"), default="text")
    return parser


def environment_program(framework: Framework, arguments: Sequence[str]) -> int:
    """The whole program `environment` of a framework."""
    options = _parser(framework).parse_args(arguments)
    options.framework = framework
    return run_program(f"{framework.program} environment", lambda: _run(options))


def _day(text: str, option: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageFailure(f"{option} {text}: no day; YYYY-MM-DD is accepted") from None


def _run(options: argparse.Namespace) -> int:
    if options.format == "lines":
        write_lines_to(1)
    framework: Framework = options.framework
    if bool(options.releases) == bool(options.python):
        raise UsageFailure(f"say either --{framework.name} RELEASE or --python PATH")
    if options.released:
        _day(options.released, "--released")
    if options.python:
        return _report(
            [_own(framework, options.python, options.released)], Selection(), [], options
        )
    if min(options.backward_days, options.forward_days) < 0:
        raise UsageFailure("a promise has no negative number of days")
    interpreters = find_interpreters()
    if not interpreters:
        raise Failure("no CPython from 3.10 on is found on PATH, under pyenv or under uv")
    releases = _releases(options, interpreters)
    today = _day(options.today, "--today") if options.today else date.today()
    window = Window(today, options.backward_days, options.forward_days)
    selection = select(options.releases, releases, interpreters, window)
    for version, why in selection.left_out:
        note(f"left out: {framework.name} {version}: {why}")
    if options.list:
        return _list(selection, options)
    if options.released and len(selection.chosen) > 1:
        raise UsageFailure("--released names the day of one release; several were asked for")
    wheels = options.wheels.resolve() if options.wheels else None
    hashes = _hashes(wheels) if wheels else {}
    request = Request(options.root.resolve(), wheels, hashes, options.released)
    made, failed = [], list(selection.failed)
    for wanted, message in failed:
        note(f"{framework.program} environment: {framework.name} {wanted}: {message}")
    for choice in selection.chosen:
        try:
            made.append(make_environment(choice, interpreters, request))
        except (Failure, OSError) as failure:
            version = choice.release.version
            failed.append((version, str(failure)))
            note(f"{framework.program} environment: {framework.name} {version}: {failure}")
    return _report(made, selection, failed, options)


def _releases(
    options: argparse.Namespace, interpreters: Sequence[Interpreter]
) -> dict[str, Release]:
    """What can be asked for; without the index's answer those that are kept."""
    framework: Framework = options.framework
    if options.wheels:
        return releases_in_folder(framework, options.wheels, interpreters)
    try:
        return releases_on_index(framework, interpreters)
    except Failure as failure:
        kept = kept_releases(framework, options.root)
        if not kept:
            raise
        note(f"{failure}. Known are the releases that are kept in {options.root}: "
             f"{', '.join(kept)}")  # fmt: skip
        return kept


def _hashes(folder: Path) -> dict[str, str]:
    """What the SHA256SUMS of a folder of wheels promises, where there is one."""
    path = folder / "SHA256SUMS"
    if not path.exists():
        return {}
    hashes = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        if match is None:
            raise Failure(f"{path}:{number}: no line of sha256sum: '{line}'")
        hashes[match.group(2)] = match.group(1)
    return hashes


def _own(framework: Framework, python: str, released: str) -> dict[str, Any]:
    """An environment that somebody else made."""
    interpreter = probe(python)
    if interpreter.version[:2] < OLDEST:
        raise Failure(f"{python} is Python {interpreter.text}; these programs need 3.10 or newer")
    dated_by = "the caller"
    if not released:
        released = _day_on_index(framework, interpreter)
        dated_by = "the index" if released else "the version"
    runtime = describe(framework, interpreter.executable, released, "", python)
    return {
        "name": runtime["name"],
        "release": runtime["runtime_version"],
        "released": runtime["released"],
        "released_by": dated_by,
        "python": {"executable": interpreter.executable, "version": interpreter.text},
        "packages": [],
        "runtime": runtime,
        "path": "",
    }


def _day_on_index(framework: Framework, interpreter: Interpreter) -> str:
    """The day on which the installed release was published; empty: unknown."""
    question = f"import importlib.metadata as m; print(m.version('{framework.project}'))"
    done = subprocess.run(
        [interpreter.executable, "-c", question], capture_output=True, text=True, check=False
    )
    version = done.stdout.strip()
    if not is_release(version):
        return ""
    try:
        release = releases_on_index(framework, find_interpreters()).get(version)
    except Failure as failure:
        note(f"{failure}")
        return ""
    return release.released.isoformat() if release and release.released else ""


def _commands(framework: Framework, record: dict[str, Any]) -> dict[str, Any]:
    """How to start the release's programs."""
    own = not record["path"]
    python = record["python"]["executable"] if own else f"{record['path']}/bin/python"
    place = ["--released", record["released"]] if own else ["--environment", record["path"]]
    program = [python, str(framework.package)]
    consumers = {
        condition: [*program, "worker", *place, *(["--condition", condition] if condition else [])]
        for condition in framework.conditions
    }
    producer = [*program, "produce", *place] if framework.produces else []
    return {
        "consumer": consumers,
        "producer": producer,
        "produces": framework.produces,
        "formats": list(framework.formats),
    }


def _list(selection: Selection, options: argparse.Namespace) -> int:
    framework: Framework = options.framework
    rows = [
        {
            "release": choice.release.version,
            "released": choice.release.released.isoformat() if choice.release.released else "",
            "python": choice.interpreter.text,
        }
        for choice in selection.chosen
    ]
    if options.format != "text":
        left_out = [{"release": v, "reason": why} for v, why in selection.left_out]
        failed = [{"release": wanted, "message": why} for wanted, why in selection.failed]
        _answer({"releases": rows, "left_out": left_out, "failed": failed}, options)
    else:
        for row in rows:
            print(
                f"{row['released']:10}  {framework.name} {row['release']:10} Python {row['python']}"
            )
        for wanted, why in selection.failed:
            note(f"{framework.program} environment: {framework.name} {wanted}: {why}")
    return EXIT_CANNOT_TELL if selection.failed else EXIT_HOLDS


def _answer(document: dict[str, Any], options: argparse.Namespace) -> None:
    if options.format == "lines":
        result(document)
    else:
        print(json.dumps(document, indent=1))


def _report(
    made: Sequence[dict[str, Any]],
    selection: Selection,
    failed: Sequence[tuple[str, str]],
    options: argparse.Namespace,
) -> int:
    if options.format != "text":
        document = {
            "environments": [record | _commands(options.framework, record) for record in made],
            "left_out": [{"release": v, "reason": why} for v, why in selection.left_out],
            "failed": [{"release": v, "message": message} for v, message in failed],
        }
        _answer(document, options)
    else:
        for record in made:
            where = record["path"] or record["python"]["executable"]
            print(f"{record['released']}  {record['name']:14} Python "
                  f"{record['python']['version']:8} {where}")  # fmt: skip
    return EXIT_CANNOT_TELL if failed or not made else EXIT_HOLDS

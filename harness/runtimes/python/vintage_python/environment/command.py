"""The command line of `environment`."""

import argparse
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from vintage_python.environment.beside import put_beside
from vintage_python.environment.lock import read_lock
from vintage_python.environment.make import make_again, make_environment
from vintage_python.environment.record import describe, kept_releases, read_environment
from vintage_python.environment.releases import Release, find_releases, parse_version
from vintage_python.environment.selection import Selection, Window, select
from vintage_python.environment.uv import OLDEST_PYTHON, Uv
from vintage_python.failure import (
    EXIT_CANNOT_TELL,
    EXIT_HOLDS,
    Failure,
    UsageFailure,
    run_program,
)
from vintage_python.framework import Framework
from vintage_python.programs import day_of, described, program_parser
from vintage_python.progress import note, result, write_lines_to

# Run in an environment that Vintage did not make.
_QUESTION = """
import importlib.metadata, json, platform, sys
installed = [each.version for each in importlib.metadata.distributions(name=sys.argv[1])]
print(json.dumps([sys.executable, platform.python_version(), installed]))
"""


def environment_program(frameworks: Sequence[Framework], arguments: Sequence[str]) -> int:
    """The whole program `environment` of frameworks that share their programs."""
    first = frameworks[0]
    what = f"Makes environments for releases of {first.title}, with uv."
    parser = program_parser(first, "environment", what)
    for framework in frameworks:
        parser.add_argument(
            f"--{framework.name}", dest=framework.name, nargs="+", default=[], metavar="RELEASE",
            help=f"{framework.example}, latest (the newest that an interpreter here can have), or "
                 "window (all that the promises of today cover)")  # fmt: skip
    parser.add_argument(
        "--again", type=Path, metavar="PLACE",
        help="make an environment by its recipe, where it is not there")  # fmt: skip
    parser.add_argument(
        "--beside", type=Path, metavar="PLACE",
        help="install the package --with beside the environment that is there")  # fmt: skip
    parser.add_argument("--with", dest="package", default="", metavar="PACKAGE[==VERSION]")
    parser.add_argument(
        "--together", type=Path, nargs="+", default=[], metavar="PLACE",
        help="with --beside: environments whose packages are used, too")  # fmt: skip
    add_choice_options(parser, first)
    parser.add_argument("--lock", type=Path, help="a file with the wheels to make a release of")
    parser.add_argument(
        "--python", help=f"an interpreter whose environment has a {framework.title} already"
    )
    options = parser.parse_args(arguments)

    def run() -> int:
        asked = [each for each in frameworks if getattr(options, each.name)]
        if len(asked) + sum(map(bool, (options.python, options.again, options.beside))) != 1:
            raise UsageFailure(f"say either --{first.name} RELEASE or --python PATH")
        framework = asked[0] if asked else first
        if options.beside:
            return _put_beside(framework, options)
        options.releases = getattr(options, framework.name)
        return make_releases(framework, options)

    return run_program(parser.prog, run)


def add_choice_options(parser: argparse.ArgumentParser, framework: Framework) -> None:
    """Which releases make_releases() makes, and of what."""
    parser.add_argument(
        "--root", type=Path, default=framework.default_root(),
        help="where environments and packages are kept (default: %(default)s, by "
             f"{framework.root_variable} or XDG_DATA_HOME)")  # fmt: skip
    parser.add_argument(
        "--wheels", type=Path,
        help="a folder of wheels, instead of the index; its SHA256SUMS lists them")  # fmt: skip
    parser.add_argument("--released", default="", help="the day of the release, YYYY-MM-DD")
    parser.add_argument("--today", default="", help="the day of the window, YYYY-MM-DD")
    parser.add_argument("--backward-days", type=int, default=180)
    parser.add_argument("--forward-days", type=int, default=21)
    parser.add_argument(
        "--every", type=int, default=0, metavar="DAYS",
        help="of a range, only releases that are so many days apart")  # fmt: skip
    parser.add_argument(
        "--when-needed", action="store_true",
        help="only find the wheels; --again makes the environment later")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="only say what would be made")
    parser.add_argument("--format", choices=("text", "json", "lines"), default="text")


def _put_beside(framework: Framework, options: argparse.Namespace) -> int:
    if options.format == "lines":
        write_lines_to(1)
    record = read_environment(framework, options.beside.resolve())
    record |= {"with": put_beside(framework, record, options.package, options.together)}
    return _report(framework, [record], Selection(), options)


def make_releases(framework: Framework, options: argparse.Namespace) -> int:
    if options.format == "lines":
        write_lines_to(1)
    if options.again:
        again = make_again(framework, options.again.resolve())
        return _report(framework, [again], Selection(), options)
    day_of(options.released, "--released")
    if options.python:
        own = _own(framework, options.python, options.released)
        return _report(framework, [own], Selection(), options)
    if min(options.backward_days, options.forward_days) < 0:
        raise UsageFailure("a promise has no negative number of days")
    today = day_of(options.today, "--today") or date.today()
    uv = Uv(options.root.resolve(), options.wheels.resolve() if options.wheels else None)
    python, lock = read_lock(options.lock) if options.lock else ("", None)
    releases = _locked(framework, python, options) if lock else _offered(framework, options)
    window = Window(today, options.backward_days, options.forward_days)
    if options.every < 0:
        raise UsageFailure("--every is a number of days, 0 or more")
    selection = select(options.releases, releases, uv.interpreters(), window, options.every)
    for version, why in selection.left_out:
        note(f"left out: {framework.name} {version}: {why}")
    for choice in selection.chosen:
        if choice.release.withdrawn:
            note(f"{framework.name} {choice.release.version}: {choice.release.withdrawn}; "
                 "it was asked for by name")  # fmt: skip
    if options.list:
        return _report(framework, [], selection, options)
    if options.released and len(selection.chosen) > 1:
        raise UsageFailure("--released names the day of one release; several were asked for")
    made = []
    for choice in selection.chosen:
        version, withdrawn = choice.release.version, choice.release.withdrawn
        try:
            made.append(make_environment(choice, uv, options.released, lock, options.when_needed))
        except (Failure, OSError) as failure:
            selection.failed.append((version, f"{withdrawn}{'; ' * bool(withdrawn)}{failure}"))
    return _report(framework, made, selection, options)


def _offered(framework: Framework, options: argparse.Namespace) -> dict[str, Release]:
    """The releases that can be chosen; without the index's answer, those that are kept. A kept
    release stays usable after the index has withdrawn it."""
    kept = {} if options.wheels else kept_releases(framework, options.root)
    try:
        offered = find_releases(framework, options.wheels)
    except Failure as failure:
        if not kept:
            raise
        note(f"{failure}. Known are the releases that are kept in {options.root}: "
             f"{', '.join(kept)}")  # fmt: skip
        return kept
    for version, here in kept.items():
        if version not in offered and version in options.releases:
            here.withdrawn = "the package index does not have it"
            offered[version] = here
        elif version in offered and offered[version].withdrawn:
            offered[version].pythons = here.pythons
    return {version: offered[version] for version in sorted(offered, key=parse_version)}


def _locked(framework: Framework, python: str, options: argparse.Namespace) -> dict[str, Release]:
    """The release of a lock, which the index may have withdrawn since."""
    if len(options.releases) != 1:
        raise UsageFailure("--lock lists the wheels of one release; name that one")
    (version,) = options.releases
    parse_version(version)
    word = framework.asked_by(version)
    known = {} if options.released else _offered(framework, options)
    release = known.get(word, Release(framework, version))
    release.pythons = {python}
    options.releases = [word]
    return {word: release}


def _own(framework: Framework, python: str, released: str) -> dict[str, Any]:
    """An environment that somebody else made."""
    program = os.path.abspath(shutil.which(python) or python)
    command = [program, "-c", _QUESTION, framework.project]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
        executable, version, installed = json.loads(done.stdout)
        number = tuple(int(part) for part in version.split(".")[:2])
    except FileNotFoundError:
        raise Failure(f"{python}: there is no such interpreter") from None
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        raise Failure(f"{python} is no Python interpreter that starts: {problem}") from problem
    if number < OLDEST_PYTHON:
        raise Failure(f"{python} is Python {version}; these programs need 3.10 or newer")
    dated_by = "the caller"
    if not released:
        released = _day_on_index(framework, installed)
        dated_by = "the index" if released else "the version"
    runtime = describe(framework, executable, released, python)
    return {
        "framework": framework.name,
        "name": runtime["name"],
        "release": runtime["runtime_version"],
        "released": runtime["released"],
        "released_by": dated_by,
        "python": {"executable": executable, "version": version},
        "packages": [],
        "runtime": runtime,
        "path": "",
    }


def _day_on_index(framework: Framework, installed: Sequence[str]) -> str:
    """The day on which the installed release was published; empty: unknown."""
    try:
        releases = find_releases(framework) if installed else {}
    except Failure as failure:
        note(f"{failure}")
        releases = {}
    days = [releases[version].released for version in installed if version in releases]
    return days[0].isoformat() if days and days[0] else ""


def _commands(framework: Framework, record: dict[str, Any]) -> dict[str, Any]:
    """How to start the release's programs."""
    if framework.alone:
        return {"library": f"{record['path']}/library"}
    own = not record["path"]
    python = record["python"]["executable"] if own else f"{record['path']}/bin/python"
    place = ["--released", record["released"]] if own else ["--environment", record["path"]]
    program = [python, str(framework.package)]
    consumers = {
        condition: [*program, "worker", *place, *(["--condition", condition] if condition else [])]
        for condition in framework.conditions
    }
    known = record.get("runtime") or described(framework, record["release"], record["released"])
    return {
        "runtime": known,
        "made": "runtime" in record,
        "consumer": consumers,
        "producer": [*program, "produce", *place] if framework.produces else [],
        "produces": framework.produces,
        "formats": list(framework.formats),
    }


def _report(
    framework: Framework,
    made: Sequence[dict[str, Any]],
    selection: Selection,
    options: argparse.Namespace,
) -> int:
    for wanted, why in selection.failed:
        note(f"{framework.program} environment: {framework.name} {wanted}: {why}")
    offered = [
        {
            "release": choice.release.version,
            "released": choice.release.released.isoformat() if choice.release.released else "",
            "python": choice.interpreter.version,
        }
        for choice in selection.chosen
    ]
    document = {
        "releases": offered if options.list else [],
        "environments": [record | _commands(framework, record) for record in made],
        "left_out": [{"release": v, "reason": why} for v, why in selection.left_out],
        "failed": [{"release": v, "message": why} for v, why in selection.failed],
    }
    if options.format == "lines":
        result(document)
    elif options.format == "json":
        print(json.dumps(document, indent=1))
    else:
        for row in document["releases"]:
            print(f"{row['released']:10}  {framework.name} {row['release']:10} "
                  f"Python {row['python']}")  # fmt: skip
        for record in made:
            where = record["path"] or record["python"]["executable"]
            print(f"{record['released']}  {record['name']:14} Python "
                  f"{record['python']['version']:8} {where}")  # fmt: skip
    nothing = not made and not options.list
    return EXIT_CANNOT_TELL if selection.failed or nothing else EXIT_HOLDS

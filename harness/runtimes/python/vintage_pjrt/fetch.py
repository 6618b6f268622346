"""The command line of `fetch`: the wheel of a plugin, unpacked among all packages."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vintage_python.environment.lock import Package, built_day
from vintage_python.environment.make import take_package
from vintage_python.environment.releases import files_on_index
from vintage_python.environment.uv import Uv
from vintage_python.failure import EXIT_HOLDS, Failure, UsageFailure, run_program
from vintage_python.framework import default_root
from vintage_python.progress import note, result, write_lines_to

_PROGRAM = "vintage_pjrt fetch"
_ENTRY = b"\0GetPjrtApi\0"  # As a library's table of names holds what it exports.


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM, description="Unpacks a plugin's wheel and says where its library lies."
    )
    parser.add_argument("package", metavar="PACKAGE==VERSION")
    parser.add_argument("--root", type=Path, default=default_root(), help="(default: %(default)s)")
    parser.add_argument("--wheels", type=Path, help="a folder of wheels, instead of the index")
    parser.add_argument("--format", choices=("text", "lines"), default="text")
    options = parser.parse_args(arguments)
    return run_program(_PROGRAM, lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    if options.format == "lines":
        write_lines_to(1)
    project, _, version = options.package.partition("==")
    if not project or not version:
        raise UsageFailure(f"'{options.package}' is no PACKAGE==VERSION; xla-cpu-pjrt==0.0.1 is")
    wheels = options.wheels.resolve() if options.wheels else None
    fetched = fetch(project, version, options.root.resolve(), wheels)
    if options.format == "lines":
        result(fetched)
    else:
        print(json.dumps(fetched, indent=1))
    return EXIT_HOLDS


def fetch(project: str, version: str, root: Path, wheels: Path | None) -> dict[str, Any]:
    uv = Uv(root, wheels)
    package, content = _take(uv, project, version)
    released, dated_by = _day_on_index(project, package) if wheels is None else "", "the index"
    if wheels is not None:
        released, dated_by = built_day(wheels / package.wheel), "the wheel"
    return {
        "library": str(library_in(content)),
        "package": project,
        "version": version,
        "released": released,
        "released_by": dated_by if released else "",
        "wheel": package.wheel,
        "sha256": package.sha256,
    }


def _take(uv: Uv, project: str, version: str) -> tuple[Package, Path]:
    """Most plugins have one wheel for all versions of Python, some have one for each."""
    reasons = []
    for interpreter in uv.interpreters():
        try:
            return take_package(uv, project, version, interpreter)
        except Failure as failure:
            reasons.append(str(failure))
    raise Failure(reasons[0])


def _day_on_index(project: str, package: Package) -> str:
    try:
        days = {file.name: file.day for file in files_on_index(project)}
    except Failure as failure:
        note(f"{failure}")
        return ""
    day = days.get(package.wheel)
    return day.isoformat() if day else ""


def library_in(content: Path) -> Path:
    """The one library of a package that is a PJRT plugin."""
    files = (Path(folder) / name for folder, _, names in os.walk(content) for name in names)
    libraries = sorted(path for path in files if ".so" in path.name)
    found = [path for path in libraries if _ENTRY in path.read_bytes()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Failure(f"{content}: no library in this package exports GetPjrtApi")
    names = ", ".join(str(path.relative_to(content)) for path in found)
    raise Failure(
        f"{content}: several libraries export GetPjrtApi; name one of them as a file: {names}"
    )

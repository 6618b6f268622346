"""What the package index offers of a framework: releases, their days, and the
versions of Python that each has wheels for."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from vintage_python.environment.interpreters import Interpreter
from vintage_python.environment.versions import is_release, parse_version
from vintage_python.failure import Failure
from vintage_python.framework import Framework

_QUERY_SECONDS = 300
_OLDEST_PIP = (22, 3)


@dataclass
class Release:
    """What the index has of one version of the framework's project."""

    framework: Framework
    version: str
    released: date | None = None  # The day of its first wheel; None: unknown.
    companion_released: date | None = None  # That of its first companion: of jax, for jaxlib.
    pythons: set[str] = field(default_factory=set)  # Tags of wheels for this machine: "cp313".


def _wheel_fits(filename: str, machine: str, system: str) -> str:
    """The tag of the CPython that a wheel serves on this machine; else empty."""
    match = re.fullmatch(r".+-(cp\d+)-(cp\d+|abi3)-([^-]+)\.whl", filename)
    if match is None:
        return ""
    python, _, place = match.groups()
    marks = {"Linux": "linux", "Darwin": "macosx", "Windows": "win"}
    fits = marks.get(system, "linux") in place and place.lower().endswith(machine.lower())
    return python if fits and "musl" not in place else ""


def _version_of(filename: str) -> str:
    return filename.split("-")[1] if filename.endswith(".whl") else ""


def releases_of(
    framework: Framework,
    files: Iterable[tuple[str, date | None]],
    interpreters: Sequence[Interpreter],
) -> dict[str, Release]:
    """By version, in the order of versions. `files`: names and days of the project's wheels."""
    machine, system = interpreters[0].machine, interpreters[0].system
    found: dict[str, Release] = {}
    for filename, day in files:
        version = _version_of(filename)
        if not version or not is_release(version):
            continue
        release = found.setdefault(version, Release(framework, version))
        if day is not None and (release.released is None or day < release.released):
            release.released = day
        tag = _wheel_fits(filename, machine, system)
        if tag:
            release.pythons.add(tag)
    return {
        version: found[version]
        for version in sorted(found, key=parse_version)
        if found[version].pythons
        and parse_version(version) >= parse_version(framework.oldest or "0")
    }


def pip_host(interpreters: Sequence[Interpreter]) -> Interpreter:
    """An interpreter whose pip can serve the others too."""
    able = [each for each in interpreters if _pip_version(each) >= _OLDEST_PIP]
    if not able:
        raise Failure(
            "no Python interpreter here has pip 22.3 or newer, which fetches the wheels; install "
            "it (Debian: python3-pip), or register an environment of your own with --python PATH"
        )
    return max(able, key=_pip_version)


def _pip_version(interpreter: Interpreter) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", interpreter.pip)[:2])


def ask_index(
    projects: Sequence[str], interpreters: Sequence[Interpreter]
) -> dict[str, list[tuple[str, date]]]:
    """The files of projects that the index holds and has not withdrawn, with
    the day on which each was uploaded."""
    host = pip_host(interpreters)
    query = Path(__file__).with_name("pip_query.py")
    try:
        done = subprocess.run(
            [host.executable, str(query), *projects],
            capture_output=True,
            text=True,
            timeout=_QUERY_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Failure(f"the package index did not answer within {_QUERY_SECONDS} s") from None
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        raise Failure(
            f"the package index cannot be read: {reason}; without a network the wheels are taken "
            "from a folder: --wheels DIR"
        )
    found: dict[str, list[tuple[str, date]]] = {}
    for project, files in json.loads(done.stdout).items():
        for file in files:
            if file.get("yanked") or not file.get("upload-time"):
                continue
            day = date.fromisoformat(file["upload-time"][:10])
            found.setdefault(project, []).append((file["filename"], day))
    return found


def releases_on_index(
    framework: Framework, interpreters: Sequence[Interpreter]
) -> dict[str, Release]:
    project, companions = framework.project, framework.companions[:1]
    files = ask_index([project, *companions], interpreters)
    releases = releases_of(framework, files.get(project, []), interpreters)
    for companion in companions:
        for filename, day in files.get(companion, []):
            release = releases.get(_version_of(filename))
            if release is not None:
                release.companion_released = min(day, release.companion_released or day)
    if not releases:
        raise Failure(f"the package index offers no wheel of {project} for this machine")
    return releases


def releases_in_folder(
    framework: Framework, folder: Path, interpreters: Sequence[Interpreter]
) -> dict[str, Release]:
    """Those whose wheel lies in a folder. Their days are unknown."""
    if not folder.is_dir():
        raise Failure(f"{folder}: there is no such folder of wheels")
    names = sorted(path.name for path in folder.glob(f"{framework.wheel_prefix}-*.whl"))
    releases = releases_of(framework, ((name, None) for name in names), interpreters)
    if not releases:
        raise Failure(f"{folder}: no wheel of {framework.project} for this machine lies there")
    return releases

"""The releases of a framework, on the package index or in a folder of wheels: their days, and the
versions of Python that each has wheels for."""

import base64
import json
import os
import platform
import re
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from http.client import HTTPException
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from vintage_python.failure import Failure, UsageFailure
from vintage_python.framework import Framework

_INDEX = "https://pypi.org/simple"
_QUERY_SECONDS = 300
_NUMBER = re.compile(r"\d+(\.\d+)*(\.post\d+)?")  # Neither a pre-release nor a development build.
_NIGHTLY = re.compile(r"\d+(\.\d+)*\.dev(\d{4})(\d\d)(\d\d)")
_PARTS = re.compile(r"\d+(\.(post|dev)?\d+)*")
_WHEEL = re.compile(  # For CPython on this machine; its second number, or none for all.
    r"[^-]+-[^-]+-(?:\d[^-]*-)?(?:(?:py2\.)?py3-none|cp3(\d+)-(?:cp3\d+|abi3))-(?!.*musl)"
    rf"[^-]*linux[^-]*{platform.machine()}\.whl"
)
_ALL_PYTHONS = frozenset(f"3.{minor}" for minor in range(10, 30))
# Files that were uploaded again, long after their release: no day of a release.
_UPLOADED_AGAIN = Path(__file__).with_name("uploaded_again.json")

Version = tuple[int, ...]


class File(NamedTuple):
    name: str
    day: date | None = None  # Of its upload, where that is known.
    withdrawn: str | None = None  # Why, which may be empty; None: it can be had.


def parse_version(text: str) -> Version:
    if not _PARTS.fullmatch(text):
        raise UsageFailure(
            f"'{text}' is no release; 0.8.1, 0.4.30..0.12, 0.9.., latest and window are accepted"
        )
    return tuple(int(part) for part in re.findall(r"\d+", text))


@dataclass
class Release:
    framework: Framework
    version: str
    released: date | None = None  # By its version, or the day of its first wheel; None: unknown.
    companion_released: date | None = None  # That of its companions: of jax, for jaxlib.
    completed: date | None = None  # The day of the last wheel of all these.
    pythons: set[str] = field(default_factory=set)  # With a wheel for this machine: "3.13".
    withdrawn: str = ""  # Why; only a call that names it gets it. Empty: not withdrawn.
    dated_by: str = "the index"  # The source of that day.


def _by_version(files: Iterable[File], number: re.Pattern[str] = _NUMBER) -> dict[str, list[File]]:
    found: dict[str, list[File]] = {}
    for file in files:
        version = file.name.split("-")[1] if file.name.endswith(".whl") else ""
        if number.fullmatch(version):
            found.setdefault(version, []).append(file)
    return found


def _dated_otherwise(framework: Framework, version: str) -> tuple[date, str] | None:
    """The day of a release that no upload says, and what says it."""
    if found := _NIGHTLY.fullmatch(version):
        return date(*map(int, found.groups()[1:])), "the version"
    for known in json.loads(_UPLOADED_AGAIN.read_text(encoding="utf-8")):
        if (known["project"], known["version"]) == (framework.project, version):
            return date.fromisoformat(known["released"]), known["reason"]
    return None


def _pythons(wheels: Iterable[File]) -> set[str]:
    fitting = [_WHEEL.fullmatch(wheel.name) for wheel in wheels]
    return {python for match in fitting if match
            for python in ([f"3.{match[1]}"] if match[1] else _ALL_PYTHONS)}  # fmt: skip


def _withdrawn(wheels: Sequence[File]) -> str:
    """Why none of a project's wheels can be had any more; empty: one can."""
    if not wheels or any(wheel.withdrawn is None for wheel in wheels):
        return ""
    why = next((wheel.withdrawn for wheel in wheels if wheel.withdrawn), "no reason is given")
    return f"{wheels[0].name.split('-')[0]} was withdrawn from the package index: {why}"


def releases_of(
    framework: Framework, files: Iterable[File], companions: Iterable[File] = ()
) -> dict[str, Release]:
    """By what asks for them, in the order of versions; those with a wheel for this machine. One
    that was withdrawn, wholly or in part, keeps its day."""
    oldest = parse_version(framework.oldest or "0")
    wheels = _by_version(files, _NIGHTLY if framework.nightly else _NUMBER)
    others = _by_version(companions)
    releases: dict[str, Release] = {}
    for version in sorted(wheels, key=parse_version):
        fitting = [wheel for wheel in wheels[version] if _WHEEL.fullmatch(wheel.name)]
        projects = groupby(others.get(version, []), lambda wheel: wheel.name.split("-")[0])
        withdrawn = [_withdrawn(fitting), *(_withdrawn(list(group)) for _, group in projects)]
        first = [wheel.day for wheel in wheels[version] if wheel.day]
        second = [wheel.day for wheel in others.get(version, []) if wheel.day]
        if fitting and parse_version(version) >= oldest:
            standing = _pythons(wheel for wheel in fitting if wheel.withdrawn is None)
            release = releases[framework.asked_by(version)] = Release(
                framework, version, min(first, default=None), min(second, default=None),
                max(first + second, default=None), standing or _pythons(fitting),
                next(filter(None, withdrawn), ""))  # fmt: skip
            if dated := _dated_otherwise(framework, version):
                release.released, release.dated_by = dated
    return releases


def files_on_index(project: str) -> list[File]:
    """The files of a project on uv's index, with the withdrawn ones (PEP 592)."""
    setting = os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("UV_INDEX_URL") or _INDEX
    index = urlsplit(re.sub(r"^[\w.-]+=", "", setting))  # It may begin with a name.
    user, _, host = index.netloc.rpartition("@")
    url = urlunsplit(index._replace(netloc=host)).rstrip("/")
    request = urllib.request.Request(f"{url}/{project}/")
    request.add_header("Accept", "application/vnd.pypi.simple.v1+json")
    if user:
        credentials = base64.b64encode(unquote(user).encode()).decode()
        request.add_header("Authorization", f"Basic {credentials}")
    try:
        with urllib.request.urlopen(request, timeout=_QUERY_SECONDS) as answer:
            files = json.load(answer)["files"]
    except (OSError, HTTPException, ValueError, KeyError) as problem:
        if isinstance(problem, urllib.error.HTTPError) and problem.code == 404:
            return []
        raise Failure(
            f"the package index cannot be read: {problem}; without a network the wheels are taken "
            "from a folder: --wheels DIR"
        ) from problem
    return [_file(each) for each in files]


def _file(said: dict[str, Any]) -> File:
    day, yanked = said.get("upload-time"), said.get("yanked") or None
    return File(
        said["filename"], date.fromisoformat(day[:10]) if day else None,
        "" if yanked is True else yanked)  # fmt: skip


def find_releases(framework: Framework, wheels: Path | None = None) -> dict[str, Release]:
    """Those on the index, or in a folder of wheels, whose days of upload are unknown."""
    if wheels and not wheels.is_dir():
        raise Failure(f"{wheels}: there is no such folder of wheels")

    def files_of(project: str) -> list[File]:
        if not wheels:
            return files_on_index(project)
        return [File(path.name) for path in wheels.glob(f"{project.replace('-', '_')}-*.whl")]

    companions = [file for project in framework.companions for file in files_of(project)]
    releases = releases_of(framework, files_of(framework.project), companions)
    if not releases:
        place = wheels or "the package index"
        raise Failure(f"{place} has no wheel of {framework.project} for this machine")
    return releases

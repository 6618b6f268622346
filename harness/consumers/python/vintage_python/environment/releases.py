"""What there is of a framework, on the package index or in a folder of wheels: releases, their
days, and the versions of Python that each has wheels for."""

from __future__ import annotations

import base64
import json
import os
import platform
import re
import urllib.error
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from http.client import HTTPException
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from vintage_python.failure import Failure, UsageFailure
from vintage_python.framework import Framework

_INDEX = "https://pypi.org/simple"
_QUERY_SECONDS = 300
_NUMBER = re.compile(r"\d+(\.\d+)*")  # Neither a pre-release nor a development build.
_WHEEL = re.compile(r"[^-]+-[^-]+-(?:\d[^-]*-)?cp3(\d+)-(?:cp3\d+|abi3)-([^-]*linux[^-]*)\.whl")

Version = tuple[int, ...]
File = tuple[str, date | None]  # Its name, and the day of its upload where that is known.


def parse_version(text: str) -> Version:
    if not _NUMBER.fullmatch(text):
        raise UsageFailure(
            f"'{text}' is no release; 0.8.1, 0.4.30..0.12, latest and window are accepted"
        )
    return tuple(int(part) for part in text.split("."))


@dataclass
class Release:
    framework: Framework
    version: str
    released: date | None = None  # The day of its first wheel; None: unknown.
    companion_released: date | None = None  # That of its companions: of jax, for jaxlib.
    completed: date | None = None  # The day of the last wheel of all these.
    pythons: set[str] = field(default_factory=set)  # With a wheel for this machine: "3.13".

    def add(self, filename: str, day: date | None) -> None:
        if day is not None:
            self.released = min(day, self.released or day)
            self.completed = max(day, self.completed or day)
        match = _WHEEL.fullmatch(filename)
        if match and "musl" not in match[2] and match[2].endswith(platform.machine()):
            self.pythons.add(f"3.{match[1]}")

    def add_companion(self, day: date | None) -> None:
        if day is not None:
            self.companion_released = min(day, self.companion_released or day)
            self.completed = max(day, self.completed or day)


def _version_of(filename: str) -> str:
    return filename.split("-")[1] if filename.endswith(".whl") else ""


def releases_of(
    framework: Framework, files: Iterable[File], companions: Iterable[File] = ()
) -> dict[str, Release]:
    """By version, in the order of versions; those with a wheel for this machine."""
    found: dict[str, Release] = {}
    for filename, day in files:
        version = _version_of(filename)
        if _NUMBER.fullmatch(version):
            found.setdefault(version, Release(framework, version)).add(filename, day)
    for filename, day in companions:
        if release := found.get(_version_of(filename)):
            release.add_companion(day)
    oldest = parse_version(framework.oldest or "0")
    ordered = sorted(found, key=parse_version)
    return {v: found[v] for v in ordered if found[v].pythons and parse_version(v) >= oldest}


def files_on_index(project: str) -> list[File]:
    """What uv's index holds of a project and has not withdrawn."""
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
    days = {each["filename"]: each.get("upload-time") for each in files if not each.get("yanked")}
    return [(name, date.fromisoformat(day[:10]) if day else None) for name, day in days.items()]


def _files_in_folder(project: str, folder: Path) -> list[File]:
    """The days on which these were uploaded are unknown."""
    if not folder.is_dir():
        raise Failure(f"{folder}: there is no such folder of wheels")
    return [(path.name, None) for path in folder.glob(f"{project.replace('-', '_')}-*.whl")]


def find_releases(framework: Framework, wheels: Path | None = None) -> dict[str, Release]:
    """Those on the index, or in a folder of wheels."""

    def files_of(project: str) -> list[File]:
        return _files_in_folder(project, wheels) if wheels else files_on_index(project)

    companions = [file for project in framework.companions for file in files_of(project)]
    releases = releases_of(framework, files_of(framework.project), companions)
    if not releases:
        place = wheels or "the package index"
        raise Failure(f"{place} has no wheel of {framework.project} for this machine")
    return releases

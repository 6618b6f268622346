"""An environment as it stands, and what its release says of itself.

ROOT/environments/jax-0.8.1-py3.13/    a virtual environment
    environment.json                   what it is made of, and what the release says of itself
"""

from __future__ import annotations

import json
import os
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

from vintage_python.environment.releases import Release, parse_version
from vintage_python.failure import Failure
from vintage_python.framework import Framework
from vintage_python.lifetime import ends_with_this

VERSION = 1
_DESCRIBE_SECONDS = 300


def describe(framework: Framework, python: str, released: str, place: str = "") -> dict[str, Any]:
    """Asks the framework of an interpreter what it is, in a process of its own."""
    command = [python, str(framework.package), "describe", "--format", "json"]
    command += ["--released", released] if released else []
    settings = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_DESCRIBE_SECONDS, check=False,
            env=settings, preexec_fn=ends_with_this(),
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Failure(f"{framework.title} does not answer in {python}: {problem}") from problem
    if done.returncode != 0:
        ended = f"it ended with status {done.returncode}"
        last = (done.stderr.strip().splitlines() or [ended])[-1]
        reason = last.removeprefix(f"{framework.program} describe: ")
        raise Failure(f"{place or 'the release'} cannot be used: {reason}")
    described: dict[str, Any] = json.loads(done.stdout)
    return described


def read_environment(framework: Framework, place: Path) -> dict[str, Any]:
    """Reads environment.json; a Failure where the environment is not whole."""
    path = place / "environment.json"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise Failure(
            f"{place} is no environment of a {framework.title} release: {path.name} cannot be "
            f"read ({problem.strerror}); make one with {framework.program} environment"
        ) from problem
    except ValueError as problem:
        raise Failure(f"{path} is damaged: {problem}") from problem
    if not isinstance(record, dict) or record.get("format") != framework.record_format:
        raise Failure(f"{path} is not the record of an environment")
    if record.get("version") != VERSION:
        raise Failure(f"{path} has version {record.get('version')}; {VERSION} is read here")
    if not os.access(place / "bin/python", os.X_OK):
        raise Failure(
            f"{place} is broken: its interpreter {record['python']['executable']} is gone"
        )
    return record | {"framework": framework.name, "path": str(place)}


def kept_releases(framework: Framework, root: Path) -> dict[str, Release]:
    """The releases whose environments are there, in the order of versions."""
    found: dict[str, Release] = {}
    for path in root.glob("environments/*/environment.json"):
        try:
            record = read_environment(framework, path.parent)
        except Failure:
            continue
        day = date.fromisoformat(record["released"])
        release = found.setdefault(record["release"], Release(framework, record["release"], day))
        release.pythons.add(record["python"]["version"].rpartition(".")[0])
    return {version: found[version] for version in sorted(found, key=parse_version)}


def release_of(
    framework: Framework, version: str, environment: Path | None, released: str
) -> tuple[str, str]:
    """The name and the day of the release that this interpreter has: as the environment's record
    says, which must be of this version, or without an environment as the caller says."""
    if environment is None:
        return f"{framework.name} {version}", released
    record = read_environment(framework, environment)
    if record["release"] != version:
        raise Failure(
            f"{environment} is of {framework.name} {record['release']}, and this interpreter has "
            f"{version}; start {environment}/bin/python"
        )
    return record["name"], record["released"]

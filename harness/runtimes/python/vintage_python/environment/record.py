"""An environment as it stands, and what its release says of itself.

ROOT/environments/jax-0.8.1-py3.13/    a virtual environment
    environment.json                   what it is made of, and what the release says of itself;
                                       its time is that of the last use, and users lock it
ROOT/recipes/jax-0.8.1-py3.13.json     what it is made of: it is there before and after it too
"""

import contextlib
import fcntl
import json
import os
import subprocess
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from vintage_python.environment.releases import Release, parse_version
from vintage_python.failure import Failure
from vintage_python.framework import Framework
from vintage_python.lifetime import ends_with_this

VERSION = 1
_DESCRIBE_SECONDS = 900  # A fresh TensorFlow imports for minutes on a busy machine.


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
    if not framework.alone and not os.access(place / "bin/python", os.X_OK):
        raise Failure(
            f"{place} is broken: its interpreter {record['python']['executable']} is gone"
        )
    return {"framework": framework.name} | record | {"path": str(place)}


def use_environment(place: Path) -> None:
    """While this process lives, the environment is not dropped for its disk."""
    descriptor = os.open(place / "environment.json", os.O_RDONLY)  # Closed by the process's end.
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    touch(place)


def touch(place: Path) -> None:
    """It was used now; one that somebody else owns and lends stays as it is."""
    with contextlib.suppress(OSError):
        os.utime(place / "environment.json")


def _recipe_of(root: Path, name: str) -> Path:
    return root / "recipes" / f"{name}.json"


def read_recipe(framework: Framework, root: Path, name: str) -> dict[str, Any]:
    """Empty: there is none, or it is not of this framework."""
    try:
        recipe: dict[str, Any] = json.loads(_recipe_of(root, name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    known = (recipe.get("format"), recipe.get("version")) == (framework.record_format, VERSION)
    return recipe if known else {}


def keep_recipe(root: Path, name: str, record: dict[str, Any]) -> None:
    path = _recipe_of(root, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(f".{os.getpid()}")
    recipe = {"wheels": "", **record}
    for key in ("runtime", "path"):
        recipe.pop(key, None)
    aside.write_text(json.dumps(recipe, indent=1) + "\n")
    aside.replace(path)


def keep_any_recipe(root: Path, place: Path) -> None:
    """Before an environment goes: it can be made again."""
    if not _recipe_of(root, place.name).exists():
        record = json.loads((place / "environment.json").read_text(encoding="utf-8"))
        keep_recipe(root, place.name, record)


def _kept(framework: Framework, root: Path) -> Iterator[dict[str, Any]]:
    """Environments that are there or can be made again."""
    folder = "packages" if framework.alone else "environments"
    for path in root.glob(f"{folder}/*/environment.json"):
        with contextlib.suppress(Failure):
            yield read_environment(framework, path.parent)
    for path in root.glob("recipes/*.json"):
        yield read_recipe(framework, root, path.stem)


def kept_releases(framework: Framework, root: Path) -> dict[str, Release]:
    """By what asks for them, in the order of versions."""
    found: dict[str, Release] = {}
    for record in _kept(framework, root):
        if record.get("framework") != framework.name or not record["released"]:
            continue
        version, day = record["release"], date.fromisoformat(record["released"])
        release = found.setdefault(framework.asked_by(version), Release(framework, version, day))
        release.dated_by = record.get("released_by", release.dated_by)
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

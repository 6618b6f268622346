"""Lets pip decide which wheels make up a release, without fetching them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

from vintage_python.environment.interpreters import Interpreter
from vintage_python.environment.package_index import pip_host
from vintage_python.environment.pairings import pairing_of
from vintage_python.failure import Failure
from vintage_python.framework import Framework

_RESOLVE_SECONDS = 1800


@dataclass(frozen=True)
class Wheel:
    name: str
    version: str
    filename: str
    sha256: str  # As the index says; empty: of a folder, which says nothing.
    url: str

    @property
    def path(self) -> Path | None:
        """Where it lies, if it lies on this machine."""
        parts = urlparse(self.url)
        return Path(unquote(parts.path)) if parts.scheme == "file" else None


def pip_command(interpreter: Interpreter, interpreters: Sequence[Interpreter]) -> list[str]:
    """pip for `interpreter`: its own, or another's."""
    numbers = [int(part) for part in re.findall(r"\d+", interpreter.pip)[:2]]
    if numbers >= [22, 3]:
        return [interpreter.executable, "-m", "pip"]
    host = pip_host(interpreters)
    return [host.executable, "-m", "pip", "--python", interpreter.executable]


def run_pip(command: Sequence[str], wheels: Path | None) -> subprocess.CompletedProcess[str]:
    """With `wheels` the folder is all that there is: settings that name an index do not count."""
    environment = dict(os.environ)
    if wheels is not None:
        environment = {k: v for k, v in environment.items() if not k.startswith("PIP_")}
        environment["PIP_CONFIG_FILE"] = os.devnull
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    return subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_RESOLVE_SECONDS,
        check=False,
    )


def pip_reason(done: subprocess.CompletedProcess[str]) -> str:
    """pip's first error, in one line."""
    errors = [
        line.removeprefix("ERROR: ").strip()
        for line in done.stderr.splitlines()
        if line.startswith("ERROR: ")
    ]
    # The line that names the missing distribution says more than those before it.
    for line in errors:
        if "No matching distribution" in line:
            return line
    return errors[0] if errors else (done.stderr.strip().splitlines() or ["no reason"])[-1]


def resolve(
    framework: Framework,
    release: str,
    interpreter: Interpreter,
    interpreters: Sequence[Interpreter],
    wheels: Path | None,
) -> list[Wheel]:
    """The wheels of a release and of what it needs, by name."""
    same = [f"{project}=={release}" for project in (*framework.companions, framework.project)]
    wanted = [*same, *framework.others, *pairing_of(framework, release).constraints]
    return sorted(
        _find_wheels(f"{framework.name} {release}", wanted, interpreter, interpreters, wheels),
        key=lambda wheel: wheel.name,
    )


def find_wheel(
    project: str,
    version: str,
    interpreter: Interpreter,
    interpreters: Sequence[Interpreter],
    wheels: Path | None = None,
) -> Wheel:
    """That of one project alone, without what it needs."""
    wanted = ["--no-deps", f"{project}=={version}"]
    (wheel,) = _find_wheels(f"{project} {version}", wanted, interpreter, interpreters, wheels)
    return wheel


def _find_wheels(
    what: str,
    wanted: Sequence[str],
    interpreter: Interpreter,
    interpreters: Sequence[Interpreter],
    wheels: Path | None,
) -> list[Wheel]:
    command = [
        *pip_command(interpreter, interpreters), "install", "--dry-run", "--ignore-installed",
        "--quiet", "--only-binary=:all:", "--report", "-", *wanted,
    ]  # fmt: skip
    if wheels is not None:
        command += ["--no-index", "--find-links", str(wheels)]
    try:
        done = run_pip(command, wheels)
    except subprocess.TimeoutExpired:
        raise Failure(f"pip did not find the wheels of {what} in half an hour") from None
    if done.returncode != 0:
        place = f" in {wheels}" if wheels else ""
        raise Failure(
            f"the wheels of {what} for Python {interpreter.python} are not all to be had"
            f"{place}: {pip_reason(done)}"
        )
    return [_wheel_of(entry) for entry in json.loads(done.stdout)["install"]]


def _wheel_of(entry: dict[str, dict[str, object]]) -> Wheel:
    download = entry["download_info"]
    archive = download.get("archive_info")
    hashes = archive.get("hashes") or {} if isinstance(archive, dict) else {}
    url = str(download["url"])
    return Wheel(
        name=str(entry["metadata"]["name"]).lower().replace("-", "_"),
        version=str(entry["metadata"]["version"]),
        filename=unquote(urlparse(url).path.rsplit("/", 1)[-1]),
        sha256=str(hashes.get("sha256", "")),
        url=url,
    )

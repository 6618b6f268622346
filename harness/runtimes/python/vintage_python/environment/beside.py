"""Packages that make models, beside the environment of a release, which stays as it is.

ENVIRONMENT/beside/keras-3.15.1/    the package, and what it needs and the environment lacks
    beside.json                     its day, and the wheels with their hashes
"""

import importlib.metadata
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vintage_python.environment.disk import installing, keep_to_limit
from vintage_python.environment.lock import Package, install, lock_beside
from vintage_python.environment.make import alone
from vintage_python.environment.uv import Interpreter, Uv
from vintage_python.failure import Failure, UsageFailure
from vintage_python.framework import Framework
from vintage_python.progress import note

# Packages that one needs and does not name, and those that only a GPU needs.
_OTHERS = {"torchax": ("torch",), "torch-xla": ("torch",)}
_EXPORT_THEMSELVES = ("torch-xla",)
_OF_GPUS = re.compile(r"nvidia_\w+|cuda_\w+|triton")
_WANTED = re.compile(r"([a-z][a-z-]*)(?:==(\d+(?:\.\w+)*))?")


@dataclass(frozen=True)
class Beside:
    project: str
    version: str
    released: str = ""  # Its day; empty: unknown.

    @property
    def name(self) -> str:
        return f"{self.project}-{self.version}"

    @property
    def module(self) -> str:
        """The module of its models."""
        return f"with_{self.project.replace('-', '_')}"

    def as_producer(self, release: str, released: str) -> tuple[str, str]:
        """The producer of its models and that one's day: the release, which could make none before
        both were there, or the package itself."""
        if self.project in _EXPORT_THEMSELVES:
            return f"{self.project} {self.version}", self.released or released
        return release, max(released, self.released)


def _asked(framework: Framework, wanted: str) -> tuple[str, str]:
    """The project, and its version or nothing."""
    match = _WANTED.fullmatch(wanted)
    if match is None or match[1] not in framework.beside:
        raise UsageFailure(f"--with {wanted}: with {framework.title} goes "
                           f"{' or '.join(framework.beside) or 'no package'}, alone or with a "
                           "version (keras==3.15.1)")  # fmt: skip
    return match[1], match[2] or ""


def put_beside(
    framework: Framework, record: dict[str, Any], wanted: str, together: Sequence[Path]
) -> str:
    """Installs `keras` or `keras==3.15.1` beside an environment, whose packages it must go with;
    and those of the environments `together` with which it is used. Returns `keras==3.15.1`."""
    project, version = _asked(framework, wanted)
    place = Path(record["path"])
    uv = Uv(place.parent.parent, Path(record["wheels"]) if record.get("wheels") else None)
    interpreter = Interpreter(f"{place}/bin/python", record["python"]["version"])
    others = [json.loads((each / "environment.json").read_text()) for each in together]
    there = {row["name"]: Package(**row) for each in (*others, record) for row in each["packages"]}
    days = [each[day] for each in (*others, record) for day in each if day.endswith("released")]
    if version and (place / f"beside/{project}-{version}/beside.json").is_file():
        return f"{project}=={version}"
    note(f"{wanted}: finding its wheels for {record['name']}")
    package, released, packages = lock_beside(
        uv, wanted, _OTHERS.get(project, ()), interpreter, list(there.values()), max(days)
    )
    new = [p for p in packages if p not in there.values() and not _OF_GPUS.fullmatch(p.name)]
    found = Beside(project, package.version, released)
    with alone(place / f"beside/{found.name}", uv.root) as folder:
        target = place / "beside" / found.name
        if not (target / "beside.json").is_file():
            note(f"{found.name}: installing {len(new)} wheels beside {record['name']}")
            with installing(uv.root):
                # A sandbox cannot write bytecode here.
                options = ("--compile-bytecode", "--target", folder / "packages")
                install(uv, new, interpreter.path, *options)
            kept = {"released": released, "packages": [asdict(each) for each in new]}
            (folder / "packages").mkdir(exist_ok=True)
            (folder / "packages/beside.json").write_text(json.dumps(kept, indent=1) + "\n")
            target.parent.mkdir(exist_ok=True)
            (folder / "packages").rename(target)
            keep_to_limit(uv.root, place)
    return f"{project}=={package.version}"


def use_beside(framework: Framework, environment: Path | None, wanted: str) -> Beside:
    """Makes importable what put_beside() installed; without an environment of ours, the package is
    one of this interpreter's own."""
    project, version = _asked(framework, wanted)
    if environment is not None:
        place = environment / "beside" / f"{project}-{version}"
        try:
            record = json.loads((place / "beside.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise Failure(f"{place}: {problem}; 'vintage produce --with {wanted}' installs it "
                          "there") from problem  # fmt: skip
        sys.path.append(str(place))
        return Beside(project, version, record["released"])
    try:
        installed = importlib.metadata.version(project)
    except importlib.metadata.PackageNotFoundError:
        installed = ""
    if not installed or version not in ("", installed):
        raise Failure(f"--with {wanted}: {sys.executable} has {project} {installed or 'not'}; "
                      "install it there")  # fmt: skip
    return Beside(project, installed)

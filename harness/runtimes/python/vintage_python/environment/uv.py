"""uv: where it is, and how it is asked. It finds interpreters, decides which wheels make up a
release, and installs them out of its cache by hard links."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vintage_python.failure import Failure
from vintage_python.framework import user_data
from vintage_python.progress import note

_PINNED = "uv==0.13.9"
_PINNED_HASHES = (  # Of its wheels for Linux on x86-64 and on ARM.
    "d7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19",
    "5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe",
    "ecb6028d79dc96fbeafffe5c8af62a7099487ebc05a701e76714eebcffd06375",
)
_SECONDS = 1800
OLDEST_PYTHON = (3, 10)


@dataclass(frozen=True)
class Interpreter:
    path: str
    version: str  # "3.12.1"

    @property
    def python(self) -> str:
        return self.version.rpartition(".")[0]


@dataclass(frozen=True)
class Uv:
    """uv over a root, whose cache keeps each wheel once."""

    root: Path
    wheels: Path | None = None  # A folder of wheels, which is all that there is then.

    def run(self, *arguments: str | Path, text: str = "", search: Sequence[str] = ()) -> str:
        """Returns its output; raises a Failure with its reason. `text` is its standard input,
        `search` its PATH."""
        settings = dict(os.environ)
        command = [find_uv(), *map(str, arguments), "--no-python-downloads"]
        if self.wheels is not None and arguments[1] in ("compile", "sync"):
            settings = {key: value for key, value in settings.items() if key[:3] != "UV_"}
            command += ["--no-config", "--offline", "--no-index", "--find-links", str(self.wheels)]
        settings.setdefault("UV_CACHE_DIR", str(self.root / "cache"))
        if search:
            settings["PATH"] = os.pathsep.join(search)
        try:
            done = subprocess.run(
                command, env=settings, input=text, capture_output=True, text=True, check=False,
                timeout=_SECONDS, cwd="/",  # A project that lies here has no say.
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Failure(f"uv {arguments[0]} did not end within {_SECONDS} s") from None
        if done.returncode != 0:
            raise Failure(_reason(done.stderr) or f"uv ended with status {done.returncode}")
        return done.stdout

    def interpreters(self) -> list[Interpreter]:
        """Those of this machine, the newest first: of PATH, of pyenv and of uv."""
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
        # pyenv's shims start what stands under its versions.
        folders = [each for each in os.get_exec_path() if not each.endswith("/shims")]
        folders += sorted(map(str, pyenv.glob("versions/*/bin")))
        command = ["python", "list", "--only-installed", "--no-config", "--output-format", "json"]
        found: dict[str, tuple[tuple[int, ...], Interpreter]] = {}
        for each in json.loads(self.run(*command, search=folders)):
            number = tuple(each["version_parts"].values())
            usable = each["implementation"] == "cpython" and each["variant"] == "default"
            if usable and number >= OLDEST_PYTHON:
                path = os.path.realpath(each["path"])
                found.setdefault(path, (number, Interpreter(path, each["version"])))
        if not found:
            raise Failure("no CPython from 3.10 on is found on PATH, under pyenv or under uv")
        newest_first = sorted(found.values(), key=lambda each: each[0], reverse=True)
        return [interpreter for _, interpreter in newest_first]


def _reason(said: str) -> str:
    """uv's error in one line, without its warnings before, its hints behind and its frame."""
    error = re.split(r"^(?=error:|\s*×)", said, maxsplit=1, flags=re.MULTILINE)[-1]
    lines = [line.strip(" ×│├╰─▶") for line in error.partition("\nhint:")[0].splitlines()]
    return " ".join(filter(None, lines)).removeprefix("error: ").replace(" cause: ", ": ")


@functools.cache
def find_uv() -> str:
    """The uv of PATH, else a pinned one in the user's data, which the first use fetches."""
    if on_path := shutil.which("uv"):
        return os.path.abspath(on_path)
    place = user_data() / _PINNED.replace("==", "-")
    program = place / "bin/uv"
    if program.is_file():
        return str(program)
    note(f"uv, which makes environments, is not on PATH; {_PINNED} is fetched into {place}")
    place.mkdir(parents=True, exist_ok=True)
    requirement = place / "requirement.txt"  # pip takes hashes from a file only.
    requirement.write_text(_PINNED + "".join(f" --hash=sha256:{each}" for each in _PINNED_HASHES))
    command = [
        sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--only-binary=:all:", "--require-hashes", "-r", str(requirement),
        "--upgrade", "--target", str(place),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 and not program.is_file():
        reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise Failure(
            f"uv, which makes environments, is not on PATH, and pip cannot fetch it: {reason}; "
            "install uv (https://docs.astral.sh/uv) or pip (Debian: python3-pip), or register "
            "an environment of your own with --python PATH"
        )
    return str(program)

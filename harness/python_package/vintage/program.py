"""Finds and calls the program `vintage`."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vintage.visible import visible

_INSTALLED = Path(__file__).resolve().parent / "installed/bin/vintage"


class VintageError(Exception):
    """The program's error message, and its exit status (docs/verdicts.md)."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(visible(message))
        self.status = status


def program() -> Path:
    """This package's program; the one on PATH if there is none (an install from source)."""
    if _INSTALLED.is_file():
        return _INSTALLED
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if found := shutil.which("vintage", path=folder):
            # This package's own command is a script, and would find itself.
            with open(found, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    return Path(found)
    raise VintageError(
        f"the program 'vintage' is neither in {_INSTALLED.parent} nor on PATH; "
        "install a wheel that holds it, or Vintage itself",
        3,
    )


def run(
    *arguments: str | os.PathLike[str], allowed: Iterable[int] = (0,), timeout: float | None = None
) -> Any:
    """Runs a verb with `--format json` and returns its result.

    An exit status outside `allowed` raises a VintageError with the program's message.

    >>> vintage.run("list", "--archive", "models")
    """
    command = [str(program()), *(os.fspath(argument) for argument in arguments), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        answer = None
    if done.returncode not in tuple(allowed):
        raise VintageError(_problem(answer, done.stderr, done.returncode), done.returncode)
    if answer is None:
        raise VintageError(f"{' '.join(command)}: its output is not JSON", 3)
    return answer


def _problem(answer: Any, errors: str, status: int) -> str:
    if isinstance(answer, dict) and isinstance(answer.get("error"), str):
        return str(answer["error"])
    lines = [line.removeprefix("vintage: ") for line in errors.splitlines() if line.strip()]
    return "\n".join(lines) or f"it ended with status {status}"

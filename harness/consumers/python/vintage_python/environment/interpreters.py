"""The Python interpreters of this machine."""

from __future__ import annotations

import glob
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from vintage_python.failure import Failure

_PROBE = """
import json, os, platform, sys
try:
    import pip
    pip_version = pip.__version__
except Exception:
    pip_version = ""
base = getattr(sys, "_base_executable", None) or sys.executable
print(json.dumps({
    "executable": sys.executable,
    "base": os.path.realpath(base),
    "version": list(sys.version_info[:3]),
    "implementation": sys.implementation.name,
    "threaded": "t" in getattr(sys, "abiflags", ""),
    "machine": platform.machine(),
    "system": platform.system(),
    "pip": pip_version,
}))
"""
_PROBE_SECONDS = 60
OLDEST = (3, 10)


@dataclass(frozen=True)
class Interpreter:
    executable: str  # As it is started; a virtual environment has its own.
    base: str  # The same, or what a virtual environment was made from.
    version: tuple[int, int, int]
    machine: str
    system: str
    pip: str  # Its version; empty: it has none.

    @property
    def python(self) -> str:
        return f"{self.version[0]}.{self.version[1]}"

    @property
    def tag(self) -> str:
        return f"cp{self.version[0]}{self.version[1]}"

    @property
    def text(self) -> str:
        return ".".join(map(str, self.version))


def probe(path: str) -> Interpreter:
    """Starts the interpreter and asks what it is."""
    try:
        done = subprocess.run(
            [path, "-c", _PROBE],
            capture_output=True,
            text=True,
            timeout=_PROBE_SECONDS,
            check=False,
            cwd="/",
        )
        said = json.loads(done.stdout)
    except FileNotFoundError:
        raise Failure(f"{path}: there is no such interpreter") from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as problem:
        raise Failure(f"{path} is no Python interpreter that starts: {problem}") from problem
    if said["implementation"] != "cpython" or said["threaded"]:
        kind = "a free-threaded CPython" if said["threaded"] else said["implementation"]
        raise Failure(f"{path} is {kind}; wheels for CPython are used here")
    major, minor, micro = said["version"]
    return Interpreter(
        executable=said["executable"],
        base=said["base"],
        version=(major, minor, micro),
        machine=said["machine"],
        system=said["system"],
        pip=said["pip"],
    )


def _candidates() -> list[str]:
    """Paths that may be interpreters: of PATH, of pyenv and of uv."""
    name = re.compile(r"python3(\.\d+)?")
    found: list[str] = []
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if not os.path.isdir(folder) or folder.endswith(os.sep + "shims"):
            continue  # pyenv's shims start what stands under its versions.
        found += [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if name.fullmatch(f)]
    home = Path.home()
    pyenv = os.environ.get("PYENV_ROOT", str(home / ".pyenv"))
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR", str(home / ".local/share/uv/python"))
    for pattern in (f"{pyenv}/versions/*/bin/python3", f"{uv}/*/bin/python3"):
        found += sorted(glob.glob(pattern))
    return found


def find_interpreters() -> list[Interpreter]:
    """Those of this machine, the newest first; each once."""
    interpreters: dict[str, Interpreter] = {}
    seen: set[str] = set()
    for path in _candidates():
        real = os.path.realpath(path)
        if real in seen or not os.access(real, os.X_OK):
            continue
        seen.add(real)
        try:
            interpreter = probe(path)
        except (Failure, KeyError):
            continue  # What does not start is no interpreter that could be chosen.
        if interpreter.version[:2] >= OLDEST:
            interpreters.setdefault(interpreter.base, interpreter)
    return sorted(interpreters.values(), key=lambda each: each.version, reverse=True)

"""The differences between frameworks, for making environments of their releases."""

import importlib
import os
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from vintage_python.failure import Failure

_ROOT_VARIABLE = "VINTAGE_RUNTIMES_ROOT"
ROOTS = {_ROOT_VARIABLE: "runtimes", "VINTAGE_JAX_ROOT": "jax"}  # A variable, and a folder.


def user_data() -> Path:
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local/share") / "vintage"


def default_root(variable: str = _ROOT_VARIABLE) -> Path:
    """Where packages and environments are kept: as a variable says, or in the user's data."""
    root = os.environ.get(variable)
    return Path(root) if root else user_data() / ROOTS[variable]


@dataclass(frozen=True)
class Framework:
    name: str  # "jax": of its option, its environments and its builds.
    title: str  # "JAX": in sentences.
    package: Path  # The folder of its programs, which is started.
    project: str  # "jaxlib": the wheel whose versions and days are those of the releases.
    example: str  # Of releases that can be asked for, in messages.
    companions: tuple[str, ...] = ()  # Projects that a release needs at its own version.
    others: tuple[str, ...] = ()  # Projects of any version that it needs and does not name.
    conditions: tuple[str, ...] = ("",)  # In which its worker runs; empty: there is one only.
    beside: tuple[str, ...] = ()  # Packages that make models with its releases (beside.py).
    produces: str = ""  # The format of what its program `produce` makes; empty: it has none.
    formats: tuple[str, ...] = ("exported", "portable artifact")  # Its worker reads these.
    oldest: str = ""  # The first release that can do what Vintage needs; empty: any.
    modes: tuple[str, ...] = ("compiled",)
    nightly: bool = False  # Its versions name days, 2.22.0.dev20260905; 20260905 asks for one.
    alone: bool = False  # The one package, unpacked: a PJRT plugin, which needs no interpreter.
    root_variable: str = _ROOT_VARIABLE  # Of ROOTS: where environments are kept.

    @property
    def program(self) -> str:
        """As it calls itself in messages: "vintage_jax"."""
        return self.package.name

    @property
    def wheel_prefix(self) -> str:
        return self.project.replace("-", "_")

    @property
    def record_format(self) -> str:
        return f"{self.program.replace('_', ' ')} environment"

    def asked_by(self, version: str) -> str:
        """The word that asks for a release."""
        return version.rpartition(".dev")[2] if self.nightly else version

    def default_root(self) -> Path:
        return default_root(self.root_variable)

    def load(self, module: str) -> ModuleType:
        """One of its modules, or a Failure that says why the release does not import."""
        try:
            return importlib.import_module(module)
        except ImportError as problem:
            raise Failure(f"{self.title} does not import: {problem}") from problem
        except Exception as problem:
            first = str(problem).splitlines()[0] if str(problem) else "no reason"
            kind = type(problem).__name__
            raise Failure(f"{self.title} does not import: {kind}: {first}") from problem

"""JAX on the embedded engine: real releases, and the plugin that was built."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from jax_releases import REPOSITORY, environment_of_release, index_of_releases

BINARY = Path(os.environ.get("VINTAGE_BINARY", REPOSITORY / "build/release/bin"))
LIBRARY = BINARY.parent / "lib/libvintage_pjrt.so"
PROGRAMS = Path(__file__).resolve().parent / "programs"


@dataclass
class Session:
    """A program of ours in the environment of a release."""

    python: Path
    settings: dict[str, str] = field(default_factory=dict)

    def run(self, program, *arguments, platform="vintage", **settings):
        environment = {
            **os.environ,
            "PYTHONPATH": str(REPOSITORY / "harness/plugin"),
            "VINTAGE_PLUGIN_LIBRARY": str(LIBRARY),
            "JAX_PLATFORMS": platform,
            "TF_CPP_MIN_LOG_LEVEL": "2",
            **settings,
        }
        return subprocess.run(
            [str(self.python), "-W", "ignore", str(PROGRAMS / program), *map(str, arguments)],
            capture_output=True, text=True, check=False, env=environment, timeout=600,
        )  # fmt: skip


@pytest.fixture(scope="session")
def library():
    if not LIBRARY.is_file():
        pytest.skip(f"{LIBRARY} was not built")
    return LIBRARY


@pytest.fixture(scope="session")
def index():
    return index_of_releases()


@pytest.fixture(scope="session")
def session_of(index, library):
    """Programs with a release; skips where no interpreter here can have it."""
    root = Path(os.environ.get("VINTAGE_JAX_ROOT", REPOSITORY / "build/runtime/jax"))
    return lambda release: Session(environment_of_release(release, index, root) / "bin/python")


@pytest.fixture(scope="session", params=["0.4.30", "0.4.33", "0.4.35", "0.8.1", "latest"])
def session(request, session_of):
    """From the oldest release that the plugin promises to the newest."""
    return session_of(request.param)


@pytest.fixture(scope="session")
def newest(session_of):
    return session_of("latest")

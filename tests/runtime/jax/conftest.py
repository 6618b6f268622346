"""Real releases of JAX for the tests, made once and kept.

They are kept under VINTAGE_JAX_ROOT, or in the build folder. Tests that need
one are skipped where the package index cannot be read and none is kept.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
PACKAGE = REPOSITORY / "harness/consumers/jax"
PROGRAM = PACKAGE / "vintage_jax"
sys.path.insert(0, str(PACKAGE))

from vintage_jax.framework import JAX  # noqa: E402
from vintage_python.environment.compose import Request, make_environment  # noqa: E402
from vintage_python.environment.interpreters import find_interpreters  # noqa: E402
from vintage_python.environment.package_index import releases_on_index  # noqa: E402
from vintage_python.environment.selection import select  # noqa: E402
from vintage_python.environment.versions import Window  # noqa: E402
from vintage_python.failure import Failure  # noqa: E402

OLD_RELEASE = "0.4.30"


@pytest.fixture(scope="session")
def root():
    return Path(os.environ.get("VINTAGE_JAX_ROOT", REPOSITORY / "build/runtime/jax"))


@pytest.fixture(scope="session")
def index():
    """What the package index offers, and the interpreters here."""
    interpreters = find_interpreters()
    try:
        return releases_on_index(JAX, interpreters), interpreters
    except Failure as failure:
        pytest.skip(f"no network: {failure}")


def _environment(wanted, index, root):
    releases, interpreters = index
    from datetime import date

    selection = select([wanted], releases, interpreters, Window(date(2026, 1, 1), 0, 0))
    if not selection.chosen:
        pytest.skip("; ".join(why for _, why in selection.failed))
    record = make_environment(selection.chosen[0], interpreters, Request(root, None, {}, ""))
    return Path(record["path"])


@pytest.fixture(scope="session")
def newest(index, root):
    """The environment of the newest release that an interpreter here can have."""
    return _environment("latest", index, root)


@pytest.fixture(scope="session")
def oldest(index, root):
    return _environment(OLD_RELEASE, index, root)


@pytest.fixture(scope="session")
def environment_of(index, root):
    """Makes the environment of a release; skips where no interpreter here can have it."""
    return lambda release: _environment(release, index, root)


@pytest.fixture(params=["newest", "oldest"])
def environment(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def run_program():
    """Starts one of the programs; standard output, standard error and status."""

    def run(*arguments, python=sys.executable, **options):
        return subprocess.run(
            [str(python), str(PROGRAM), *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            **options,
        )

    return run


@pytest.fixture(scope="session")
def own_artifacts(tmp_path_factory, run_program):
    """Our own functions exported by a release for the CPU, once a session."""
    made = {}

    def produce(environment):
        if environment not in made:
            folder = tmp_path_factory.mktemp(environment.name)
            done = run_program(
                "produce", "--environment", environment, "--out", folder, "--cases", "own",
                "--format", "json", python=environment / "bin/python")  # fmt: skip
            assert done.returncode == 0, done.stderr
            made[environment] = folder
        return made[environment]

    return produce


@pytest.fixture(scope="session")
def artifact_of():
    """The bytes of an artifact of a folder."""

    def find(folder, name):
        for meta in folder.glob("*/meta.json"):
            if json.loads(meta.read_text())["name"] == name:
                return (meta.parent / "exported.bin").read_bytes()
        raise AssertionError(f"{name} was not exported")

    return find


@pytest.fixture
def vintage(root):
    """Runs `vintage` with the environments of the tests."""
    binary = Path(os.environ.get("VINTAGE_BINARY", "")) / "vintage"
    if not binary.is_file():
        pytest.skip("VINTAGE_BINARY names no folder with the program")

    def run(*arguments):
        return subprocess.run(
            [str(binary), *map(str, arguments)], capture_output=True, text=True, check=False,
            env={**os.environ, "VINTAGE_JAX_ROOT": str(root)},
        )  # fmt: skip

    return run

"""Real releases of JAX for the tests (tests/runtime/jax_releases.py)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from jax_releases import (
    PACKAGE,
    REPOSITORY,
    environment_of_release,
    index_of_releases,
    uv_program,
)

PROGRAM = PACKAGE / "vintage_jax"
OLD_RELEASE = "0.4.30"


@pytest.fixture(scope="session")
def root():
    return Path(os.environ.get("VINTAGE_JAX_ROOT", REPOSITORY / "build/runtime/jax"))


@pytest.fixture(scope="session")
def index():
    return index_of_releases()


@pytest.fixture(scope="session")
def uv():
    return uv_program()


@pytest.fixture(scope="session")
def newest(index, root):
    """The environment of the newest release that an interpreter here can have."""
    return environment_of_release("latest", index, root)


@pytest.fixture(scope="session")
def oldest(index, root):
    return environment_of_release(OLD_RELEASE, index, root)


@pytest.fixture(scope="session")
def environment_of(index, root):
    """Makes the environment of a release; skips where no interpreter here can have it."""
    return lambda release: environment_of_release(release, index, root)


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

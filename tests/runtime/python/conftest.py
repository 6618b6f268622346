"""Environments with a release of JAX and pytest, in which the package is used as it lies here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
PACKAGE = REPOSITORY / "harness/python_package"
ROOT = Path(os.environ.get("VINTAGE_JAX_ROOT", REPOSITORY / "build/runtime/jax"))


def run(command, **options):
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )


@pytest.fixture(scope="session")
def settings():
    """The variables with which the package finds itself and the program."""
    binary = Path(os.environ.get("VINTAGE_BINARY", ""))
    if not (binary / "vintage").is_file():
        pytest.skip("VINTAGE_BINARY names no folder with the program")
    return {
        **os.environ,
        "PATH": f"{binary}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(PACKAGE),
        "VINTAGE_JAX_ROOT": str(ROOT),
    }


@pytest.fixture(scope="session")
def python_with(settings):
    """The interpreter of an environment with a release of JAX, made once and kept."""

    def make(release):
        place = ROOT / "package" / f"jax-{release}-py{sys.version_info.minor}"
        python = place / "bin/python"
        wanted = [f"jax=={release}", "absl-py", "flatbuffers", "mypy", "pytest"]
        whole = place / "whole"
        if not whole.exists() or whole.read_text() != "\n".join(wanted):
            made = run([sys.executable, "-m", "venv", "--clear", place])
            assert made.returncode == 0, made.stderr
            done = run([python, "-m", "pip", "install", "--quiet", *wanted])
            if done.returncode != 0:
                pytest.skip(f"jax {release} cannot be had: {done.stderr.strip()[-300:]}")
            whole.write_text("\n".join(wanted))
        return python

    return make


@pytest.fixture
def in_python(python_with, settings, tmp_path):
    """Runs arguments of an interpreter with a release of JAX, in a folder of the test's own."""

    def call(release, *arguments, **more):
        return run([python_with(release), *arguments], cwd=tmp_path, env={**settings, **more})

    return call

"""What `environment` says of bad input, without a network: nothing stays half made."""

import json
import os
import subprocess
import sys

import pytest

from fake_wheels import write_release, write_wheel
from vintage_jax.framework import JAX
from vintage_python.environment.compose import read_environment
from vintage_python.environment.interpreters import find_interpreters, probe
from vintage_python.failure import Failure

RELEASE = "99.0"


@pytest.fixture
def wheels(tmp_path):
    folder = tmp_path / "wheels"
    folder.mkdir()
    return folder


@pytest.fixture
def make(run_program, tmp_path, wheels):
    """Runs the program over the folder of wheels with this interpreter alone."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(sys.executable)
    settings = {**os.environ, "PATH": str(folder), "PYENV_ROOT": "/nowhere",
                "UV_PYTHON_INSTALL_DIR": "/nowhere"}  # fmt: skip

    def run(*arguments):
        return run_program("environment", "--root", tmp_path / "root", "--wheels", wheels,
                           *arguments, env=settings)  # fmt: skip

    return run


def made(tmp_path):
    root = tmp_path / "root"
    environments = list((root / "environments").glob("*")) if root.exists() else []
    return environments + list(root.glob(".partial-*")) + list(root.glob("packages/.partial-*"))


def has_pip():
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--version"], capture_output=True, check=False
    )
    return done.returncode == 0


needs_pip = pytest.mark.skipif(not has_pip(), reason="this interpreter has no pip")


@needs_pip
def test_a_release_that_does_not_import_is_not_registered(make, wheels, tmp_path):
    write_release(wheels, RELEASE, jax="raise ImportError('libjax is not here')")
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert "JAX does not import: libjax is not here" in done.stderr
    assert made(tmp_path) == []


@needs_pip
def test_a_release_that_kills_its_process_is_not_registered(make, wheels, tmp_path):
    write_release(wheels, RELEASE, jax="import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert "it ended with status -11" in done.stderr
    assert made(tmp_path) == []


@needs_pip
def test_a_missing_wheel_is_named(make, wheels, tmp_path):
    write_release(wheels, RELEASE, needs=["opt_einsum"])
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert "No matching distribution found for opt_einsum" in done.stderr
    assert made(tmp_path) == []


@needs_pip
def test_a_file_that_the_wheel_does_not_promise_is_a_wrong_hash(make, wheels, tmp_path):
    write_release(wheels, RELEASE, spoil="jax/__init__.py")
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert f"jax-{RELEASE}-py3-none-any.whl has the wrong hash" in done.stderr
    assert "jax/__init__.py" in done.stderr
    assert made(tmp_path) == []


@needs_pip
def test_a_wheel_that_is_not_the_promised_one_is_refused(make, wheels, tmp_path):
    write_release(wheels, RELEASE)
    (wheels / "SHA256SUMS").write_text(f"{'0' * 64}  jax-{RELEASE}-py3-none-any.whl\n")
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert f"sha256 {'0' * 64} was promised" in done.stderr
    assert made(tmp_path) == []


@needs_pip
def test_a_wheel_that_is_cut_off_is_named(make, wheels, tmp_path):
    write_release(wheels, RELEASE)
    whole = wheels / "flatbuffers-1.0-py3-none-any.whl"
    whole.write_bytes(whole.read_bytes()[:100])
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert "flatbuffers" in done.stderr
    assert made(tmp_path) == []


@needs_pip
def test_a_file_outside_of_a_wheel_is_refused(make, wheels, tmp_path):
    write_release(wheels, RELEASE)
    write_wheel(wheels, "absl_py", "1.0", {"../../outside.py": "x = 1"})
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert "would lie outside of it" in done.stderr
    assert not list(tmp_path.rglob("outside.py"))


def test_a_release_that_is_not_in_the_folder_is_named(make, wheels):
    write_release(wheels, RELEASE)
    done = make("--jax", "98.0")
    assert done.returncode == 3
    assert f"jaxlib 98.0 does not exist as a wheel for this machine; the nearest are {RELEASE}" in (
        done.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say either --jax RELEASE or --python PATH"),
        (["--jax", "newest"], "'newest' is no release;"),
        (["--jax", "window"], "a folder of wheels names no days"),
        (["--jax", RELEASE, "--today", "yesterday"], "--today yesterday: no day"),
        (["--jax", RELEASE, "--released", "2026-13-01"], "--released 2026-13-01: no day"),
        (["--jax", RELEASE, "--backward-days", "-1"], "no negative number of days"),
    ],
)
def test_a_wrong_call_is_status_2(make, wheels, arguments, words):
    write_release(wheels, RELEASE)
    done = make(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_an_interpreter_that_does_not_exist(run_program):
    done = run_program("environment", "--python", "/nowhere/python3")
    assert done.returncode == 3
    assert "/nowhere/python3: there is no such interpreter" in done.stderr


def test_an_interpreter_without_jax(run_program):
    done = run_program("environment", "--python", sys.executable, "--released", "2026-01-01")
    if "JAX does not import" not in done.stderr:
        pytest.skip("the interpreter of these tests has a JAX")
    assert done.returncode == 3


def test_what_is_no_interpreter(tmp_path):
    program = tmp_path / "python3"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    with pytest.raises(Failure, match="is no Python interpreter that starts"):
        probe(str(program))


def test_this_interpreter_is_found(monkeypatch, tmp_path):
    (tmp_path / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tuple(sys.version_info[:3]) in [each.version for each in find_interpreters()]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is damaged"),
        ("{}", "is not the record of an environment"),
        (json.dumps({"format": "vintage jax environment", "version": 2}), "version 2; 1 is read"),
    ],
)
def test_a_damaged_record_is_named(tmp_path, text, words):
    (tmp_path / "environment.json").write_text(text)
    with pytest.raises(Failure, match=words):
        read_environment(JAX, tmp_path)


def test_a_folder_that_is_no_environment(tmp_path):
    with pytest.raises(Failure, match=r"is no environment of a JAX release"):
        read_environment(JAX, tmp_path)

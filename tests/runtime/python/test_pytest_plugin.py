"""The pytest plugin, shown a real break: JAX 0.6.0 no longer has what 0.5.0's Cholesky calls."""

from pathlib import Path

from conftest import run

TESTS = """
import jax, jax.numpy as jnp, pytest
from jax import export
from jax.export import export as make

def solver(x):
    return jnp.linalg.cholesky(x @ x.T + jnp.eye(3))

def test_solver():
    assert export.export(jax.jit(solver))(jnp.eye(3)).platforms == ("cpu",)

def test_two_exports():
    for power in (2, 3):
        make(jax.jit(lambda x: x ** power))(jnp.ones(2))

def test_that_fails():
    make(jax.jit(jnp.sin))(jnp.ones(2))
    assert False

def test_by_hand(vintage_archive):
    vintage_archive.save(jnp.cos, jnp.ones(2), name="by hand")
"""

PLUGIN = ("-m", "pytest", "-q", "-rA", "-p", "vintage.pytest_plugin", "-p", "no:cacheprovider")


def outcome(text, name):
    lines = [line for line in text.splitlines() if name in line]
    return {line.split(" ", 1)[0] for line in lines if line.split(" ", 1)[0].isupper()}


def test_an_upgrade_that_breaks_what_was_kept_fails(in_python, tmp_path):
    (tmp_path / "test_model.py").write_text(TESTS)
    archive = ("--vintage-archive", "models", "test_model.py")
    first = in_python("0.5.0", *PLUGIN, *archive)
    assert "1 failed, 3 passed" in first.stdout, first.stdout + first.stderr
    assert "vintage: 3 exports noted, 4 artifacts new" in first.stdout

    again = in_python("0.5.0", *PLUGIN, *archive)
    assert "1 failed, 7 passed" in again.stdout, again.stdout  # The kept exports run.
    assert "vintage: 3 exports noted, 0 artifacts new" in again.stdout

    upgraded = in_python("0.6.0", *PLUGIN, *archive, "--vintage-no-save")
    said = upgraded.stdout
    assert outcome(said, "::vintage[test_model.py::test_solver of jax 0.5.0]") == {"FAILED"}, said
    assert "lapack_spotrf" in said
    assert "vintage replay --archive" in said
    for kept in ("test_two_exports#0", "test_two_exports#1"):
        assert outcome(said, f"::vintage[test_model.py::{kept} of jax 0.5.0]") == {"PASSED"}, said
    assert outcome(said, "::vintage[by hand of jax 0.5.0]") == {"PASSED"}
    assert outcome(said, "test_model.py::test_solver") >= {"PASSED"}  # The model itself still runs.
    assert "test_that_fails of" not in said  # Exports of a failing test are not kept.


def test_without_an_archive_nothing_changes(in_python, tmp_path):
    (tmp_path / "test_model.py").write_text(TESTS)
    done = in_python("0.5.0", *PLUGIN, "test_model.py")
    assert "1 failed, 2 passed, 1 skipped" in done.stdout, done.stdout + done.stderr
    assert not (tmp_path / "models").exists()


# An export under a name that was kept with other bytes, or with other arguments, was an error.
def test_a_model_that_changed_is_another_artifact(in_python, tmp_path):
    test = """
from jax import export, jit, numpy as jnp
def test_it():
    export.export(jit({}))({})
"""
    steps = (("jnp.sin", 1.0, 1), ("jnp.sin", 2.0, 1), ("jnp.cos", 1.0, 2), ("jnp.cos", 1.0, 2))
    for function, argument, kept in steps:
        (tmp_path / "test_it.py").write_text(test.format(function, argument))
        done = in_python("0.5.0", *PLUGIN, "--vintage-archive", "models", "test_it.py")
        assert done.returncode == 0, done.stdout + done.stderr
        listed = in_python(
            "0.5.0", "-c", "import vintage; print(len(vintage.run('list', '--archive', 'models')))"
        )
        assert listed.stdout.strip() == str(kept), listed.stderr


# The job was green: nothing ran, and each kept artifact was counted as skipped.
def test_where_nothing_can_run_nothing_passes(in_python, settings, tmp_path):
    (tmp_path / "test_model.py").write_text("def test_nothing(): pass\n")
    run_only = ("--vintage-no-save", "test_model.py")
    mistyped = in_python("0.5.0", *PLUGIN, "--vintage-archive", "modles", *run_only)
    assert mistyped.returncode == 4, mistyped.stdout
    assert "there is no such archive" in mistyped.stderr
    keep = "import jax.numpy as jnp, vintage; vintage.save(jnp.cos, 1.0, archive='m', name='cos')"
    assert in_python("0.5.0", "-c", keep).returncode == 0

    worker = tmp_path / "worker"
    worker.write_text(f'#!/bin/sh\nexec {settings["VINTAGE_BINARY"]}/vintage-worker "$@"\n')
    worker.chmod(0o755)
    vintage = Path(settings["VINTAGE_BINARY"]) / "vintage"
    command = [vintage, "builds", "add", "--archive", "m", "--name", "gone", "--", worker]
    added = run(command, cwd=tmp_path, env=settings)
    assert added.returncode == 0, added.stderr
    worker.write_text("#!/bin/sh\nexit 7\n")
    archive = ("--vintage-archive", "m", "--vintage-build", "gone")
    gone = in_python("0.5.0", *PLUGIN, *archive, *run_only)
    assert gone.returncode == 1, gone.stdout
    assert "1 failed, 1 passed" in gone.stdout
    check = "import vintage; vintage.check('m', 'gone', names=['none']).raise_for_failures()"
    nothing = in_python("0.5.0", "-c", check)
    assert nothing.returncode == 1, nothing.stdout

"""`vintage builds add --jax` and `vintage produce` with real releases, end to end."""

import json

import pytest

from vintage_jax.release import JAX
from vintage_python.environment.record import read_environment


@pytest.fixture
def add(vintage, tmp_path):
    """Registers an environment's release in the archive A; the build's name."""

    def run(environment, *options):
        release = read_environment(JAX, environment)["release"]
        done = vintage("builds", "add", "--archive", tmp_path / "A", "--jax", release, *options)
        assert done.returncode == 0, done.stderr
        return f"jax-{release}"

    return run


def shown(vintage, archive, build):
    done = vintage("builds", "show", build, "--archive", archive, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def replay(vintage, archive, build, *options):
    done = vintage("replay", "--archive", archive, "--build", build, "--format", "json", *options)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_a_release_is_registered_under_its_day_and_starts(oldest, add, vintage, tmp_path):
    add(oldest, "--condition", "both")
    build = shown(vintage, tmp_path / "A", "jax-0.4.30")
    assert build["build_date"] == "2024-06-18"  # The index's day of jaxlib.
    assert build["stablehlo_version"] == "1.1.3"
    assert "lapack_spotrf" in build["custom_call_targets"]
    packages = build["details"]["environment"]["packages"]
    assert all(len(package["sha256"]) == 64 for package in packages)
    checked = vintage("builds", "check", "--archive", tmp_path / "A")
    assert checked.returncode == 0, checked.stdout
    assert "2 of 2 start" in checked.stdout


def test_each_release_that_cannot_be_had_is_one_error(oldest, vintage, tmp_path):
    command = ("builds", "add", "--archive", tmp_path / "A", "--jax", "0.4.99", "0.4.30")
    for _ in range(2):  # To register it again is harmless.
        done = vintage(*command)
        assert done.returncode == 3
        assert done.stderr.count("\n") == 1
        assert "jaxlib 0.4.99 does not exist as a wheel" in done.stderr
        listed = vintage("builds", "list", "--archive", tmp_path / "A").stdout
        assert "jax-0.4.30" in listed
        assert "1 build" in listed


def test_an_environment_of_your_own_is_registered(newest, vintage, tmp_path):
    done = vintage("builds", "add", "--archive", tmp_path / "A", "--python",
                   newest / "bin/python", "--date", "2026-02-03", "--name", "mine")  # fmt: skip
    assert done.returncode == 0, done.stderr
    build = shown(vintage, tmp_path / "A", "mine")
    assert build["build_date"] == "2026-02-03"
    assert vintage("builds", "check", "--archive", tmp_path / "A").returncode == 0


def test_what_a_release_exports_runs_on_the_engine_and_on_the_release(
    environment, add, vintage, tmp_path
):
    archive = tmp_path / "A"
    build = add(environment)
    assert vintage("builds", "add", "--archive", archive, "--embedded").returncode == 0
    command = ("produce", "--archive", archive, "--build", build, "--one-of-each", "--jobs", "2",
               "--filter", "primitive=tanh", "primitive=cumsum", "--format", "json")  # fmt: skip
    first = vintage(*command)
    assert first.returncode == 0, first.stderr
    said = json.loads(first.stdout)
    assert said["new"] == said["exported"] > 8
    assert {kind["variant"] for kind in said["kinds"]} >= {"static", "poly"}
    again = json.loads(vintage(*command).stdout)
    assert (again["new"], again["exported"]) == (0, said["exported"])

    status, run = replay(vintage, archive, build, "--mode", "compiled")
    assert (status, run["counts"]["ran"]) == (0, said["exported"])
    engine = next(name for name in _builds(vintage, archive) if "engine" in name)
    status, run = replay(vintage, archive, engine)
    assert (status, run["counts"]["ran"]) == (0, said["exported"])


def _builds(vintage, archive):
    done = vintage("builds", "list", "--archive", archive, "--format", "json")
    return [build["name"] for build in json.loads(done.stdout)]


def test_an_artifact_keeps_what_its_producer_says(oldest, add, vintage, tmp_path):
    archive = tmp_path / "A"
    build = add(oldest)
    done = vintage("produce", "--archive", archive, "--build", build, "--cases", "harnesses",
                   "--filter", "name=jax:tanh_shape_float32*", "--one-of-each", "--platform",
                   "tpu")  # fmt: skip
    assert done.returncode == 0, done.stderr
    listed = vintage("list", "--archive", archive, "--format", "json")
    (record,) = json.loads(listed.stdout)
    assert record["producer"] == "jax 0.4.30"
    assert record["primitive"] == "tanh"
    assert record["platforms"] == ["tpu"]
    assert record["build_date"] == "2024-06-18"

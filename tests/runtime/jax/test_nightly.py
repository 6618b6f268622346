"""The nightly run beside a real release, and the measured history of two of them."""

import json

import pytest

from vintage_jax.release import JAX
from vintage_python.environment.record import read_environment


@pytest.fixture
def night(vintage, tmp_path, oldest):
    """A nightly run beside 0.4.30, with few primitives."""

    def run(*options):
        done = vintage("nightly", "--archive", tmp_path / "A", "--jax", "0.4.30", "--format",
                       "json", *options)  # fmt: skip
        assert done.stdout, done.stderr
        return done, json.loads(done.stdout)

    return run


def test_tonights_artifacts_run_on_real_jax_and_its_artifacts_tonight(night, tmp_path, vintage):
    _, report = night("--primitive", "tanh", "--variant", "static", "--platform", "cpu")
    pairs = {(pair["producer"].split()[0], pair["build"].split()[0]) for pair in report["pairs"]}
    assert pairs == {
        ("vintage-engine", "vintage-engine"),
        ("vintage-engine", "jax-0.4.30"),
        ("jax", "vintage-engine"),
        ("jax", "jax-0.4.30"),
    }
    # Real JAX's exports run, on both.
    outcomes = {pair["outcome"] for pair in report["pairs"] if pair["producer"] == "jax 0.4.30"}
    assert outcomes == {"pass"}
    built = json.loads(vintage("builds", "show", "jax-0.4.30", "--archive", tmp_path / "A",
                               "--format", "json").stdout)  # fmt: skip
    assert built["build_date"] == "2024-06-18"


def test_a_release_that_does_not_exist_leaves_the_night_unable_to_tell(vintage, tmp_path, index):
    done = vintage("nightly", "--archive", tmp_path / "A", "--jax", "0.4.99", "--primitive", "neg",
                   "--variant", "static", "--platform", "cpu")  # fmt: skip
    assert done.returncode == 3
    assert "jaxlib 0.4.99 does not exist as a wheel" in done.stdout


def test_two_releases_have_a_measured_history_that_goes_on(vintage, tmp_path, newest, oldest):
    release = read_environment(JAX, newest)["release"]
    command = ("history", "--archive", tmp_path / "A", "-o", tmp_path / "pages", "--jax", "0.4.30",
               release, "--filter", "primitive=tanh", "--format", "json")  # fmt: skip
    done = vintage(*command)
    assert done.returncode == 0, done.stderr
    history = json.loads(done.stdout)
    assert [each["version"] for each in history["releases"]] == ["0.4.30", release]
    counts = {(pair["producer"], pair["consumer"]): pair for pair in history["pairs"]
              if pair["condition"] == "warm"}  # fmt: skip
    assert len(counts) == 4
    for version in ("0.4.30", release):
        assert counts[version, version]["pass"] > 0
        assert counts[version, version]["fail"] == {}
    pages = {path.name for path in (tmp_path / "pages").iterdir()}
    assert pages == {"README.md", "matrix.md", "reach.md", "breaks.md", "history.json"}

    again = json.loads(vintage(*command).stdout)
    assert again["executions"] == history["executions"]

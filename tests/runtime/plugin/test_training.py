"""A user's own training: it runs on the engine, and two variables make an archive of it."""

import json

import pytest

from frameworks import replay, vintage

TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def trained(session, tmp_path_factory):
    """The weights trained on the engine and on JAX's CPU, and the archive of the first."""
    folder = tmp_path_factory.mktemp("training")
    done = session.run("training.py", folder / "engine.json",
                       VINTAGE_PLUGIN_RECORD=str(folder / "A"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = session.run("training.py", folder / "cpu.json", platform="cpu")
    assert done.returncode == 0, done.stderr
    return folder


def test_the_engine_learns_what_the_cpu_learns(trained):
    engine, cpu = (json.loads((trained / f"{name}.json").read_text()) for name in ("engine", "cpu"))
    assert len(cpu["losses"]) == 100
    assert cpu["losses"][-1] < 0.5 * cpu["losses"][0]
    assert engine.keys() == cpu.keys()
    for name, values in cpu.items():
        assert engine[name] == pytest.approx(values, abs=TOLERANCE, rel=TOLERANCE)


def test_what_was_recorded_replays(trained):
    archive = trained / "A"
    listed = vintage("list", "--archive", archive, "--format", "json")
    artifacts = json.loads(listed.stdout)
    steps = [each for each in artifacts if each["name"].startswith("jit_step-")]
    assert len(steps) == 1, listed.stdout
    assert steps[0]["producer"].startswith("jax ")
    done = vintage("builds", "add", "--archive", archive, "--embedded", "--name", "engine")
    assert done.returncode == 0, done.stderr
    for mode in ("graph", "eager"):
        report = replay(archive, "engine", mode)
        outcomes = {pair["outcome"] for pair in report["pairs"]}
        assert len(report["pairs"]) == len(artifacts)
        assert outcomes == {"pass"}

"""Models of packages that are installed beside a release."""

import json
import shutil
import subprocess
import sys

import pytest

from fake_wheels import promise, write_wheel
from vintage_jax.release import JAX
from vintage_python.environment.beside import put_beside, use_beside
from vintage_python.environment.lock import Package
from vintage_python.environment.record import read_environment
from vintage_python.failure import Failure

MADE_BY, LATER = "0.10.2", "0.11.0"


@pytest.fixture
def record(tmp_path, uv):
    """An environment that has `common`, and a folder of wheels with Keras."""
    wheels, place = tmp_path / "wheels", tmp_path / "root/environments/jax-99.0-py3"
    wheels.mkdir()
    (tmp_path / "root/partial").mkdir(parents=True)
    for version in ("1.0", "2.0"):
        write_wheel(wheels, "common", version, {"common.py": ""})
    write_wheel(wheels, "extra", "1.0", {"extra.py": ""})
    for version in ("3.1", "3.2"):
        write_wheel(wheels, "keras", version, {"keras.py": ""}, needs=("common", "extra"))
    write_wheel(wheels, "flax", "1.0", {"flax.py": ""}, needs=("common>1",))
    promise(wheels)
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, place], check=True)
    version = ".".join(map(str, sys.version_info[:3]))
    common = Package("common", "1.0", "common-1.0-py3-none-any.whl",
                     dict(reversed(line.split()) for line in (wheels / "SHA256SUMS").open())
                     ["common-1.0-py3-none-any.whl"])  # fmt: skip
    return {"path": str(place), "name": "jax 99.0", "released": "2026-01-01",
            "python": {"version": version}, "wheels": str(wheels),
            "packages": [vars(common)]}  # fmt: skip


def test_only_what_the_environment_lacks_lies_beside_it(record, tmp_path):
    assert put_beside(JAX, record, "keras", []) == "keras==3.2"
    place = tmp_path / "root/environments/jax-99.0-py3/beside/keras-3.2"
    assert {path.name for path in place.glob("*.py")} == {"keras.py", "extra.py"}
    found = use_beside(JAX, place.parents[1], "keras==3.2")
    assert found.released == "2026-03-04"
    shutil.rmtree(record["wheels"])  # It is there: no index is asked.
    assert put_beside(JAX, record, "keras==3.2", []) == "keras==3.2"


def test_one_that_needs_other_versions_than_the_release_is_refused(record, tmp_path):
    with pytest.raises(Failure, match=r"wheels of flax for Python .* are unavailable.*common"):
        put_beside(JAX, record, "flax", [])
    assert not (tmp_path / "root/environments/jax-99.0-py3/beside").exists()


@pytest.fixture(scope="module")
def releases(environment_of):
    return {release: environment_of(release) for release in (MADE_BY, LATER)}


@pytest.mark.parametrize(
    ("package", "models", "room"),
    [
        ("keras==3.15.1", {"dense", "dense_of_any_batch", "attention", "training_step"}, 1),
        ("flax==0.12.8", {"encoder"}, 1),
        # PyTorch as the package index has it, without the libraries of CUDA.
        ("torchax==0.0.13", {"convolutions", "convolutions_of_any_batch", "encoder"}, 4),
    ],
)
def test_models_run_on_the_engine_and_on_releases(
    releases, vintage, tmp_path, package, models, room
):
    name = package.replace("==", "-")
    if not (releases[MADE_BY] / "beside" / name).is_dir():
        free = shutil.disk_usage(releases[MADE_BY]).free / 1e9
        if free < room:
            pytest.skip(f"{free:.1f} GB are free, and {package} takes {room}")
    archive = tmp_path / "A"
    done = vintage("builds", "add", "--archive", archive, "--jax", *releases)
    assert done.returncode == 0, done.stderr
    command = ("produce", "--archive", archive, "--build", f"jax-{MADE_BY}", "--with", package,
               "--filter", *(f"name={name}:{model}" for model in models),
               "--format", "json")  # fmt: skip
    done = vintage(*command)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["new"], said["without_golden"]) == (len(models), 0), said
    kept = json.loads((releases[MADE_BY] / "beside" / name / "beside.json").read_text())
    day = max(kept["released"], read_environment(JAX, releases[MADE_BY])["released"])
    listed = json.loads(vintage("list", "--archive", archive, "--format", "json").stdout)
    assert {record["name"] for record in listed} == {f"{name}:{model}/cpu" for model in models}
    assert {(record["producer"], record["build_date"]) for record in listed} == {
        (f"jax {MADE_BY}", day)}  # fmt: skip
    compiled = [("--build", f"jax-{each}", "--mode", "compiled") for each in releases]
    for consumer in (*compiled, ()):  # The last one is the embedded engine.
        done = vintage("replay", "--archive", archive, "--format", "json", *consumer)
        pairs = json.loads(done.stdout)["pairs"]
        assert [pair["outcome"] for pair in pairs] == ["pass"] * len(models), (consumer, pairs)

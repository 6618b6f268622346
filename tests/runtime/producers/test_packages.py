"""Models of packages beside a release of JAX, run by it, by a later one and by the engine."""

import json
import shutil

import pytest

from vintage_jax.release import JAX
from vintage_python.environment.record import read_environment


@pytest.mark.parametrize(
    ("package", "models", "room"),
    [
        ("keras==3.15.1", {"dense", "dense_of_any_batch", "attention", "training_step"}, 1),
        ("flax==0.12.8", {"encoder"}, 1),
        # PyTorch as the package index has it, without the libraries of CUDA.
        ("torchax==0.0.13", {"convolutions", "convolutions_of_any_batch", "encoder"}, 4),
        ("torch-xla==2.9.0", {"dense", "convolutions", "encoder"}, 4),
    ],
)
def test_models_run_on_the_engine_and_on_releases(
    releases, vintage, tmp_path, package, models, room
):
    name = package.replace("==", "-")
    made_by = next(iter(releases))
    if not (releases[made_by] / "beside" / name).is_dir():
        free = shutil.disk_usage(releases[made_by]).free / 1e9
        if free < room:
            pytest.skip(f"{free:.1f} GB are free, and {package} takes {room}")
    archive = tmp_path / "A"
    done = vintage("builds", "add", "--archive", archive, "--jax", *releases)
    assert done.returncode == 0, done.stderr
    command = ("produce", "--archive", archive, "--build", f"jax-{made_by}", "--with", package,
               "--filter", *(f"name={name}:{model}" for model in models),
               "--format", "json")  # fmt: skip
    done = vintage(*command)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["new"], said["without_golden"]) == (len(models), 0), said
    kept = json.loads((releases[made_by] / "beside" / name / "beside.json").read_text())
    by, day = f"jax {made_by}", read_environment(JAX, releases[made_by])["released"]
    if package.startswith("torch-xla"):  # It exports without JAX.
        by, day = package.replace("==", " "), ""
    listed = json.loads(vintage("list", "--archive", archive, "--format", "json").stdout)
    assert {record["name"] for record in listed} == {f"{name}:{model}/cpu" for model in models}
    assert {(record["producer"], record["build_date"]) for record in listed} == {
        (by, max(day, kept["released"]))}  # fmt: skip
    compiled = [("--build", f"jax-{each}", "--mode", "compiled") for each in releases]
    for consumer in (*compiled, ()):  # The last one is the embedded engine.
        done = vintage("replay", "--archive", archive, "--format", "json", *consumer)
        pairs = json.loads(done.stdout)["pairs"]
        assert [pair["outcome"] for pair in pairs] == ["pass"] * len(models), (consumer, pairs)

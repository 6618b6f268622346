"""SavedModels: saved by the newest TensorFlow, replayed by it and by an older one."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from frameworks import REPOSITORY, archive_with, needs_disk, replay, vintage

NEW, OLD, JAX = "2.21.0", "2.18.1", "0.10.2"
MODELS = ["name=dense*", "name=loop", "name=table", "name=call_module"]
POLICY = REPOSITORY / "docs/examples/saved_models_policy.json"


def produce(archive, *options):
    done = vintage("produce", "--archive", archive, "--build", f"tensorflow-{NEW}",
                   "--format", "saved-model", "json", *options)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def saved(archive):
    done = vintage("list", "--archive", archive, "--producer", f"tensorflow {NEW}",
                   "--format", "json")  # fmt: skip
    return {record["name"]: record for record in json.loads(done.stdout)}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    needs_disk(f"tensorflow-{NEW}", 4)
    folder = tmp_path_factory.mktemp("saved_models")
    archive = archive_with(folder, "--tensorflow", NEW, ["tanh"])
    report = produce(archive, "--filter", *MODELS)
    assert report["exported"] == report["new"] == 5, report
    return archive


def test_models_are_archived_with_their_golden_and_a_second_call_adds_nothing(archive):
    models = saved(archive)
    assert set(models) == {f"tensorflow:{name}/cpu" for name in (
        "dense", "dense_of_any_batch", "loop", "table", "call_module")}  # fmt: skip
    for model in models.values():
        assert model["format"] == "saved model"
        assert model["build_date"] == "2026-03-06"
        assert model["golden"]
    assert models["tensorflow:dense_of_any_batch/cpu"]["variant"] == "poly"
    assert produce(archive, "--filter", *MODELS)["new"] == 0


def test_the_same_model_has_the_same_bytes_in_another_archive(archive, tmp_path):
    other = archive_with(tmp_path, "--tensorflow", NEW, ["tanh"])
    produce(other, "--filter", "name=loop")
    again = saved(other)["tensorflow:loop/cpu"]
    assert again["id"] == saved(archive)["tensorflow:loop/cpu"]["id"]


def test_its_own_release_runs_them_in_a_graph_and_compiled(archive):
    chosen = ("--producer", f"tensorflow {NEW}")
    report = replay(archive, f"tensorflow-{NEW}", "graph", *chosen)
    assert {pair["outcome"] for pair in report["pairs"]} == {"pass"}
    report = replay(archive, f"tensorflow-{NEW}", "compiled", *chosen)
    failed = {pair["name"]: pair for pair in report["pairs"] if pair["outcome"] != "pass"}
    assert list(failed) == ["tensorflow:table/cpu"]
    assert failed["tensorflow:table/cpu"]["class"] == "not implemented"
    assert "has no LookupTableFindV2" in failed["tensorflow:table/cpu"]["detail"].splitlines()[0]


def test_they_are_called_eagerly_and_are_no_format_of_the_engine(archive):
    chosen = ("--producer", f"tensorflow {NEW}")
    report = replay(archive, f"tensorflow-{NEW}", "eager", *chosen)
    assert {pair["outcome"] for pair in report["pairs"]} == {"pass"}
    done = vintage("replay", "--archive", archive, *chosen)
    assert "skipped 5: a saved model is not a format of the build" in done.stdout


def test_a_model_is_made_around_an_archived_exported(archive):
    produce(archive, "--wrap", "tanh_f32[8,8]/cpu")
    report = replay(archive, f"tensorflow-{NEW}", "graph", "--primitive", "XlaCallModule")
    names = [pair["name"] for pair in report["pairs"] if pair["outcome"] == "pass"]
    assert any(name.startswith("tensorflow:exported_") for name in names), report["pairs"]


def test_an_older_release_runs_them_and_the_window_says_so(archive):
    needs_disk(f"tensorflow-{OLD}", 4)
    done = vintage("builds", "add", "--archive", archive, "--tensorflow", OLD)
    assert done.returncode == 0, done.stderr
    done = vintage("window", "--archive", archive, "--policy", POLICY, "--name", "tensorflow:d*",
                   "--name", "tensorflow:l*", "--format", "json")  # fmt: skip
    window = json.loads(done.stdout)
    back = next(each for each in window["promises"] if each["rule"]["name"] == "a year back")
    assert (back["pairs"], back["pass"], back["failures"]) == (3, 3, 0), back
    assert done.returncode == 0, done.stdout


def test_what_fails_is_proposed_and_then_fails_as_declared(archive, tmp_path):
    chosen = ("--primitive", "tf.lookup", "--primitive", "tf.while_loop")
    replay(archive, f"tensorflow-{NEW}", "compiled", *chosen)
    file = tmp_path / "limitations.json"
    done = vintage("limitations", "--propose", "--archive", archive, "--build",
                   f"tensorflow-{NEW}", "-o", file)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "tf.lookup-not-implemented" in done.stdout
    done = vintage("limitations", "declare", file, "--archive", archive)
    assert done.returncode == 0, done.stderr
    report = replay(archive, f"tensorflow-{NEW}", "compiled", *chosen)
    declared = {pair["name"]: pair["limitation"] for pair in report["pairs"]}
    assert declared["tensorflow:table/cpu"].endswith("tf.lookup-not-implemented")
    assert not declared["tensorflow:loop/cpu"]
    assert report["verdict"] == "holds"


def test_jax2tf_of_a_release_of_jax_makes_models_for_all_modes(archive):
    needs_disk(f"jax-{JAX}", 1)
    done = vintage("builds", "add", "--archive", archive, "--jax", JAX)
    assert done.returncode == 0, done.stderr
    names = ["gradient_of_parameters", "any_batch", "platforms"]
    report = produce(archive, "--jax2tf", f"jax-{JAX}", "--filter",
                     *(f"name=jax2tf-{JAX}-{name}" for name in names))  # fmt: skip
    assert report["new"] == len(names), report
    for mode in ("eager", "graph", "compiled"):
        pairs = replay(archive, f"tensorflow-{NEW}", mode, "--name", "tensorflow:jax2tf*")["pairs"]
        assert [pair["outcome"] for pair in pairs] == ["pass"] * len(names), mode
    # Nobody could make them before both releases were there.
    assert saved(archive)[f"tensorflow:jax2tf-{JAX}-platforms/cpu"]["build_date"] == "2026-06-17"
    done = vintage("produce", "--archive", archive, "--build", f"tensorflow-{NEW}",
                   "--jax2tf", f"tensorflow-{NEW}")  # fmt: skip
    assert done.returncode == 2
    assert f"--jax2tf tensorflow-{NEW}: it is no release of JAX" in done.stderr


def test_keras_and_orbax_save_models_with_a_release_of_jax(archive):
    needs_disk(f"jax-{JAX}", 1)
    done = vintage("builds", "add", "--archive", archive, "--jax", JAX)
    assert done.returncode == 0, done.stderr
    chosen = {"keras": ["dense", "attention"], "orbax-export": ["cached_decoding", "diffusion"]}
    for package, names in chosen.items():
        report = produce(archive, "--jax2tf", f"jax-{JAX}", "--with", package, "--filter",
                         *(f"name={package}-*-jax-{JAX}-{name}" for name in names))  # fmt: skip
        assert report["new"] == len(names), report
        models = {name: each for name, each in saved(archive).items() if package in name}
        assert len(models) == len(names)
        # TensorFlow's environment has Keras; Orbax is older than the release of JAX.
        assert {each["build_date"] for each in models.values()} == {"2026-06-17"}
        for mode in ("eager", "graph", "compiled"):
            chosen_names = ("--name", f"tensorflow:{package}-*")
            pairs = replay(archive, f"tensorflow-{NEW}", mode, *chosen_names)["pairs"]
            assert [pair["outcome"] for pair in pairs] == ["pass"] * len(names), (mode, pairs)

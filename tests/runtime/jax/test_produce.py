"""The JAX producer."""

import json
import os
import re
from array import array

import pytest

from vintage_python.producing import Journal, summary


@pytest.fixture
def produce(run_program):
    def run(environment, folder, *arguments):
        return run_program("produce", "--environment", environment, "--out", folder, *arguments,
                           python=environment / "bin/python")  # fmt: skip

    return run


def test_harnesses_of_a_release_with_all_that_an_archive_needs(environment, produce, tmp_path):
    done = produce(environment, tmp_path, "--cases", "harnesses", "--filter", "primitive=acosh",
                   "--one-of-each", "--platform", "cpu", "tpu", "--format", "json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    metas = [json.loads(path.read_text()) for path in tmp_path.glob("*/meta.json")]
    folders = {line["name"]: line["folder"] for line in Journal(tmp_path).lines.values()
               if line["status"] == "exported"}  # fmt: skip
    assert said["exported"] == len(metas) > 4
    assert said["refused"] == 0
    release = environment.name.split("-")[1]
    for meta in metas:
        assert meta["producer"] == f"jax {release}"
        assert meta["primitive"] == "acosh"
        assert meta["harness"].startswith("acosh")
        assert meta["mode"] == "default"
        assert meta["variant"] == "static"
        assert meta["name"].endswith(f"/{meta['platform']}")
        folder = tmp_path / folders[meta["name"]]
        assert (folder / "exported.bin").stat().st_size > 100
        assert (folder / "input_0.npy").exists()
        assert (folder / "expected_0.npy").exists()
    assert {meta["platform"] for meta in metas} == {"cpu", "tpu"}


def test_what_is_done_is_not_done_again(newest, produce, tmp_path):
    chosen = ("--cases", "own", "--filter", "name=own:poly/s*")
    assert produce(newest, tmp_path, *chosen).returncode == 0
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/exported.bin")}
    assert len(before) > 2
    assert produce(newest, tmp_path, *chosen, "--jobs", "2").returncode == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/exported.bin")} == before


def test_a_sample_is_the_same_in_each_process(newest, run_program, tmp_path):
    """JAX makes its harnesses from sets, whose order is another one in each process. A history
    that went on chose other cases than it had begun with, and grew with each start."""
    samples = {
        run_program(
            "produce",
            "--environment",
            newest,
            "--out",
            tmp_path,
            "--one-of-each",
            "class",
            "--platform",
            "cpu",
            "--list",
            python=newest / "bin/python",
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(samples) == 1
    assert len(samples.pop().splitlines()) > 300


def test_sizes_and_models_are_for_the_cpu_with_inputs_that_seeds_give(
    environment, produce, run_program, tmp_path
):
    """Names end in the size, by which times are compared; a release exports no more than 400."""
    python = environment / "bin/python"
    listed = run_program("produce", "--environment", environment, "--out", tmp_path, "--cases",
                         "sized", "--list", python=python).stdout.split()  # fmt: skip
    assert 300 < len(listed) <= 400
    assert all(re.fullmatch(r"sized:\w+_(f32|f64|bf16|i32)_n\d+", name) for name in listed)
    done = produce(environment, tmp_path, "--cases", "sized", "models", "--filter",
                   "name=sized:row_sum_f32_n8193", "name=model:flow", "--format", "json",
                   "--platform", "cpu", "tpu")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["exported"] == 2
    metas = [(path.parent, json.loads(path.read_text())) for path in tmp_path.glob("*/meta.json")]
    for folder, meta in metas:
        assert meta["platforms"] == ["cpu"]
        assert all(array[2]["algorithm"] == "splitmix64" for array in meta["inputs"])
        assert not list(folder.glob("input_*.npy"))
        assert (folder / "expected_0.npy").exists()


def test_kernels_with_what_interpret_mode_computes(environment, produce, tmp_path):
    done = produce(environment, tmp_path, "--cases", "kernels", "--platform", "tpu", "cuda",
                   "--filter", "name=kernel:add_f32/mosaic", "name=kernel:add_f32/triton",
                   "--format", "json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    metas = {path.parent: json.loads(path.read_text()) for path in tmp_path.glob("*/meta.json")}
    assert {meta["name"] for meta in metas.values()} == {
        "kernel:add_f32/mosaic/tpu",
        "kernel:add_f32/triton/cuda",
    }
    for folder, meta in metas.items():
        assert meta["recorded_by"].endswith("on cpu")
        x, y, found = (
            floats(folder / f"{name}.npy") for name in ("input_0", "input_1", "expected_0")
        )
        # Sums of two f32 are exact in f64, and round once.
        assert found == array("f", [a + b for a, b in zip(x, y, strict=True)])


def floats(path):
    content = path.read_bytes()  # NumPy's format 1: magic, version, length of the header, header.
    return array("f", content[10 + int.from_bytes(content[8:10], "little") :])


def test_the_mode_is_named_and_kept_apart(newest, produce, tmp_path):
    done = produce(newest, tmp_path, "--cases", "own", "--filter", "name=own:poly/sin",
                   "--mode", "default", "ignore_forward_compatibility")  # fmt: skip
    assert done.returncode == 0, done.stderr
    metas = [json.loads(path.read_text()) for path in tmp_path.glob("*/meta.json")]
    assert {meta["mode"] for meta in metas} == {"default", "ignore_forward_compatibility"}
    assert len({meta["name"] for meta in metas}) == 2


def test_an_unlisted_target_is_exported_with_its_check_switched_off(newest, produce, tmp_path):
    done = produce(newest, tmp_path, "--cases", "own", "--filter",
                   "name=own:custom_call/unknown_target")  # fmt: skip
    assert done.returncode == 0, done.stderr
    (meta,) = [json.loads(path.read_text()) for path in tmp_path.glob("*/meta.json")]
    assert meta["disabled_checks"] == ["custom_call:vintage_unknown_target"]
    assert meta["recorded_by"] == ""


def test_a_harness_that_cannot_be_exported_is_reported_with_its_reason(oldest, produce, tmp_path):
    done = produce(oldest, tmp_path, "--cases", "own", "--filter", "name=own:key/split_rbg",
                   "--format", "json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["exported"] == 0
    (row,) = said["reasons"]
    assert row["count"] == 1
    assert row["reason"].startswith("export: KeyError")
    assert json.loads((tmp_path / "not_exported.json").read_text()) == said


def test_nothing_chosen_is_status_4(newest, produce, tmp_path):
    done = produce(newest, tmp_path, "--cases", "own", "--filter", "name=nothing")
    assert done.returncode == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--filter", "colour=red"], "--filter colour=red"),
        (["--shard", "3/2"], "--shard 3/2"),
        (["--jobs", "0"], "--jobs is at least 1"),
    ],
)
def test_a_wrong_call_is_status_2(newest, produce, tmp_path, arguments, words):
    done = produce(newest, tmp_path, "--cases", "own", *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_an_artifact_that_ended_its_process_is_not_tried_again(tmp_path):
    journal = Journal(tmp_path)
    line = {"name": "a/cpu", "primitive": "a", "variant": "static", "platforms": ["cpu"],
            "mode": "default"}  # fmt: skip
    journal.add(line, "started")
    with (tmp_path / "produced.jsonl").open("a") as stream:
        stream.write('{"name": "b/cpu", "sta')  # The machine went down.
    lines = Journal(tmp_path).lines
    assert lines["a/cpu"]["status"] == "refused"
    assert "b/cpu" not in lines
    assert summary(lines)["reasons"][0]["reason"] == "export: the process ended at it"


def test_an_older_calling_convention_can_be_asked_for(newest, produce, tmp_path):
    chosen = ("--cases", "harnesses", "--filter", "name=jax:add_dtypes_lhs_float32*")
    done = produce(newest, tmp_path, *chosen, "--calling-convention", "9")
    assert done.returncode == 0, done.stderr
    (place,) = tmp_path.glob("*/meta.json")
    meta = json.loads(place.read_text())
    assert meta["calling_convention_version"] == 9
    assert meta["name"].endswith("/cpu/v9")
    done = produce(newest, tmp_path, *chosen, "--calling-convention", "99")
    assert done.returncode == 2
    assert "--calling-convention 99: jax" in done.stderr
    assert "writes 9 to" in done.stderr

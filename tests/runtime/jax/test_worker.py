"""The JAX consumer, with artifacts that the same and another release exported."""

import json
import os
import struct
import subprocess
from pathlib import Path

import pytest

from worker_process import PROGRAM, Worker

HERE = Path(__file__).parent
# Own exports that a release cannot run.
LIMITATIONS = {
    "jax 0.4.30": {
        "own:narrow/int4/cpu": "s4 is currently only supported in convert instructions",
        "own:narrow/uint4/cpu": "u4 is currently only supported in convert instructions",
    }
}
# Lowering initializes the LAPACK of this release: a fresh process crashes.
CRASHES_FRESH = {"jax 0.4.30": (b"lapack_", b"blas_")}
VARIANTS = {"static", "poly", "effects", "sharded", "vjp"}


def crash_fresh(release, folder):
    """The artifacts with a target that crashes a fresh process of the release."""
    return {
        json.loads(meta.read_text())["name"]
        for meta in folder.glob("*/meta.json")
        if any(
            target in (meta.parent / "exported.bin").read_bytes()
            for target in CRASHES_FRESH.get(release, ())
        )
    }


def replay(environment, condition, folder):
    command = [environment / "bin/python", HERE / "replay_folder.py", PROGRAM, condition,
               environment, folder]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, *lines, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert last == {"status": 0}
    return first["hello"], lines


@pytest.mark.parametrize("condition", ["warm", "fresh"])
def test_every_variant_runs_where_it_was_exported(environment, own_artifacts, condition):
    folder = own_artifacts(environment)
    hello, lines = replay(environment, condition, folder)
    release = hello["name"].removesuffix(" fresh")
    expected = LIMITATIONS.get(release, {})
    crashed = {line["name"] for line in lines if line["outcome"] == "crash"}
    assert crashed == (crash_fresh(release, folder) if condition == "fresh" else set())
    lines = [line for line in lines if line["outcome"] != "crash"]
    failed = {
        line["name"]: line["detail"] + line.get("difference", "")
        for line in lines
        if line["outcome"] != "ran" or line["difference"]
    }
    # It has no inputs and no outputs that anybody knows.
    failed.pop("own:custom_call/unknown_target/cpu", None)
    assert failed.keys() == expected.keys(), failed
    for name, words in expected.items():
        assert words in failed[name]
    ran = {line["variant"] for line in lines if line["outcome"] == "ran"}
    assert ran == VARIANTS
    assert len(lines) > 80


def test_what_a_release_says_first(environment):
    with Worker(environment, "fresh") as worker:
        hello = worker.hello
        assert hello["protocol"] == 1
        assert hello["name"].endswith(" fresh")
        assert hello["modes"] == ["compiled"]
        assert hello["requests"] == ["execute", "describe"]
        worker.write({"type": "describe"})
        description, _ = worker.read()
        assert description["runtime"]["released"] == hello["build_date"]


def test_an_artifact_beyond_the_window_is_refused_as_expired(
    environment_of, oldest, own_artifacts, artifact_of
):
    # 0.10.2, the newest with Python 3.11, still reads what 0.4.30 wrote.
    artifact = artifact_of(own_artifacts(oldest), "own:vjp1/sin/cpu")
    with Worker(environment_of("0.12.0.1")) as worker:
        reply, _ = worker.execute(artifact)
    assert reply["outcome"] == "unsupported"
    assert reply["stage"] == "load"
    assert reply["detail"].startswith("expired: ")


def test_an_artifact_of_a_newer_form_is_an_error(newest, oldest, own_artifacts, artifact_of):
    artifact = artifact_of(own_artifacts(newest), "own:poly/sin/cpu")
    with Worker(oldest) as worker:
        reply, _ = worker.execute(artifact)
    assert reply["outcome"] == "error"
    assert reply["stage"] == "load"
    assert "unsupported version" in reply["detail"].splitlines()[0]


def test_what_a_release_reads_is_its_own_answer(environment_of, run_program, tmp_path):
    """The worker refused calling convention 8 on 0.4.26, which writes 9 only, as expired. That
    release runs it: the range is of what exports may write."""
    exporter = environment_of("0.4.25")
    done = run_program("produce", "--environment", exporter, "--out", tmp_path,
                       "--filter", "name=jax:add_dtypes*", "--one-of-each", "class",
                       "--cases", "harnesses", "--calling-convention", "8",
                       python=exporter / "bin/python")  # fmt: skip
    assert done.returncode == 0, done.stderr
    _, lines = replay(environment_of("0.4.26"), "warm", tmp_path)
    assert [line["outcome"] for line in lines] == ["ran"] * 3
    assert not any(line["difference"] for line in lines)


# Exports a function whose argument, output and derivative have a type of the exporter's own.
EXPORT_OWN_TYPE = """
import collections, sys
import jax, numpy as np
from jax import export
State = collections.namedtuple("State", ["first", "second"])
export.register_namedtuple_serialization(State, serialized_name="my.State")
def step(state, by):
    return {"next": State(state.first + by, state.second * by)}
x = np.ones(3, np.float32)
exported = export.export(jax.jit(step))(State(x, x), by=x)
sys.stdout.buffer.write(exported.serialize(vjp_order=1))
"""


def test_a_tree_with_a_type_that_is_not_registered_is_left_out(newest):
    """The worker refused it: "Cannot deserialize a PyTreeDef containing an unregistered type"."""
    artifact = subprocess.run(
        [newest / "bin/python", "-c", EXPORT_OWN_TYPE], stdout=subprocess.PIPE, check=True
    ).stdout
    vector = {"dtype": "f32", "shape": [3]}

    def inputs(*values):
        return [(vector, struct.pack("<3f", *[value] * 3)) for value in values]

    with Worker(newest, "fresh") as worker:
        reply, payload = worker.execute(artifact, inputs(5, 2, 3))
        derived, cotangents = worker.execute(artifact, inputs(5, 2, 3, 1, 10))
    assert reply["outcome"] == "ran", reply["detail"]
    assert reply["detail"].startswith("loaded without its tree: ")
    assert "my.State" in reply["detail"]
    assert struct.unpack("<6f", payload) == (8, 8, 8, 6, 6, 6)
    assert derived["outcome"] == "ran", derived["detail"]
    # Of first, second and by.
    assert struct.unpack("<15f", cotangents)[6::3] == (1, 30, 21)


F32 = {"dtype": "f32", "shape": [3, 4]}


@pytest.mark.parametrize(
    ("fields", "inputs", "outcome", "words"),
    [
        ({}, [], "error", "0 inputs came, and the artifact takes 1"),
        ({}, [(F32, b"1234")], "error", "came with 4 bytes and takes 48"),
        ({}, [({"dtype": "f99", "shape": []}, b"")], "unsupported", "element type f99"),
        ({"platform": "tpu"}, [], "unsupported", "the artifact is for cpu, not for tpu"),
        ({"format": "saved model"}, [], "unsupported", "a saved model is not executed by JAX"),
        ({}, [({"dtype": "f32", "shape": [12]}, bytes(48))], "error", "Rank mismatch"),
    ],
)
def test_a_bad_request_costs_its_own_outcome_only(
    newest, own_artifacts, artifact_of, fields, inputs, outcome, words
):
    artifact = artifact_of(own_artifacts(newest), "own:poly/sin/cpu")
    with Worker(newest, "fresh") as worker:
        reply, _ = worker.execute(artifact, inputs, **fields)
        assert (reply["outcome"], words in reply["detail"]) == (outcome, True), reply["detail"]
        assert len(reply["detail"].splitlines()[0]) < 400
        again, payload = worker.execute(artifact, [(F32, bytes(48))])
        assert again["outcome"] == "ran"
        assert payload == bytes(48)


@pytest.mark.parametrize("artifact", [b"", b"\x00" * 64, b"ML\xefR" + b"x" * 50])
def test_bytes_that_are_no_artifact(newest, artifact):
    with Worker(newest, "fresh") as worker:
        reply, _ = worker.execute(artifact)
        assert reply["outcome"] == "error"
        assert reply["detail"]


def test_a_library_that_prints_does_not_disturb_the_protocol(
    newest, own_artifacts, artifact_of, tmp_path
):
    """A plug-in of JAX writes to standard output, by Python and by its descriptor."""
    plugin = tmp_path / "jax_plugins" / "noisy"
    plugin.mkdir(parents=True)
    (plugin / "__init__.py").write_text(
        "import os\n"
        "def initialize():\n"
        "    print('noise from Python', flush=True)\n"
        "    os.write(1, b'noise from C')\n"
    )
    artifact = artifact_of(own_artifacts(newest), "own:poly/sin/cpu")
    settings = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with Worker(newest, "warm", env=settings) as worker:
        reply, payload = worker.execute(artifact, [(F32, struct.pack("<12f", *[0.0] * 12))])
        assert reply["outcome"] == "ran"
        assert len(payload) == 48
        worker.process.stdin.close()
        noise = worker.process.stderr.read()
    assert b"noise from Python" in noise
    assert b"noise from C" in noise


def test_a_parent_that_speaks_another_language_is_named(newest):
    with Worker(newest, "fresh") as worker:
        worker.write({"type": "dance"})
        worker.process.stdin.close()
        said = worker.process.stderr.read().decode()
        assert worker.process.wait() == 3
    assert "a request of the type 'dance' is not known" in said

"""Bare portable artifacts: the modules of what was exported."""

import struct
import subprocess

import pytest

from worker_process import PROGRAM, Worker

UNWRAP = """
import sys
sys.path.insert(0, sys.argv[1])
from vintage_jax.release import deserialize, load_jax
from vintage_jax.worker import load_effects
load_jax()
load_effects()
sys.stdout.buffer.write(deserialize(sys.stdin.buffer.read()).mlir_module_serialized)
"""
VECTOR = ({"dtype": "f32", "shape": [3]}, struct.pack("<3f", 1, 2, -3))


@pytest.fixture
def module_of(environment, own_artifacts, artifact_of):
    def unwrap(name):
        artifact = artifact_of(own_artifacts(environment), name)
        command = [environment / "bin/python", "-c", UNWRAP, PROGRAM.parent]
        return subprocess.run(command, input=artifact, capture_output=True, check=True).stdout

    return unwrap


def run(environment, module, *inputs):
    with Worker(environment) as worker:
        return worker.execute(module, inputs, format="portable artifact")


def test_a_module_runs_as_it_is(environment, module_of):
    reply, payload = run(environment, module_of("own:vjp1/tanh_f64/cpu"),
                         ({"dtype": "f64", "shape": [5]}, bytes(40)))  # fmt: skip
    assert (reply["outcome"], reply["detail"]) == ("ran", "")
    assert reply["outputs"] == [{"dtype": "f64", "shape": [5]}]
    assert payload == bytes(40)


def test_a_module_with_a_token(environment, module_of):
    reply, payload = run(environment, module_of("own:effects/ordered/cpu"), VECTOR)
    assert (reply["outcome"], reply["detail"]) == ("ran", "")
    assert struct.unpack("<3f", payload) == (2, 4, -6)


def test_a_module_with_dimension_variables_is_not_supported(environment, module_of):
    reply, _ = run(environment, module_of("own:poly/sin/cpu"), VECTOR)
    assert reply["outcome"] == "unsupported"
    assert "dynamic dimensions" in reply["detail"]


def test_too_many_inputs(environment, module_of):
    reply, _ = run(environment, module_of("own:effects/ordered/cpu"), VECTOR, VECTOR)
    assert reply["outcome"] == "error"
    assert reply["detail"].startswith("ValueError: 2 inputs came, and main takes 1")

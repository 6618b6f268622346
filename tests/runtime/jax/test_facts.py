"""Targets that real releases register, list and emit, and the gate's judgement of them."""

import json
import subprocess
import sys

import pytest

from vintage_jax.describe.targets import _of_plugin, plugin_packages
from vintage_python.failure import Failure


@pytest.fixture(scope="module")
def facts(newest, oldest, run_program, tmp_path_factory):
    """A folder with the facts of 0.4.30 and of the newest release."""
    folder = tmp_path_factory.mktemp("facts")
    for environment in (oldest, newest):
        done = run_program(
            "describe", "--environment", environment, "--emitted",
            python=environment / "bin/python")  # fmt: skip
        assert done.returncode == 0, done.stderr
        (folder / f"{environment.name}.json").write_text(done.stdout)
    return folder


def read(facts, environment):
    return json.loads((facts / f"{environment.name}.json").read_text())


def emitted(description, platform, mode):
    return {
        call["name"]: call
        for call in description["emitted"]
        if (call["platform"], call["mode"]) == (platform, mode)
    }


def test_0_4_30_registers_more_than_it_exports(facts, oldest):
    described = read(facts, oldest)
    assert "cpu" in described["registries"]
    registered = {target["name"] for target in described["targets"]}
    # As XLA's registry of 0.4.30 holds them; only potrf had a typed form then.
    assert {"lapack_sgetrf", "blas_strsm", "lapack_spotrf_ffi"} <= registered
    assert "lapack_sgetrf_ffi" not in registered
    assert not {"sin", "malloc", "__xla_cpu_runtime_TopKF32"} & registered
    exported = emitted(described, "cpu", "default")
    assert "lapack_spotrf" in exported
    assert "lapack_spotrf_ffi" not in exported
    assert exported["lapack_sgetrf"]["primitives"] == ["custom_linear_solve", "lu"]
    # It has no other mode.
    assert {call["mode"] for call in described["emitted"]} == {"jit", "default"}


# Releases that write StableHLO 1.18 and newer seemed to call nothing in default exports: VHLO's
# custom call has a second version there.
def test_typed_calls_have_their_attributes_and_api(facts, newest):
    calls = emitted(read(facts, newest), "cpu", "default")
    assert calls["lapack_spotrf_ffi"]["attributes"] == ["uplo"]
    assert calls["lapack_spotrf_ffi"]["api_version"] == 4
    assert calls["vintage_unknown_target"]["unlisted"]


# No plugin for ROCm was published with 0.4.30: what its lowerings would call is not known, and the
# gate once took such a silence for "none".
def test_what_a_missing_plugin_would_say_is_refused_not_empty(facts, oldest):
    described = read(facts, oldest)
    (asked,) = [
        part for part in described["lowered"]
        if (part["platform"], part["mode"]) == ("rocm", "jit")
    ]  # fmt: skip
    assert any(refusal["primitive"] == "lu" for refusal in asked["refused"])
    assert "rocm" not in described["registries"]


def apis(described, platform):
    return {
        target["name"]: target["api_versions"]
        for target in described["targets"]
        if target["platform"] == platform
    }


# Plugins without an __init__.py were not found, and without NVIDIA's libraries lowerings of
# before 0.5 for CUDA were refused, or ended the process.
def test_a_plugin_for_cuda_answers_without_a_gpu(facts, oldest):
    described = read(facts, oldest)
    registered = apis(described, "cuda")
    # As jaxlib 0.4.30 hands them to XLA: the pivots had their typed form under the old name.
    assert registered["cusolver_getrf"] == [1, 2, 3]
    assert registered["cu_lu_pivots_to_permutation"] == [4]
    assert "cusolver_getrf_ffi" not in registered
    exported = emitted(described, "cuda", "default")
    assert "lu" in exported["cublas_getrf_batched"]["primitives"]
    assert "qr" in exported["cusolver_geqrf"]["primitives"]


def test_the_newest_plugin_for_cuda_answers(facts, newest):
    assert apis(read(facts, newest), "cuda")["cusolver_getrf_ffi"] == [4]


def test_the_gate_and_the_table_read_them(facts, vintage):
    done = vintage("gate", "--facts", facts, "--format", "json")
    judged = json.loads(done.stdout)
    assert done.returncode in (0, 1, 5), done.stderr
    (step,) = judged["steps"]
    assert step["before"] == "jax 0.4.30"
    # Years lie between the two: nothing of 0.4.30 is promised any more.
    rules = {finding["rule"] for finding in step["findings"]}
    assert not rules & {"emitted-target-removed", "target-signature-changed"}
    table = vintage("tables", "--targets", "--facts", facts, "--format", "json")
    assert table.returncode == 0, table.stderr
    lives = {(one["name"], one["platform"]): one for one in json.loads(table.stdout)["targets"]}
    potrf = lives["lapack_spotrf", "cpu"]
    assert potrf["registered"]["ended"]
    assert potrf["emitted"]["last"]["release"] == "jax 0.4.30"
    assert lives["Sharding", "cpu"]["of_compiler"]


# The same asked again, past what describe does.
ASK_AGAIN = """
import json, re, sys
import jax, numpy as np
from jax import export
from jax._src.lib import xla_client
jax.config.update("jax_enable_x64", True)
jax.devices("cpu")
linalg = jax.numpy.linalg
called = set()
functions = linalg.cholesky, linalg.eigvalsh, linalg.eigvals, linalg.qr, linalg.svd, linalg.inv
for function in functions:
    for dtype in ("float32", "float64", "complex64", "complex128"):
        module = export.export(jax.jit(function), platforms=["cpu"])(np.eye(4, dtype=dtype))
        called |= set(re.findall(r"custom_call @([\\w.$]+)", module.mlir_module()))
json.dump([sorted(xla_client.custom_call_targets("Host")), sorted(called)], sys.stdout)
"""


@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_the_table_agrees_with_what_releases_say_when_asked_again(facts, vintage, which, request):
    environment = request.getfixturevalue(which)
    done = subprocess.run([environment / "bin/python", "-c", ASK_AGAIN],
                          capture_output=True, text=True, check=True)  # fmt: skip
    registered, called = json.loads(done.stdout)
    release = read(facts, environment)["name"]
    table = vintage("tables", "--targets", "--facts", facts, "--format", "json")
    lives = [one for one in json.loads(table.stdout)["targets"] if one["platform"] == "cpu"]

    def holding(kind):
        """The names that this release has by the table; it is the first or the last of two."""
        ends = {"oldest": "first", "newest": "last"}
        return {
            one["name"]
            for one in lives
            if one[kind] and one[kind][ends[which]]["release"] == release
        }

    libraries = ("lapack_", "blas_")
    assert {name for name in holding("registered") if name.startswith(libraries)} == {
        name for name in registered if name.startswith(libraries)
    }
    assert {name for name in called if name.startswith(libraries)} >= {
        f"lapack_{kind}potrf{'_ffi' if which == 'newest' else ''}" for kind in "sdcz"
    }
    assert set(called) <= holding("emitted")


def test_a_build_keeps_its_facts(oldest, vintage, tmp_path):
    archive = tmp_path / "A"
    added = vintage("builds", "add", "--archive", archive, "--jax", "0.4.30")
    assert added.returncode == 0, added.stderr
    asked = vintage("builds", "describe", "jax-0.4.30", "--archive", archive, "--emitted")
    assert asked.returncode == 0, asked.stderr
    kept = vintage("builds", "describe", "jax-0.4.30", "--archive", archive, "--format", "json")
    described = json.loads(kept.stdout)
    assert "lapack_spotrf" in emitted(described, "cpu", "default")
    assert "registered for" in asked.stdout


@pytest.fixture
def plugin_library(tmp_path, monkeypatch):
    """Writes a library of a plugin that can be imported."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(source):
        # Like most of JAX's it has no __init__.py.
        (tmp_path / "jax_cuda12_plugin").mkdir(exist_ok=True)
        (tmp_path / "jax_cuda12_plugin/_solver.py").write_text(source)

    yield write
    for name in [name for name in sys.modules if name.startswith("jax_cuda12_plugin")]:
        del sys.modules[name]


def test_a_plugin_for_an_accelerator_is_asked(plugin_library):
    plugin_library(
        "def registrations(): return {'cusolver_getrf': None, 'cusolver_getrf_ffi': None}\n"
    )
    assert ("cuda", "jax_cuda12_plugin") in plugin_packages()
    assert set(_of_plugin("jax_cuda12_plugin")) == {
        ("cusolver_getrf", 0), ("cusolver_getrf_ffi", 4)
    }  # fmt: skip


# A library of ROCm's plugin that did not load was passed over, and the gate took the rest for all
# that is registered: it reported ten targets that 0.6.0 has.
def test_a_plugin_with_a_library_that_does_not_load_says_nothing(plugin_library):
    plugin_library("raise ImportError('libhipsolver_fortran.so: cannot open shared object file')\n")
    with pytest.raises(Failure, match="libhipsolver_fortran"):
        list(_of_plugin("jax_cuda12_plugin"))

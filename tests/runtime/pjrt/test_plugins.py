"""A real plugin executes what the catalogue exports, registered and replayed by `vintage`."""

import pytest
from frameworks import ROOT, archive_with, replay, vintage

from conftest import PACKAGE

BUILD = "xla-cpu-pjrt-0.0.1"


@pytest.fixture(scope="module")
def archive(plugin, tmp_path_factory):
    archive = tmp_path_factory.mktemp("pjrt") / "A"
    primitives = ["add", "sort", "dot_general", "while", "cholesky"]
    done = vintage("nightly", "--archive", archive, "--platform", "cpu", "--primitive", *primitives)
    assert done.returncode == 0, done.stdout + done.stderr
    done = vintage("builds", "add", "--archive", archive, "--plugin", f"pypi:{PACKAGE}",
                   "--root", ROOT)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return archive


def test_it_counts_from_its_upload_and_says_what_it_reads(archive):
    done = vintage("builds", "list", "--archive", archive)
    line = next(line for line in done.stdout.splitlines() if BUILD in line)
    assert line.startswith("2025-11-21")
    assert "StableHLO up to 1.13.3" in line


@pytest.mark.parametrize("variant", ["static", "poly", "multi_platform", "sharded"])
def test_it_gives_the_goldens_values(archive, variant):
    report = replay(archive, BUILD, "compiled", "--primitive", "add", "--variant", variant)
    outcomes = [pair["outcome"] for pair in report["pairs"]]
    assert outcomes
    assert set(outcomes) == {"pass"}, [
        pair for pair in report["pairs"] if pair["outcome"] != "pass"
    ]


def classes(archive, build):
    report = replay(archive, build, "compiled", "--primitive", "cholesky", "--dtype", "f32",
                    "--variant", "static")  # fmt: skip
    assert report["pairs"]
    return set(report["counts"]["classes"])


def test_an_older_plugin_does_not_know_newer_operations(archive):
    """Custom calls take a second form of their operation, which StableHLO 1.13 lacks."""
    assert classes(archive, BUILD) == {"operation or attribute unknown"}


def test_written_at_its_version_what_remains_is_the_missing_target(archive):
    """LAPACK's kernels are jaxlib's, not the plugin's."""
    done = vintage("builds", "add", "--archive", archive, "--plugin", f"pypi:{PACKAGE}",
                   "--reserialize", "--root", ROOT)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert classes(archive, f"{BUILD}-reserialized") == {"target not registered"}


TRANSPOSED = """
func.func public @main(%a: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"})
    -> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}) {
  %0 = stablehlo.cosine %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""


def test_arrays_are_row_major_whatever_an_artifact_asks_for(archive, tmp_path):
    """The values of a model that JAX exported with layouts were called wrong."""
    text, artifact = tmp_path / "transposed.mlir", tmp_path / "transposed.mlirbc"
    text.write_text(TRANSPOSED)
    done = vintage("convert", text, "--target", "1.0.0", "-o", artifact)
    assert done.returncode == 0, done.stderr
    done = vintage("put", artifact, "--archive", archive, "--producer", "jax 0.8.0",
                   "--build-date", "2025-10-15")  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = replay(archive, BUILD, "compiled", "--name", "transposed*")
    assert [pair["outcome"] for pair in report["pairs"]] == ["pass"]


KERNELS = "with the engine's LAPACK kernels: "


def test_with_the_engines_kernels_it_runs_what_calls_lapack(archive):
    done = vintage("builds", "add", "--archive", archive, "--plugin", f"pypi:{PACKAGE}",
                   "--reserialize", "--ffi", "--root", ROOT)  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = replay(archive, f"{BUILD}-reserialized-ffi", "compiled", "--primitive", "cholesky",
                    "--variant", "static")  # fmt: skip
    assert {pair["outcome"] for pair in report["pairs"]} == {"pass"}
    called = {pair["detail"].removeprefix(KERNELS) for pair in report["pairs"]}
    assert called == {f"lapack_{letter}potrf_ffi" for letter in "sdcz"}


def test_with_the_engines_kernels_it_runs_what_jax_exports(plugin, tmp_path):
    """JAX 0.8.1 calls the kernels of jaxlib, which a plugin without JAX has not."""
    archive = archive_with(tmp_path, "--jax", "0.8.1", ["add"])
    done = vintage("produce", "--archive", archive, "--build", "jax-0.8.1", "--platform", "cpu",
                   "--filter", "name=own:vjp*/cholesky*", "name=jax:qr*",
                   "--one-of-each", "dtype")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = {}
    for build, option in ((BUILD, []), (f"{BUILD}-ffi", ["--ffi"])):
        done = vintage("builds", "add", "--archive", archive, "--plugin", f"pypi:{PACKAGE}",
                       "--root", ROOT, *option)  # fmt: skip
        assert done.returncode == 0, done.stderr
        outcomes[build] = {
            pair["name"]: (pair["outcome"], pair["detail"])
            for pair in replay(archive, build, "compiled")["pairs"]
            if pair["producer"] == "jax 0.8.1"
        }
    assert len(outcomes[BUILD]) > 4
    for name, (outcome, detail) in outcomes[BUILD].items():
        assert (outcome, detail.split(" lapack_")[0]) == (
            "error", "NOT_FOUND: No FFI handler registered for"
        ), name  # fmt: skip
    for name, (outcome, detail) in outcomes[f"{BUILD}-ffi"].items():
        assert outcome == "pass", name
        assert detail.startswith(KERNELS), name
    factored = outcomes[f"{BUILD}-ffi"]["own:vjp1/cholesky/cpu"]
    assert "lapack_spotrf_ffi" in factored[1]

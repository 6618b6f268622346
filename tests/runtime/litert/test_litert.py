"""LiteRT converts and runs what the catalogue exports, registered and replayed by `vintage`."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from frameworks import archive_with, needs_disk, replay, vintage

RELEASE = "0.5.0"
BUILD = f"litert-{RELEASE}"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    needs_disk(BUILD, 1)
    folder = tmp_path_factory.mktemp("litert")
    primitives = ["add", "cholesky", "dot_general", "reduce_max", "sort"]
    return archive_with(folder, "--litert", RELEASE, primitives)


def outcomes(archive, *options):
    report = replay(archive, BUILD, "compiled", *options)
    assert report["pairs"]
    return report["pairs"], set(report["counts"]["classes"])


def test_it_counts_from_its_release_and_says_which_stablehlo_it_reads(archive):
    done = vintage("builds", "show", BUILD, "--archive", archive, "--format", "json")
    assert done.returncode == 0, done.stderr
    build = json.loads(done.stdout)
    assert (build["build_date"], build["stablehlo_version"]) == ("2026-10-12", "1.20.0")


@pytest.mark.parametrize(
    "name",
    [
        "add_f32[[]10,9[]],f32[[]10,9[]]/cpu", "add_u32[[]1,5[]],u32[[]4,5[]]/cpu",
        "add_f32*_vjp/cpu", "add_f32*_poly/cpu", "add_f32*_multi_platform/*",
        # Infinite, where an option of the converter would make it finite.
        "reduce_max_f32[[]0,3[]]*",
    ],
)  # fmt: skip
def test_it_runs(archive, name):
    pairs, _ = outcomes(archive, "--name", name)
    assert {pair["outcome"] for pair in pairs} == {"pass"}, pairs


@pytest.mark.parametrize(
    ("name", "failure", "words"),
    [
        ("add_f64[[]10,9[]],f64[[]10,9[]]/cpu", "not implemented", "tensor<10x9xf64>"),
        ("add_i4[[]10,9[]],i4[[]10,9[]]/cpu", "not implemented", "takes no array of i4"),
        ("add_f32*_effects/cpu", "not implemented", "main takes a token"),
        # The model has the operation, and the interpreter lacks it.
        ("sort_f32*_keys=1_stable/cpu", "not implemented", "STABLEHLO_SORT"),
        # JAX writes a sharding rule beside each call of LAPACK, and LiteRT has no Shardy.
        ("cholesky_f32[[]8,8[]]/cpu", "operation or attribute unknown", "dialect 'sdy'"),
        # The converter takes contracted dimensions in their order, not in the program's.
        ("dot_general_f32[[]2,3,4[]],f32[[]4,3,5[]]_contract=1-2x1-0/cpu", "wrong value", ""),
    ],
)
def test_a_failure_has_its_class_and_its_reason(archive, name, failure, words):
    pairs, classes = outcomes(archive, "--name", name)
    assert classes == {failure}
    assert all(words in pair["detail"] for pair in pairs)

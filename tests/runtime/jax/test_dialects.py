"""The newest release of JAX knows no operation, type or attribute that is not known here, and takes
back what is written here of each."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from jax_releases import REPOSITORY

from vintage_jax.release import JAX
from vintage_python.environment.record import read_environment

HELPER = Path(__file__).with_name("portable_artifacts.py")
NEWEST_OF_TABLES = "1.22.0"
SHARED = Path(os.environ.get("VINTAGE_SHARED", REPOSITORY.parent / "shared"))
LATE = Path(__file__).with_name("late_features.mlir")
# The interpreter's own operations in them hold types of StableHLO in an encoding without promise.
NOT_PORTABLE = {"infeed", "outfeed"}
# Of LATE, what an older target cannot hold.
NEEDS = {"late_features.0": "1.22.0", "late_features.1": "1.21.0"}


@pytest.fixture(scope="module")
def helper(newest):
    def run(*arguments, lines=()):
        done = subprocess.run([newest / "bin/python", HELPER, *arguments], text=True, check=False,
                              input="".join(f"{line}\n" for line in lines),
                              capture_output=True)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def test_the_newest_release_knows_nothing_that_is_not_known_here(newest, vintage, tmp_path):
    build = f"jax-{read_environment(JAX, newest)['release']}"
    added = vintage("builds", "add", "--archive", tmp_path / "A", "--jax", "latest")
    assert added.returncode == 0, added.stderr
    command = ("builds", "describe", build, "--archive", tmp_path / "A", "--dialects")
    asked = vintage(*command, "--format", "json")
    answer = json.loads(asked.stdout)
    assert answer["unknown"] == []
    assert asked.returncode == 0
    assert answer["dialects"] == ["stablehlo", "chlo", "sdy", "vhlo"]
    assert all(one["name"].startswith("sdy.") for one in answer["not_exported"])
    text = vintage(*command)
    assert "nothing is new" in text.stdout


def smallest_programs():
    """For each operation the smallest program of the corpus that has it."""
    smallest = {}
    for text in (SHARED / "corpus/stablehlo-testdata/static").glob("*.mlir"):
        if (size := text.stat().st_size) < 200_000:
            for name in re.findall(r"\bstablehlo\.\w+", text.read_text()):
                smallest[name] = min((size, text), smallest.get(name, (size, text)))
    return sorted({text for _, text in smallest.values()})


@pytest.fixture(scope="module")
def written(helper, tmp_path_factory):
    """Artifacts that the newest release writes at its newest version, and their operations."""
    folder = tmp_path_factory.mktemp("written")
    corpus = sorted((SHARED / "corpus/stablehlo-interpret").glob("**/*.mlir"))
    texts = [LATE, *(text for text in corpus if text.stem not in NOT_PORTABLE)]
    texts += smallest_programs()
    lines = helper("write", NEWEST_OF_TABLES, folder, *texts)
    return {Path(line["file"]): line["operations"] for line in lines}


def convert(vintage, file, target):
    out = file.with_suffix(f".{target}")
    done = vintage("convert", file, "--target", target, "-o", out)
    return done, out


def test_what_it_writes_runs_here_and_it_takes_it_back(written, helper, vintage, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    pairs = []
    for file in written:
        shown = vintage("show", file)
        assert shown.returncode == 0, f"{file}: {shown.stderr}"
        assert re.search(rf"stablehlo_version +{re.escape(NEWEST_OF_TABLES)}$", shown.stdout, re.M)
        (programs / f"{file.stem}.mlir").write_text(shown.stdout)
        for target in (NEWEST_OF_TABLES, "1.20.0"):
            done, out = convert(vintage, file, target)
            need = NEEDS.get(file.stem)
            if need and target == "1.20.0":
                assert done.returncode != 0
                assert f"needs StableHLO {need}; the target is 1.20.0" in done.stderr
                continue
            assert done.returncode == 0, f"{file}: {done.stderr}"
            pairs.append((file, out))
    same = helper("same", lines=[f"{one} {other}" for one, other in pairs])
    assert [pair for pair, is_same in zip(pairs, same, strict=True) if not is_same] == []
    conform = vintage("conform", programs)
    assert conform.returncode == 0, conform.stdout + conform.stderr


# The release refused mixed convolutions below 1.20.0 and algorithms in f8E4M3FN below 1.21.0, which
# have no name of their own, and Vintage wrote them for any version.
def test_it_needs_the_same_versions_as_here(written, helper, vintage):
    here = []
    for file in written:
        minimum = vintage("show", file, "--minimum-version", "--format", "json")
        here.append(json.loads(minimum.stdout)["minimum_version"]["version"])
    there = helper("needs", lines=written)

    # Operations of other dialects, as those of the checks, need 1.10.9, which the release does not
    # ask for.
    def numbers(version):
        return max((1, 10, 9), tuple(map(int, version.split("."))))

    differ = [
        (file.name, ours, theirs)
        for file, ours, theirs in zip(written, here, there, strict=True)
        if numbers(ours)[:2] != numbers(theirs)[:2]
    ]
    assert differ == []


def test_every_operation_is_written_by_it_and_read_here(written, helper, vintage, tmp_path):
    texts = (SHARED / "corpus/vhlo-versions").glob("stablehlo_legalize_to_vhlo.1_*.mlir")
    texts = sorted(texts, key=lambda text: int(text.name.split("_")[-2]))
    if not texts:
        pytest.skip(f"{SHARED}/corpus/vhlo-versions is absent")
    (line,) = helper("write", NEWEST_OF_TABLES, tmp_path, texts[-1])
    seen = set(line["operations"]).union(*written.values())
    quantized = {"stablehlo.uniform_dequantize", "stablehlo.uniform_quantize"}
    assert set(*helper("operations")) - seen == quantized
    file = Path(line["file"])
    for target in (NEWEST_OF_TABLES, "1.20.0"):
        done, out = convert(vintage, file, target)
        assert done.returncode == 0, done.stderr
        assert helper("same", lines=[f"{file} {out}"]) == [True]

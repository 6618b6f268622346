"""Judges that nobody here wrote: pypjrt's conformance check, and JAX's own primitive harnesses."""

import json
import os
import subprocess
import sys

import pytest

from conftest import LIBRARY, REPOSITORY

SAMPLE = 50
LEAST_PASS = 0.97


@pytest.fixture(scope="module")
def pypjrt(tmp_path_factory, newest):
    folder = tmp_path_factory.mktemp("pypjrt")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
         "--ignore-requires-python", "--target", str(folder), "pypjrt==0.1.1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        pytest.skip(f"pypjrt cannot be installed: {done.stderr.strip()[-300:]}")
    return folder


def test_pypjrt_finds_no_failure(pypjrt, newest, tmp_path):
    report = tmp_path / "report.json"
    done = subprocess.run(
        [str(newest.python), "-m", "pypjrt.conform", str(LIBRARY), "--json", str(report)],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(pypjrt)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    results = [check["result"] for check in json.loads(report.read_text())["checks"]]
    assert results.count("pass") >= 50
    assert "fail" not in results


def test_a_sample_of_jaxs_harnesses_passes(newest, tmp_path):
    """All of them: docs/measured/jax_on_engine.md."""
    output = tmp_path / "outcomes.jsonl"
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "bench/jax_on_engine/compare.py"), "--python",
         str(newest.python), "--library", str(LIBRARY), "--mode", "warm", "--mode", "eager",
         "--sample", str(SAMPLE), "-o", str(output)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(line) for line in output.read_text().splitlines()]
    counted = [each for each in outcomes if each["verdict"] not in ("not for the cpu", "cpu fails")]
    passed = [each for each in counted if each["verdict"] in ("same", "same by meaning")]
    assert len(counted) > 250
    assert len(passed) >= LEAST_PASS * len(counted), [
        each for each in counted if each not in passed
    ]

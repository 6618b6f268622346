"""The files for other schedulers: what they run is run, with the variables that they set."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from conftest import BINARIES

EXAMPLES = Path(__file__).resolve().parents[4] / "docs/examples"
PARTS = 8


@pytest.fixture
def sh(archive, tmp_path):
    def run(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        path = f"{BINARIES}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(["/bin/sh", "-ec", script], cwd=tmp_path, text=True, check=False,
                              capture_output=True, env={**os.environ, "PATH": path, **variables},
                              )  # fmt: skip

    return run


def judged(sh, tmp_path):
    done = sh("vintage merge part-*.json --format json")
    whole = json.loads(done.stdout)
    assert whole["parts"] == list(range(PARTS)), done.stderr
    assert whole["reused"] + whole["ran"] > 100
    return done


def test_an_indexed_job_of_kubernetes(sh, tmp_path):
    job = yaml.safe_load((EXAMPLES / "kubernetes_indexed_job.yaml").read_text())
    assert (job["kind"], job["spec"]["completionMode"]) == ("Job", "Indexed")
    assert job["spec"]["completions"] == PARTS
    (container,) = job["spec"]["template"]["spec"]["containers"]
    (script,) = container["args"]
    for index in range(PARTS):
        done = sh(script, JOB_COMPLETION_INDEX=str(index))
        assert done.returncode == 0, done.stderr
    judged(sh, tmp_path)
    merged = sh("vintage merge part-? --into archive")
    assert merged.returncode == 0, merged.stderr


def test_a_matrix_of_github_actions(sh, tmp_path):
    jobs = yaml.safe_load((EXAMPLES / "github_actions_matrix.yml").read_text())["jobs"]
    assert jobs["part"]["strategy"]["matrix"]["part"] == list(range(1, PARTS + 1))
    assert jobs["judge"]["needs"] == "part"
    (script,) = [step["run"] for step in jobs["part"]["steps"] if "run" in step]
    pull, window = script.splitlines()
    assert pull.startswith('vintage pull "$ARCHIVE" --archive archive')
    for part in range(1, PARTS + 1):
        done = sh(window, PART=str(part))
        assert done.returncode == 0, done.stderr
    (last,) = [step["run"] for step in jobs["judge"]["steps"] if "run" in step]
    assert sh(last).stdout == sh("vintage merge part-*.json").stdout
    judged(sh, tmp_path)

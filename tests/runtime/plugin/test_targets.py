"""Targets that the newest JAX registers and the engine lacks are refused, with a known reason."""

import json
import subprocess

from conftest import BINARY, REPOSITORY

REFUSALS = REPOSITORY / "docs/reference/engine_refusals.md"


def test_the_engine_has_the_targets_of_the_newest_jax(newest):
    done = newest.run("registered_targets.py", platform="cpu",
                      PYTHONPATH=str(REPOSITORY / "harness/runtimes/python"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    registered = set(done.stdout.split())
    assert len(registered) > 60
    worker = [str(BINARY / "vintage-worker"), "--describe"]
    described = subprocess.run(worker, capture_output=True, text=True, check=True)
    here = {target["name"] for target in json.loads(described.stdout)["targets"]}
    explained = REFUSALS.read_text("utf-8")
    assert {name for name in registered - here if f"`{name}`" not in explained} == set()

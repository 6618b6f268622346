"""The GitHub Action: its description holds together, and its step runs."""

import json
import re
import shutil

import pytest
from conftest import PACKAGE, run

yaml = pytest.importorskip("yaml", reason="Debian: apt-get install python3-yaml")
ACTION = PACKAGE / "action"

KEEP = """
import jax.numpy as jnp, vintage
def solver(x):
    return jnp.linalg.cholesky(x @ x.T + jnp.eye(3))
vintage.save(solver, jnp.eye(3), archive="models", name="solver")
vintage.save(jnp.cos, jnp.ones(2), archive="models", name="cosine")
"""


def test_the_description_holds_together():
    text = (ACTION / "action.yml").read_text()
    action = yaml.safe_load(text)
    assert {"name", "description", "inputs", "outputs", "runs"} == set(action)
    assert action["runs"]["using"] == "composite"
    steps = action["runs"]["steps"]
    assert all(step.keys() >= {"run", "shell"} for step in steps)  # A composite's run needs both.
    identifiers = {step["id"] for step in steps if "id" in step}
    assert set(re.findall(r"inputs\.(\w+)", text)) == set(action["inputs"])
    for name, output in action["outputs"].items():
        found = re.fullmatch(r"\$\{\{ steps\.(\w+)\.outputs\.(\w+) \}\}", output["value"])
        assert found, output
        assert found[1] in identifiers
        assert found[2] == name
    for name, given in action["inputs"].items():
        assert given["description"], name
        assert ("default" in given) != given.get("required", False), name
    # The step's environment holds exactly the variables of its script.
    script = (ACTION / "run.sh").read_text()
    for variable in steps[0]["env"]:
        assert variable in script
    assert set(re.findall(r"VINTAGE_ACTION_\w+", script)) == set(steps[0]["env"])


@pytest.mark.parametrize(
    ("releases", "status", "verdict"), [("0.5.3 0.6.0", 1, "broken"), ("0.5.3", 0, "holds")]
)
def test_its_step_judges_the_window(in_python, settings, tmp_path, releases, status, verdict):
    kept = in_python("0.5.0", "-c", KEEP)
    assert kept.returncode == 0, kept.stderr
    # pip writes into the folder that it installs from.
    package = shutil.copytree(PACKAGE, tmp_path / "package")
    step = yaml.safe_load((ACTION / "action.yml").read_text())["runs"]["steps"][0]
    runner = {
        **{name: value for name, value in settings.items() if name != "PYTHONPATH"},
        "GITHUB_ACTION_PATH": str(ACTION),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "RUNNER_TEMP": str(tmp_path),
        "VINTAGE_ACTION_ARCHIVE": "models",
        "VINTAGE_ACTION_JAX": releases,
        "VINTAGE_ACTION_PACKAGE": str(package),
    }
    done = run(["bash", "-c", step["run"]], cwd=tmp_path, env=runner)
    assert done.returncode == status, done.stdout + done.stderr
    output = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
    assert output["verdict"] == verdict
    with open(output["report"], encoding="utf-8") as file:
        assert json.load(file)["verdict"] == verdict
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith(f"## Vintage: {verdict}\n")
    broken = "| solver | jax 0.5.0 | jax-0.6.0 |"
    assert (broken in summary) == (verdict == "broken"), summary
    assert ("lapack_spotrf" in summary) == (verdict == "broken")

"""No output of a run is greener than another.

JUnit was green where the exit status said that nothing had passed, pytest where an artifact had
not been run, the Action's summary gave no reason. Archives are generated, and each is asked by
every door: the exit status, the text, the JSON, JUnit, Python, pytest, the Action and the
dashboard.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from conftest import BINARIES, PACKAGE, STAND_IN
from vintage import check
from vintage.action import summarize

ARCHIVES = 40
DAY = "2026-11-20"
ENGINE = f"vintage-engine {DAY}"

MODULE = """module @m {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @nobodys(%a) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


def vintage(*words):
    return subprocess.run(
        [BINARIES / "vintage", *map(str, words)], capture_output=True, text=True, check=False
    )


def done(*words):
    ran = vintage(*words)
    assert ran.returncode == 0, ran.stderr + ran.stdout
    return ran


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    """Archives that nights made: of no artifact, and of one primitive for some platforms."""
    folder = tmp_path_factory.mktemp("bases")
    night = ["nightly", "--today", DAY, "--primitive", "sub", "--archive"]
    assert vintage(*night, folder / "nothing", "--no-export").returncode == 4
    done(*night, folder / "cpu", "--platform", "cpu")
    vintage(*night, folder / "cuda", "--platform", "cuda")
    vintage(*night, folder / "both", "--platform", "cpu", "cuda")
    (folder / "unknown.mlir").write_text(MODULE)
    done("convert", folder / "unknown.mlir", "--target", "1.0.0", "-o", folder / "unknown.mlirbc")
    return folder


class Made:
    """An archive that a seed decides, and what is asked of it."""

    def __init__(self, seed, bases, folder):
        choose = random.Random(seed)
        self.archive = folder / "archive"
        self.base = choose.choice(["nothing", "cpu", "cpu", "cpu", "cuda", "both"])
        shutil.copytree(bases / self.base, self.archive)
        self.without_golden = choose.random() < 0.2
        if self.without_golden:
            done("put", bases / "unknown.mlirbc", "--archive", self.archive, "--name", "unknown",
                 "--producer", "jax 0.9.9", "--build-date", DAY)  # fmt: skip
        self.worker = choose.choice(["sound", "sound", "faulty", "gone"])
        self.build = self._add_build(folder)
        self.declared = choose.random() < 0.3
        if self.declared:
            self._declare(folder)
        self.stale = choose.random() < 0.2
        if self.stale:
            vintage(
                "replay", "--archive", self.archive, "--build", self.build, "--name", "sub_f32*"
            )
        self.scope = choose.choice([[], [], ["cpu"], ["cuda"], ["golden"], ["cpu", "golden"]])

    def _add_build(self, folder):
        """A build of its own, which gives wrong values, or cannot be started any more."""
        script = folder / "worker.sh"
        fault = "subtract_wrong_sign" if self.worker == "faulty" else ""
        script.write_text(
            f"#!/bin/sh\nVINTAGE_SEEDED_FAULT={fault} exec {BINARIES}/vintage-worker-faults "
            f'--build-date {DAY} "$@"\n'
        )
        script.chmod(0o755)
        done("builds", "add", "--archive", self.archive, "--name", "mine", "--", script)
        if self.worker == "gone":
            script.unlink()
        return "mine"

    def _declare(self, folder):
        file = folder / "limitations.json"
        one = {
            "id": "sub-wrong",
            "class": "wrong value",
            "consumers": [self.build],
            "primitive": "sub",
            "description": "its signs are wrong",
            "since": "2026-01-01",
        }
        file.write_text(
            json.dumps({"format": "vintage limitations", "version": 1, "limitations": [one]})
        )
        done("limitations", "declare", file, "--archive", self.archive)

    def __str__(self):
        return str(vars(self))

    @property
    def chosen(self):
        return ["--archive", self.archive, *(["--scope", *self.scope] if self.scope else [])]


def junit_is_green(file):
    root = ElementTree.parse(file).getroot()
    return int(root.get("failures")) == 0 and int(root.get("errors")) == 0


def dashboards_verdict(archive, folder):
    shutil.rmtree(folder, ignore_errors=True)
    done("report", "--archive", archive, "--html", folder, "--pairs", 0, "--today", DAY)
    text = (folder / "data/health.js").read_text()
    return json.loads(text[text.index("{") : text.rindex("}") + 1])["last_runs"][0]["verdict"]


def ask_pytest(made, folder):
    words = ["--vintage-archive", str(made.archive), "--vintage-build", made.build]
    words += ["--vintage-no-save", *(f"--vintage-scope={one}" for one in made.scope)]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "vintage.pytest_plugin", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{PACKAGE}{os.pathsep}{STAND_IN}"},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


@pytest.mark.parametrize("seed", range(ARCHIVES))
def test_no_output_of_a_replay_is_greener_than_another(seed, bases, tmp_path):
    made = Made(seed, bases, tmp_path)
    junit = tmp_path / "junit.xml"
    replay = ["replay", *made.chosen, "--build", made.build, "--junit", junit]
    said = vintage(*replay, "--format", "json")
    if made.worker == "gone":
        # A build that cannot be started is no run, and nothing of it is green.
        assert said.returncode == 3, said.stdout + str(made)
        with pytest.raises(Exception, match=r"cannot start|worker\.sh"):
            check(made.archive, made.build, scope=made.scope).raise_for_failures()
        assert ask_pytest(made, tmp_path)[0] != 0
        return
    answer = json.loads(said.stdout)
    context = f"{answer['verdict']}: {answer['reasons']} {made}"
    assert said.returncode == answer["exit_status"], context
    holds = said.returncode == 0
    assert dashboards_verdict(made.archive, tmp_path / "html") == answer["verdict"], context
    assert junit_is_green(junit) == holds, context

    text = vintage(*replay)
    assert text.returncode == said.returncode, context
    last = text.stdout.splitlines()[-1]
    assert last == f"verdict: {answer['verdict']}: {answer['reasons'][0]}", context

    report = check(made.archive, made.build, scope=made.scope)
    assert (report.verdict, report.exit_status) == (answer["verdict"], said.returncode), context
    if holds:
        report.raise_for_failures()
    else:
        with pytest.raises(AssertionError, match=report.verdict):
            report.raise_for_failures()
    status, output = ask_pytest(made, tmp_path)
    if status == 0:
        assert holds, context + output


@pytest.mark.parametrize("seed", range(0, ARCHIVES, 2))
def test_no_output_of_a_window_is_greener_than_another(seed, bases, tmp_path):
    made = Made(seed, bases, tmp_path)
    window = ["window", *made.chosen, "--today", DAY]
    said = vintage(*window, "--format", "json")
    answer = json.loads(said.stdout)
    context = f"{answer['verdict']}: {answer['reasons']} {made}"
    assert said.returncode == answer["exit_status"], context
    text = vintage(*window)
    assert text.returncode == said.returncode, context
    last = text.stdout.splitlines()[-1]
    assert last == f"verdict: {answer['verdict']}: {answer['reasons'][0]}", context
    summary = summarize(answer, [])
    assert f"## Vintage: {answer['verdict']}" in summary, context
    assert all(reason in summary for reason in answer["reasons"]), context
    if made.worker == "gone" and made.base in ("cpu", "both") and made.scope in ([], ["cpu"]):
        assert answer["verdict"] == "cannot tell", context

"""A site of the measured history: its archive, the facts of its releases, and model files."""

from __future__ import annotations

import datetime
import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

from conftest import run

MEASURED = Path(__file__).resolve().parents[3] / "docs/measured"
HISTORY = MEASURED / "history.json"
OTHERS = (MEASURED / "forward.json", MEASURED / "consumers.md")
# As docs/gate/targets.md: XLA's CPU registers these up to, or from, the release.
OLD_TARGET, LAST_WITH_IT = "lapack_spotrf", "0.5.3"
NEW_TARGET, FIRST_WITH_IT = "lapack_spotrf_ffi", "0.4.31"
MODULE = """module {{
  func.func public @main(%input: tensor<3x3xf32>) -> tensor<3x3xf32> {{
    %0 = {} : {}
    return %0 : tensor<3x3xf32>
  }}
}}
"""
OF_MODEL = MODULE.format("stablehlo.tanh %input", "tensor<3x3xf32>")
OF_OLD_TARGET = MODULE.format(
    f"stablehlo.custom_call @{OLD_TARGET}(%input)", "(tensor<3x3xf32>) -> tensor<3x3xf32>"
)
MARKUP = "<img src=x onerror=alert(1)>"


def measured() -> dict[str, Any]:
    history: dict[str, Any] = json.loads(HISTORY.read_text())
    return history


def write_history(path: Path) -> None:
    """The measured one, with a message and an issue that would run as markup and as a link."""
    history = measured()
    history["breaks"][-1]["message"] = MARKUP
    history["breaks"][-1]["issue"] = "javascript:alert(1)"
    path.write_text(json.dumps(history))


def write_facts(folder: Path) -> None:
    """A description of each release, as `vintage builds describe --emitted` gives one."""
    folder.mkdir()
    order = [release["version"] for release in measured()["releases"]]
    for place, release in enumerate(measured()["releases"]):
        targets = []
        if place <= order.index(LAST_WITH_IT):
            targets.append({"name": OLD_TARGET, "platform": "cpu"})
        if place >= order.index(FIRST_WITH_IT):
            targets.append({"name": NEW_TARGET, "platform": "cpu"})
        convention, form = release["calling_convention"], release["serialization"]
        described = {
            "format": "vintage runtime",
            "version": 1,
            "name": f"jax {release['version']}",
            "runtime_version": release["version"],
            "build_date": release["released"],
            "platforms": ["cpu"],
            "modes": ["compiled"],
            "targets": targets,
            "calling_convention": {"oldest": 9, "newest": convention, "default": convention},
            "serialization": {"oldest": 2, "newest": form, "default": form},
            "registries": ["cpu"],
            "lowered": [{"platform": "cpu", "mode": "default", "lowered": 1, "refused": []}],
        }
        (folder / f"{release['version']}.json").write_text(json.dumps(described))


def make_models(folder: Path) -> None:
    """folder/archive, and of it an Exported and modules, also one that calls the old target."""
    archive = str(folder / "archive")
    run("vintage", "nightly", "--archive", archive, "--primitive", "cholesky", "--platform", "cpu")
    run("vintage", "get", "cholesky_f32[3,3]/cpu", "--archive", archive, "-o", str(folder / "kept"))
    for name, text in [("old", OF_OLD_TARGET), ("solver", OF_MODEL)]:
        (folder / f"{name}.mlir").write_text(text)
        run("vintage", "convert", str(folder / f"{name}.mlir"), "--target", "1.1.0",
            "-o", str(folder / f"{name}.mlirbc"))  # fmt: skip
    with zipfile.ZipFile(folder / "kept.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted((folder / "kept").iterdir()):
            packed.write(path, path.name)


def make_site(folder: Path) -> Path:
    """The site in folder/site; its archive keeps a model that ran."""
    make_models(folder)
    archive = str(folder / "archive")
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    put = run("vintage", "put", str(folder / "solver.mlirbc"), "--archive", archive, "--name",
              "solver", "--producer", "mine", "--build-date", today, "--format",
              "json")  # fmt: skip
    run("vintage", "replay", "--archive", archive, "--id", json.loads(put)["id"])
    write_history(folder / "history.json")
    write_facts(folder / "facts")
    return report_site(folder, folder / "site")


def report_site(folder: Path, site: Path, *options: str) -> Path:
    run("vintage", "report", "--archive", str(folder / "archive"), "--html", str(site),
        "--history", str(folder / "history.json"), "--facts", str(folder / "facts"),
        "--others", *map(str, OTHERS), "--title", "Releases of JAX", *options)  # fmt: skip
    return site


def bundled(name: str) -> str:
    """A module of the page as a script that defines `module`."""
    source = Path(__file__).resolve().parents[3] / "harness/dashboard/web/src" / name
    command = ["esbuild", str(source), "--bundle", "--format=iife", "--global-name=module"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout

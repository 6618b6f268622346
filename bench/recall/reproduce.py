"""Whether a reported break is seen here: the program of a case in both releases."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from case import KINDS, Case
from releases import Release

HERE = Path(__file__).resolve().parent
_SECONDS = 180.0  # For what hangs: each program takes a few seconds where it works.
_TIMED_SECONDS = 1.0
_ROUNDS = 3
# A slowdown counts from here on. The machine has other work; minima of three rounds in turns
# differ by a few percent.
SLOWER = 1.5


def child(case: Case, release: Release, *words: str) -> dict[str, Any]:
    """How child.py ended: right, wrong, refused, crashed or hung, with a detail."""
    environment = {
        **os.environ,
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_X64": str(int(case.x64)),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        **dict(case.environment),
    }
    try:
        done = subprocess.run(
            [str(release.python), str(HERE / "child.py"), *words],
            capture_output=True, text=True, errors="replace",
            env=environment, timeout=_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"ended": "hung", "detail": f"not done after {_SECONDS:.0f} s"}
    if done.returncode < 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("LLVM ERROR")]
        return {"ended": "crashed", "detail": f"signal {-done.returncode}" + "".join(
            f": {line}" for line in said[:1])}  # fmt: skip
    if done.returncode != 0 or not done.stdout.strip():
        raise SystemExit(f"{case.name} in jax {release.version}: child.py ended with "
                         f"{done.returncode}: {done.stderr[-1000:]}")  # fmt: skip
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def exported_folder(case: Case, work: Path) -> Path:
    return work / "exported" / f"{case.name}-{case.producer or case.good}"


def export(case: Case, releases: dict[str, Release], work: Path) -> dict[str, Any]:
    """Writes the artifact of a case, by its producer or the good release, if it is not there."""
    folder = exported_folder(case, work)
    if (folder / "exported.bin").exists():
        return {"ended": "right", "detail": ""}
    return child(case, releases[case.producer or case.good], "export", case.name, str(folder))


def _runs(case: Case, releases: dict[str, Release], work: Path) -> dict[str, Any]:
    words = ["run", case.name]
    if case.producer:
        made = export(case, releases, work)
        if made["ended"] != "right":
            return {"reproduced": False, "good": made, "bad": made}
        words = ["load", str(exported_folder(case, work)), case.condition]
    good, bad = (child(case, releases[version], *words) for version in (case.good, case.bad))
    seen = good["ended"] == "right" and bad["ended"] in KINDS[case.kind]
    return {"reproduced": seen, "good": good, "bad": bad}


def _times(case: Case, releases: dict[str, Release]) -> dict[str, Any]:
    least: dict[str, dict[str, Any]] = {}
    for _ in range(_ROUNDS):
        for side, version in (("good", case.good), ("bad", case.bad)):
            found = child(case, releases[version], "time", case.name, str(_TIMED_SECONDS))
            before = least.get(side, found)
            if found["ended"] != "right":
                return {"reproduced": False, "good": before, "bad": found}
            numbers = ("run", "compile", "temporary_bytes")
            least[side] = {**found, **{each: min(before[each], found[each]) for each in numbers}}
    ratio = least["bad"]["run"] / least["good"]["run"]
    return {"reproduced": ratio >= SLOWER, "ratio": ratio, **least}


def reproduce(case: Case, releases: dict[str, Release], work: Path) -> dict[str, Any]:
    return _times(case, releases) if case.kind == "slow" else _runs(case, releases, work)

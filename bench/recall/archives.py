"""Whether Vintage finds a break: by what its own catalogue exports, or once the case is archived.

One archive holds both. The catalogue is exported by the release in which the case works, and
replayed on both; an artifact that passes there and fails as the case does finds the break,
whatever it was made for. It is the sample of the nightly run: of JAX's harnesses one for each
primitive and dtype, and functions of ours. To save time only artifacts of the primitives that the
cases of a release are about are exported; nothing else of a case is given.
"""

import fnmatch
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from case import Case
from releases import Release
from reproduce import child, export, exported_folder

_OUTCOMES = {
    "wrong value": ("mismatch",),
    "crash": ("crash", "timeout"),
    "refusal": ("error", "unsupported"),
}
_ANSWERS = (0, 1, 4)  # It holds, it does not, nothing ran: each is an answer.
_SHOWN = 5  # Names of artifacts that are kept for each case.
_CATALOGUE = ("jax:*", "own:*", "sized:*")  # Names of artifacts that producers export.


class Vintage:
    def __init__(self, program: Path, archive: Path, root: Path, workers: int) -> None:
        self._program, self._archive, self._root, self._workers = program, archive, root, workers
        self._produced: set[tuple[str, tuple[str, ...]]] = set()
        self._replayed: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}

    def _run(self, verb: str, *words: str, answers: tuple[int, ...] = _ANSWERS) -> str:
        """Its output. Ends the program where Vintage could not do as it was asked."""
        command = [str(self._program), *verb.split(), "--archive", str(self._archive), *words]
        environment = {**os.environ, "VINTAGE_JAX_ROOT": str(self._root)}
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, check=False
        )  # fmt: skip
        if done.returncode not in answers:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: "
                             f"{(done.stderr or done.stdout)[-1000:]}")  # fmt: skip
        return done.stdout

    def register(self, versions: list[str]) -> None:
        self._run("builds add", "--jax", *versions, "--condition", "both")

    def produce(self, version: str, filters: tuple[str, ...]) -> None:
        """Exports what the archive lacks. Exit status 3: some artifact was not recorded."""
        if (version, filters) not in self._produced:
            self._run("produce", "--build", f"jax-{version}", "--one-of-each", "--jobs",
                      str(self._workers), "--filter", *filters, answers=(*_ANSWERS, 3))  # fmt: skip
            self._produced.add((version, filters))

    def artifacts(self, version: str) -> dict[str, str]:
        """The primitive of each artifact that a release exported, by its name."""
        listed = json.loads(self._run("list", "--producer", f"jax {version}", "--format", "json"))
        return {each["name"]: each["primitive"] for each in listed}

    def replay(self, build: str, *chosen: str) -> dict[str, dict[str, Any]]:
        """The pairs by the artifact's name, of those artifacts that the options choose."""
        if (build, *chosen) not in self._replayed:
            text = self._run("replay", "--build", build, "--mode", "compiled", "--workers",
                             str(self._workers), "--format", "json", *chosen)  # fmt: skip
            pairs = json.loads(text)["pairs"] if text.strip() else []
            self._replayed[(build, *chosen)] = {pair["name"]: pair for pair in pairs}
        return self._replayed[(build, *chosen)]

    def put(self, case: Case, folder: Path, producer: Release) -> None:
        self._run(
            "put",
            str(folder / "exported.bin"),
            "--inputs",
            str(folder / "inputs.npz"),
            "--outputs",
            str(folder / "outputs.npz"),
            "--name",
            f"recall:{case.name}",
            "--producer",
            f"jax {producer.version}",
            "--build-date",
            producer.published,
        )


def _producer(case: Case) -> str:
    return case.producer or case.good


def _of_catalogue(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _CATALOGUE)


def _fails(case: Case, pair: dict[str, Any]) -> bool:
    """Whether it fails as the case does. A release that does not read the artifact at all does so
    for another reason, but where the case is about reading."""
    unread = pair["class"] == "version not readable" and not case.producer
    return pair["outcome"] in _OUTCOMES[case.kind] and not unread


def _first_line(detail: str) -> str:
    return next(iter(detail.splitlines()), "")[:200]


def _build(case: Case, version: str) -> str:
    return f"jax-{version}" + ("-fresh" if case.condition == "fresh" else "")


def _about(case: Case, primitive: str) -> bool:
    return any(fnmatch.fnmatchcase(primitive, pattern) for pattern in case.primitives)


def _filters(producer: str, cases: list[Case]) -> tuple[str, ...]:
    """Of all cases that are about one producer, so that it exports once."""
    primitives = {p for case in cases if _producer(case) == producer for p in case.primitives}
    return tuple(f"primitive={primitive}" for primitive in sorted(primitives - {"*"}))


def catalogue(case: Case, cases: list[Case], vintage: Vintage) -> dict[str, Any]:
    """Names of artifacts that find the break: on the bad release, or by what it cannot export."""
    producer = _producer(case)
    filters = _filters(producer, cases)
    vintage.produce(producer, filters)
    chosen = ["--producer", f"jax {producer}"]
    for names in _CATALOGUE:
        chosen += ["--name", names]
    exported = vintage.artifacts(producer)
    good, bad = (
        vintage.replay(_build(case, version), *chosen) for version in (case.good, case.bad)
    )
    failing = sorted(
        name for name, pair in bad.items()
        if _about(case, exported[name]) and _fails(case, pair)
        and good.get(name, {}).get("outcome") == "pass"
    )  # fmt: skip
    answer: dict[str, Any] = {
        "tried": sum(_about(case, exported[name]) for name in bad),
        "failing": {name: _first_line(bad[name]["detail"]) for name in failing[:_SHOWN]},
        "failing_count": len(failing),
    }
    if case.kind == "refusal" and not case.producer:
        vintage.produce(case.bad, filters)
        there = vintage.artifacts(case.bad)
        missing = sorted(
            name for name, primitive in exported.items()
            if _about(case, primitive) and name not in there and _of_catalogue(name)
        )  # fmt: skip
        answer["not_exported"] = missing[:_SHOWN]
    return answer


def archived(
    case: Case, vintage: Vintage, releases: dict[str, Release], work: Path
) -> dict[str, Any]:
    """How the case's own artifact ends on both releases, and whether the bad one exports it."""
    made = export(case, releases, work)
    if made["ended"] != "right":
        return {"found": False, "why": f"it cannot be exported: {made['detail']}"}
    producer = releases[_producer(case)]
    vintage.put(case, exported_folder(case, work), producer)
    name = f"recall:{case.name}"
    chosen = ["--name", name, "--producer", f"jax {producer.version}"]
    good = vintage.replay(_build(case, case.good), *chosen)[name]
    bad = vintage.replay(_build(case, case.bad), *chosen)[name]
    found = good["outcome"] == "pass" and _fails(case, bad)
    answer: dict[str, Any] = {
        "found": found, "good": good["outcome"], "bad": bad["outcome"],
        "detail": _first_line(bad["detail"]),
    }  # fmt: skip
    if not case.producer and not found:
        folder = work / "exported" / f"{case.name}-{case.bad}"
        answer["exported_by_bad"] = child(
            case, releases[case.bad], "export", case.name, str(folder)
        )
    return answer

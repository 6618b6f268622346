"""Neighbouring releases of JAX, measured beside each other by `vintage window --speed`.

One archive holds all: what a release exported, and what was measured, in the archive's own runs. A
call that was cut off goes on where it ended.
"""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[2] / "harness/runtimes/python/vintage_jax"
_ANSWERS = (0, 1, 3, 4)  # It holds, it does not, it cannot tell, nothing ran: each is an answer.
_PROMISED_DAYS = 180  # So long a release reads what an earlier one exported.
# For each primitive of the size axis, the idiom with the largest size, and all loops; in f32 if the
# idiom has it.
_IDIOMS = (
    "associative_scan_f32", "column_sum_f32", "constant_bounds_f32", "constant_chosen_f32",
    "constant_comparisons_f32", "constant_denormals_f32", "convolved_signal_f32", "counts_f32",
    "cumulative_max_f32", "cumulative_sum_f32", "dot_f32", "first_extremes_f32",
    "gathered_from_many_f32", "largest_of_segments_f32", "loop_until_f32", "many_leaves_f32",
    "mapped_conditions_f32", "overlapping_updates_f32", "padded_and_rolled_f32",
    "product_of_signs_f32", "row_extremes_f32", "row_logsumexp_f32", "scan_of_matrices_f32",
    "scan_reversed_f32", "scan_small_carry_f32", "scattered_sums_f32", "set_in_turn_f32",
    "sorted_f32", "stacked_by_hand_f32", "top_of_all_f32", "vmapped_determinants_f32",
    "vmapped_dynamic_slices_f32", "vmapped_product_norms_4_f32", "vmapped_while_i32",
    "window_maxima_f32", "window_sums_f32",
)  # fmt: skip
_MODELS = 11  # The smaller half: the others take minutes to compile in turns.
_EXPORTED = (*(f"sized:{idiom}_n*" for idiom in _IDIOMS), "model:*")


@dataclass(frozen=True)
class Release:
    build: str  # "jax-0.11.0"
    published: date

    @property
    def version(self) -> str:
        return self.build.removeprefix("jax-")


@dataclass(frozen=True)
class Neighbours:
    before: Release
    after: Release
    producer: Release  # Exports what both run.

    @property
    def name(self) -> str:
        return f"{self.before.version} {self.after.version}"


def neighbours(releases: list[Release]) -> list[Neighbours]:
    """Each release beside the one before it. One exports for all that follow, until the first that
    it promises nothing for; then the release before that does."""
    pairs: list[Neighbours] = []
    producer = releases[0]
    for before, after in pairwise(releases):
        if (after.published - producer.published).days > _PROMISED_DAYS:
            producer = before
        pairs.append(Neighbours(before, after, producer))
    return pairs


def _sizes(names: Iterable[str]) -> list[list[str]]:
    """The artifacts of each idiom, by their size."""
    sizes: dict[str, dict[int, str]] = {idiom: {} for idiom in _IDIOMS}
    for name in names:
        idiom, _, size = name.removeprefix("sized:").removesuffix("/cpu").rpartition("_n")
        if idiom in sizes:
            sizes[idiom][int(size)] = name
    return [[name for _, name in sorted(each.items())] for each in sizes.values() if each]


class Vintage:
    def __init__(self, program: Path, archive: Path, root: Path, core: int, limit: int) -> None:
        self._program, self._archive, self._root = program, archive, root
        self._core, self._limit = core, limit

    def run(self, verb: str, *words: str) -> Any:
        """Its answer in JSON. Ends the program where Vintage could not do as it was asked."""
        command = ["taskset", "-c", str(self._core), str(self._program), *verb.split()]
        command += ["--archive", str(self._archive), "--format", "json", *words]
        environment = {**os.environ, "VINTAGE_JAX_ROOT": str(self._root)}
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, env=environment, check=False
        )  # fmt: skip
        if done.returncode not in _ANSWERS:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
        return json.loads(done.stdout) if done.stdout.strip() else None

    def releases(self, versions: list[str]) -> list[Release]:
        """Registered, the earliest first."""
        self.run("builds add", "--jax", *versions)
        builds = {each["name"]: each["build_date"] for each in self.run("builds list")}
        found = [
            Release(f"jax-{one}", date.fromisoformat(builds[f"jax-{one}"])) for one in versions
        ]
        return sorted(found, key=lambda release: release.published)

    def artifacts(self, producer: Release) -> dict[str, dict[str, Any]]:
        """The artifacts that a release exported, by their names."""
        listed = self.run("list", "--producer", f"jax {producer.version}")
        return {each["name"]: each for each in listed or []}

    def produce(
        self, producer: Release, names: tuple[str, ...] = _EXPORTED
    ) -> dict[str, dict[str, Any]]:
        if not self.artifacts(producer):
            filters = [f"name={pattern}" for pattern in names]
            self.run("produce", "--build", producer.build, "--cases", "sized", "models",
                     "--filter", *filters, "--jobs", "1")  # fmt: skip
        return self.artifacts(producer)

    def window(self, before: str, after: str, producer: str, names: list[str], *words: str) -> Any:
        """The report of speed of these artifacts on two builds."""
        chosen = [word for name in names for word in ("--name", name)]
        report = self.run(
            "window", "--consumer", before, after, "--producer", f"jax {producer}",
            "--scope", "cpu", "backward", "--beyond", "all", "--mode", "compiled",
            "--workers", "1", "--speed", "--speed-limit", str(self._limit), *chosen, *words,
        )["speed"]  # fmt: skip
        for comparison in report["comparisons"]:
            if comparison.get("problem"):
                raise SystemExit(f"{after} beside {before}: {comparison['problem']}")
        return report

    def measure(self, pair: Neighbours, whole: bool, models: bool) -> dict[str, Any]:
        """The largest artifact of each idiom, and the smaller models; where an idiom changed, its
        other sizes too. Or no models; or the whole of what was exported."""
        exported = self.produce(pair.producer)
        primitives = {name: each["primitive"] for name, each in exported.items()}
        idioms = [] if whole else _sizes(primitives)
        names = [members[-1] for members in idioms]
        if whole:
            names = list(exported)
        elif models:
            by_size = sorted(exported.values(), key=lambda each: each["bytes"])
            smallest = [each["name"] for each in by_size if each["name"].startswith("model:")]
            names += smallest[:_MODELS]
        sides = (pair.before.build, pair.after.build, pair.producer.version)
        report = self.window(*sides, names)
        changed = {each["smallest"] for each in report["findings"] + report["improvements"]}
        more = [name for members in idioms if members[-1] in changed for name in members[:-1]]
        if more:
            report = self.window(*sides, names + more)
        measured = [each for one in report["comparisons"] for each in one["artifacts"]]
        return {
            "before": pair.before.version, "after": pair.after.version,
            "before_date": str(pair.before.published), "after_date": str(pair.after.published),
            "producer": pair.producer.version, "whole": whole,
            "models": sum(each["name"].startswith("model:") for each in measured),
            "seconds": round(sum(each["seconds"] for each in report["comparisons"])),
            "problems": sorted(
                f"{each['name']}: {each['problem']}" for each in measured if each.get("problem")
            ),
            "artifacts_of": Counter(primitives[each["name"]] for each in measured),
            **report["counts"],
            "changes": [change_of(each, primitives)
                        for each in report["findings"] + report["improvements"]],
        }  # fmt: skip

    def measure_twin(self, version: str, copy: Path) -> dict[str, Any]:
        """A release beside a copy of its environment, on all of the size axis."""
        release, twin = f"jax-{version}", f"jax-{version}.1"
        (producer,) = self.releases([version])
        day = str(producer.published + timedelta(days=1))
        worker = [str(copy / "bin/python"), str(_PACKAGE), "worker", "--environment", str(copy)]
        self.run(
            "builds add", "--name", twin, "--date", day, "--", *worker, "--condition", "warm"
        )  # fmt: skip
        self.produce(producer, ("sized:*",))
        report = self.window(release, twin, version, [], "--rerun")
        if not any(report["counts"].values()):
            raise SystemExit(f"{release} beside {twin}: nothing was measured")
        return {
            "release": version, **report["counts"],
            "seconds": round(sum(each["seconds"] for each in report["comparisons"])),
            "alarms": [
                change_of(each, {}) for each in report["findings"] + report["improvements"]
            ],
        }  # fmt: skip


def rounded(value: float) -> float:
    return float(f"{value:.4g}")


def change_of(finding: dict[str, Any], primitives: dict[str, str]) -> dict[str, Any]:
    measured = finding["measured"]
    ratio = measured["ratio"]
    growth = finding.get("growth") or {}
    return {
        "class": finding["class"], "function": finding["function"],
        "primitive": primitives.get(finding["smallest"], ""), "quantity": measured["quantity"],
        "smallest": finding["smallest"], "artifacts": finding["artifacts"],
        **{side: rounded(measured[side]) for side in ("before", "after")},
        **{end: rounded(ratio[end]) for end in ("low", "value", "high")},
        "rounds": ratio["rounds"],
        **({each: rounded(growth[each]) for each in ("exponent_before", "exponent_after")}
           | {"sizes": growth["sizes"]} if growth.get("grew") else {}),
    }  # fmt: skip

"""Exports cases, records what they compute, and writes the artifacts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from vintage_jax.produce.case import Case, Prepared
from vintage_jax.produce.compute import inputs_of, outputs_of
from vintage_jax.produce.export import export_case, ignore_forward_compatibility
from vintage_jax.release import calling_convention_of, stablehlo_of
from vintage_python.producing.folder import EXPORTED, described, write_folder
from vintage_python.producing.journal import Journal
from vintage_python.progress import note, progress
from vintage_python.worker.elements import Array
from vintage_python.worker.outcome import detail_of

_CASES_BETWEEN_CLEARING = 100


@dataclass(frozen=True)
class Request:
    folder: Path
    platforms: frozenset[str]
    producer: str
    released: str
    harness_source: str
    calling_convention: int = 0  # 0: the release's default.


@dataclass(frozen=True)
class Golden:
    """What was recorded; nothing where `missing` says why."""

    inputs: list[Array]
    expected: list[Array]
    missing: str = ""


def _record(prepared: Prepared) -> Golden:
    if prepared.without_golden:
        return Golden([], [], prepared.without_golden)
    inputs: list[Array] = []
    try:
        inputs = inputs_of(prepared)
        return Golden(inputs, outputs_of(prepared))
    except Exception as problem:  # A kernel for another platform, a target of nobody.
        return Golden(inputs, [], detail_of(problem).splitlines()[0])


class Producer:
    def __init__(self, request: Request, journal: Journal) -> None:
        self._request, self._journal = request, journal

    def run(self, cases: list[Case], mode: str, part: str) -> None:
        if not ignore_forward_compatibility(mode == "ignore_forward_compatibility"):
            note(f"this release has no mode {mode}")
            return
        for number, case in enumerate(cases, 1):
            self._run_case(case, mode)
            if number % _CASES_BETWEEN_CLEARING == 0:
                jax.clear_caches()
            progress(part, mode, number, len(cases))

    def _name(self, case: Case, platforms: tuple[str, ...], mode: str) -> str:
        return case.name_for(platforms, mode, self._request.calling_convention)

    def _wanted(self, case: Case, mode: str) -> Iterable[tuple[str, ...]]:
        for platforms in case.platforms:
            if self._request.platforms.issuperset(platforms):
                name = self._name(case, platforms, mode)
                if not self._journal.knows(name):
                    yield platforms

    def _run_case(self, case: Case, mode: str) -> None:
        wanted = list(self._wanted(case, mode))
        remaining = []
        for platforms in wanted:
            if any(case.unimplemented(platform) for platform in platforms):
                self._journal.add(self._line(case, platforms, mode, "unimplemented", "JAX says "
                                             "that it does not implement it there"))  # fmt: skip
            else:
                remaining.append(platforms)
        if not remaining:
            return
        try:
            prepared = case.prepare()
        except Exception as problem:
            for platforms in remaining:
                self._refuse(case, platforms, mode, "prepare", problem)
            return
        golden = _record(prepared)
        for platforms in remaining:
            self._export(case, prepared, platforms, mode, golden)

    def _export(
        self, case: Case, prepared: Prepared, platforms: tuple[str, ...], mode: str, golden: Golden
    ) -> None:
        self._journal.add(self._line(case, platforms, mode, "started", ""))
        try:
            export = export_case(prepared, platforms, case.vjp_order)
        except Exception as problem:
            self._refuse(case, platforms, mode, "export", problem)
            return
        meta: dict[str, Any] = {
            "name": self._name(case, platforms, mode),
            "kind": "exported",
            "platform": platforms[0],
            "platforms": list(platforms),
            "serialized_date": self._request.released,
            "producer": self._request.producer,
            "primitive": case.primitive,
            "harness": case.harness,
            "harness_source": self._request.harness_source if case.harness else "",
            "variant": case.variant,
            "mode": mode,
            "disabled_checks": [f"custom_call:{target}" for target in export.disabled],
            "calling_convention_version": calling_convention_of(export.exported),
            "stablehlo_version": stablehlo_of(export.exported.mlir_module_serialized),
            "nr_devices": getattr(export.exported, "nr_devices", 1),
            "vjp_order": case.vjp_order,
            "recorded_by": "" if golden.missing else f"{self._request.producer} on cpu",
            "inputs": described(golden.inputs),
            "outputs": described(golden.expected),
        }
        place = write_folder(
            self._request.folder, meta, EXPORTED, export.data, golden.inputs, golden.expected
        )
        line = self._line(case, platforms, mode, "exported", golden.missing)
        recorded = "none" if golden.missing else "recorded"
        self._journal.add(line | {"folder": place.name, "golden": recorded})

    def _refuse(
        self, case: Case, platforms: tuple[str, ...], mode: str, stage: str, problem: Exception
    ) -> None:
        reason = f"{stage}: {detail_of(problem).splitlines()[0]}"
        self._journal.add(self._line(case, platforms, mode, "refused", reason))

    def _line(
        self, case: Case, platforms: tuple[str, ...], mode: str, status: str, reason: str
    ) -> dict[str, Any]:
        return {
            "name": self._name(case, platforms, mode),
            "status": status,
            "primitive": case.primitive,
            "variant": case.variant,
            "platforms": list(platforms),
            "mode": mode,
            "reason": reason,
        }

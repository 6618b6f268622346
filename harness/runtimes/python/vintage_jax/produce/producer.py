"""Exports cases, records what they compute, and writes the artifacts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from vintage_jax.produce.case import Case, Made, Prepared
from vintage_jax.produce.export import exported_as, ignore_forward_compatibility
from vintage_jax.release import calling_convention_of, serialize, stablehlo_of
from vintage_jax.worker.run_exported import carried
from vintage_python.producing import Journal
from vintage_python.producing.folder import EXPORTED, MODULE, described, write_folder
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
    """The recorded arrays; none where `missing` says why."""

    inputs: list[Array]
    expected: list[Array]
    missing: str = ""


def _inputs(prepared: Prepared) -> list[Array]:
    # As tracing does it: Python's numbers become arrays of JAX's default dtype.
    leaves = jax.tree_util.tree_leaves((prepared.arguments, prepared.cotangents or ()))
    return [carried(leaf if hasattr(leaf, "dtype") else jax.numpy.asarray(leaf)) for leaf in leaves]


def _outputs(prepared: Prepared) -> list[Array]:
    """The function's outputs on the CPU, then those of its derivative."""
    if isinstance(prepared.function, Made):
        return prepared.function.expected
    with jax.default_device(jax.devices("cpu")[0]), prepared.computing():
        function = jax.jit(prepared.recorded or prepared.function)
        results = jax.tree_util.tree_leaves(function(*prepared.arguments))
        if prepared.cotangents is not None:
            _, pullback = jax.vjp(prepared.function, *prepared.arguments)
            tree = jax.tree_util.tree_structure(function(*prepared.arguments))
            cotangents = jax.tree_util.tree_unflatten(tree, prepared.cotangents)
            results += jax.tree_util.tree_leaves(pullback(cotangents))
        return [carried(leaf) for leaf in results]


def _record(prepared: Prepared) -> Golden:
    if prepared.without_golden:
        return Golden([], [], prepared.without_golden)
    inputs: list[Array] = []
    try:
        inputs = _inputs(prepared)
        return Golden(inputs, _outputs(prepared))
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

    def _run_case(self, case: Case, mode: str) -> None:
        remaining = []
        for platforms in case.platforms:
            artifact: dict[str, Any] = {
                "name": case.name_for(platforms, mode, self._request.calling_convention),
                "primitive": case.primitive,
                "variant": case.variant,
                "platforms": list(platforms),
                "mode": mode,
            }
            wanted = self._request.platforms.issuperset(platforms)
            if not wanted or artifact["name"] in self._journal.lines:
                continue
            if any(map(case.unimplemented, platforms)):
                reason = "JAX says that it does not implement it there"
                self._journal.add(artifact, "unimplemented", reason)
            else:
                remaining.append(artifact)
        if not remaining:
            return
        try:
            prepared = case.prepare()
        except Exception as problem:
            for artifact in remaining:
                self._refuse(artifact, "prepare", problem)
            return
        golden = _record(prepared)
        for artifact in remaining:
            self._export(artifact, case, prepared, golden)

    def _export(
        self, artifact: dict[str, Any], case: Case, prepared: Prepared, golden: Golden
    ) -> None:
        self._journal.add(artifact, "started")
        try:
            data, file, said = _program(artifact["platforms"], case, prepared)
        except Exception as problem:
            self._refuse(artifact, "export", problem)
            return
        by = said.pop("recorded_by", f"{self._request.producer} on cpu")
        meta: dict[str, Any] = artifact | {
            "platform": artifact["platforms"][0],
            "serialized_date": self._request.released,
            "producer": self._request.producer,
            "harness": case.harness,
            "harness_source": self._request.harness_source if case.harness else "",
            **said,
            "recorded_by": "" if golden.missing else by,
            "inputs": described(golden.inputs, prepared.seeds),
            "outputs": described(golden.expected),
        }
        place = write_folder(
            self._request.folder,
            meta,
            file,
            data,
            () if prepared.seeds else golden.inputs,
            golden.expected,
        )
        recorded = "none" if golden.missing else "recorded"
        self._journal.add(artifact, "exported", golden.missing, folder=place.name, golden=recorded)

    def _refuse(self, artifact: dict[str, Any], stage: str, problem: Exception) -> None:
        self._journal.add(artifact, "refused", f"{stage}: {_reason(problem)}")


def _program(
    platforms: Sequence[str], case: Case, prepared: Prepared
) -> tuple[bytes, str, dict[str, Any]]:
    """The program, the name of its file, and the fields that say what it is."""
    if isinstance(made := prepared.function, Made):
        facts = {"kind": "module", "stablehlo_version": stablehlo_of(made.module)}
        return made.module, MODULE, facts | {"recorded_by": made.recorded_by}
    # A derivative is exported where it is serialized, and refused there.
    (data, exported), disabled = exported_as(
        prepared, platforms, lambda made: (serialize(made, case.vjp_order), made)
    )
    return data, EXPORTED, {
        "kind": "exported",
        "disabled_checks": [f"custom_call:{target}" for target in disabled],
        "calling_convention_version": calling_convention_of(exported),
        "stablehlo_version": stablehlo_of(exported.mlir_module_serialized),
        "nr_devices": getattr(exported, "nr_devices", 1),
        "vjp_order": case.vjp_order,
    }  # fmt: skip


def _reason(problem: Exception) -> str:
    if type(problem).__name__ == "LoweringException":
        # Pallas of 0.4 writes the equation, where it stands, and last what is wrong.
        return "LoweringException: " + str(problem).rpartition("\nException: ")[2].splitlines()[0]
    return detail_of(problem).splitlines()[0]

"""Lowers the cases for each platform in each mode, and collects the custom calls."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from vintage_jax.describe.targets import TYPED_FFI
from vintage_jax.produce.case import PLATFORMS, Case, Prepared
from vintage_jax.produce.export import exported_as, ignore_forward_compatibility
from vintage_jax.release import lowered_for
from vintage_python.failure import Failure
from vintage_python.progress import progress
from vintage_python.worker.outcome import detail_of

JIT, DEFAULT, IGNORE = "jit", "default", "ignore_forward_compatibility"
_CASES_BETWEEN_CLEARING = 50
_REASON_WIDTH = 160
_CUSTOM_CALL = "stablehlo.custom_call"
_IN_PORTABLE = b"custom_call_v"  # The start of its names in VHLO: v1, since StableHLO 1.18 v2.


@dataclass(frozen=True, order=True)
class Call:
    """The parts of a target that a caller relies on."""

    target: str
    operands: int
    attributes: tuple[str, ...]  # Only typed calls have any: their backend_config is a dictionary.
    api_version: int


def calls_of_exported(exported: Any) -> frozenset[Call]:
    if _IN_PORTABLE not in exported.mlir_module_serialized:
        return frozenset()
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    with mlir.make_ir_context():
        return calls_of(ir.Module.parse(str(exported.mlir_module())))


def calls_of(module: Any) -> frozenset[Call]:
    return frozenset(_call(operation) for operation in _operations(module.operation)
                     if operation.name == _CUSTOM_CALL)  # fmt: skip


def _operations(operation: Any) -> Iterator[Any]:
    yield operation
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _operations(inner.operation)


def _call(operation: Any) -> Call:
    from jaxlib.mlir import ir

    attributes = operation.attributes
    names: tuple[str, ...] = ()
    version = int(ir.IntegerAttr(attributes["api_version"])) if "api_version" in attributes else 1
    for key in ("mhlo.backend_config", "backend_config"):
        if key in attributes and isinstance(attributes[key], ir.DictAttr):
            names = tuple(sorted(named.name for named in attributes[key]))
            # A typed call: JAX says so by its dictionary, whatever version stands beside it.
            version = TYPED_FFI
    target = ir.StringAttr(attributes["call_target_name"]).value
    return Call(target, len(operation.operands), names, version)


Lower = Callable[[Prepared, str], tuple[frozenset[Call], tuple[str, ...]]]


@dataclass
class Asked:
    """The counts of lowerings for one platform in one mode."""

    lowered: int = 0
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)  # Primitive, reason.


@dataclass
class Seen:
    """The callers of a target with one signature."""

    primitives: set[str] = field(default_factory=set)
    case: str = ""  # The first of them.
    unlisted: bool = False  # Export refused it until its check was switched off.


class Emission:
    def __init__(self, platforms: Sequence[str] = PLATFORMS) -> None:
        self._platforms = platforms
        self._asked: dict[tuple[str, str], Asked] = {}
        self._seen: dict[tuple[str, str, Call], Seen] = {}

    def collect(self, cases: Sequence[Case]) -> None:
        self._run(JIT, cases, _lower_by_jit)
        self._run(DEFAULT, cases, _lower_by_export)
        if ignore_forward_compatibility(True):
            # Only what showed a call: where jit and the default call nothing, neither does this.
            showing = {(seen.case, platform) for (platform, _, _), seen in self._seen.items()}
            self._run(IGNORE, cases, _lower_by_export, showing)
            ignore_forward_compatibility(False)
        if not any(asked.lowered for asked in self._asked.values()):
            raise Failure("this JAX lowered none of the cases, so what it emits is not known")

    def _run(
        self, mode: str, cases: Sequence[Case], lower: Lower,
        only: set[tuple[str, str]] | None = None,
    ) -> None:  # fmt: skip
        import jax

        for number, case in enumerate(cases, 1):
            progress("1/1", f"lower, {mode}", number, len(cases))
            if number % _CASES_BETWEEN_CLEARING == 0:
                jax.clear_caches()
            wanted = [
                platform for platform in self._platforms
                if (platform,) in case.platforms and not case.unimplemented(platform)
                and (only is None or (case.name, platform) in only)
            ]  # fmt: skip
            try:
                prepared = case.prepare() if wanted else None
            except Exception:  # A later JAX's function; what does not exist calls nothing.
                continue
            for platform in wanted:
                assert prepared is not None
                self._lower(mode, case, prepared, platform, lower)

    def _lower(
        self, mode: str, case: Case, prepared: Prepared, platform: str, lower: Lower
    ) -> None:
        asked = self._asked.setdefault((platform, mode), Asked())
        try:
            calls, unlisted = lower(prepared, platform)
        except Exception as problem:
            reason = detail_of(problem).splitlines()[0][:_REASON_WIDTH]
            asked.refused[case.primitive, reason] += 1
            return
        asked.lowered += 1
        for call in calls:
            seen = self._seen.setdefault((platform, mode, call), Seen(case=case.name))
            seen.primitives.add(case.primitive)
            seen.unlisted |= call.target in unlisted

    def described(self) -> dict[str, Any]:
        """In the form of docs/gate/registry.md."""
        lowered = [
            {
                "platform": platform,
                "mode": mode,
                "lowered": asked.lowered,
                "refused": [
                    {"primitive": primitive, "reason": reason, "count": count}
                    for (primitive, reason), count in sorted(asked.refused.items())
                ],
            }
            for (platform, mode), asked in sorted(self._asked.items())
        ]
        emitted = []
        for (platform, mode, call), seen in sorted(self._seen.items()):
            line: dict[str, Any] = {
                "name": call.target,
                "platform": platform,
                "mode": mode,
                "api_version": call.api_version,
                "operands": call.operands,
                "attributes": list(call.attributes),
                "primitives": sorted(seen.primitives),
                "case": seen.case,
            }
            emitted.append(line | ({"unlisted": True} if seen.unlisted else {}))
        return {"lowered": lowered, "emitted": emitted}


def _lower_by_jit(prepared: Prepared, platform: str) -> tuple[frozenset[Call], tuple[str, ...]]:
    import jax

    function = jax.jit(prepared.function, **prepared.options)
    lowered = lowered_for(platform, function, prepared.specifications or prepared.arguments)
    return calls_of(lowered.compiler_ir("stablehlo")), ()


def _lower_by_export(prepared: Prepared, platform: str) -> tuple[frozenset[Call], tuple[str, ...]]:
    return exported_as(prepared, (platform,), calls_of_exported)

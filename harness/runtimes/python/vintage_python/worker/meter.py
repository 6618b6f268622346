"""Measures the cost of an execution (docs/reference/speed.md), in the process that executes."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

_Result = TypeVar("_Result")
_Duration = dict[str, float]


class Meter:
    """Measures one request. Times of a second program of the same request are added to those of
    the first."""

    def __init__(self, repetitions: int, seconds: float) -> None:
        self._repetitions, self._seconds = repetitions, seconds
        self._parts: dict[str, _Duration] = {}
        self._runs: list[_Duration] | None = None
        self._compiler: dict[str, int] | None = None
        _forget_peak()
        self._resident = _status_bytes("VmRSS")

    def add(self, part: str, wall: float, processor: float) -> None:
        known = self._parts.setdefault(part, {"wall": 0.0, "processor": 0.0})
        known["wall"] += wall
        known["processor"] += processor

    def executed(self, execute: Callable[[], _Result]) -> _Result:
        """The first result."""
        result, first = _timed(execute)
        self.add("first_run", **first)
        runs: list[_Duration] = []
        left = self._seconds
        while not runs or (left >= 0 and len(runs) < self._repetitions):
            runs.append(_timed(execute)[1])
            left -= runs[-1]["wall"]
        if self._runs is not None:
            both = zip(self._runs, runs, strict=False)
            runs = [{key: one[key] + other[key] for key in one} for one, other in both]
        self._runs = runs
        return result

    def report_memory(self, temporaries: int, code: int, arguments: int, outputs: int) -> None:
        """As the compiler reports it; the report of the larger of two programs counts."""
        reported = {"temporaries": temporaries, "code": code, "arguments": arguments,
                    "outputs": outputs}  # fmt: skip
        if self._compiler is None or _at_once(reported) > _at_once(self._compiler):
            self._compiler = reported

    def measured(self) -> dict[str, Any] | None:
        """In the form of docs/reference/worker_protocol.md; None: nothing was executed."""
        if self._runs is None:
            return None
        parts = {part: self._parts[part] for part in ("load", "compile", "first_run")
                 if part in self._parts}  # fmt: skip
        growth = max(0, _status_bytes("VmHWM") - self._resident)
        known = {"compiler": self._compiler} if self._compiler else {}
        return parts | {"runs": self._runs, "process_growth": growth} | known


def _timed(execute: Callable[[], _Result]) -> tuple[_Result, _Duration]:
    processor, wall = time.process_time(), time.perf_counter()
    result = execute()
    wall = time.perf_counter() - wall
    return result, {"wall": wall, "processor": time.process_time() - processor}


def _at_once(memory: dict[str, int]) -> int:
    return memory["temporaries"] + memory["arguments"] + memory["outputs"]


def _status_bytes(field: str) -> int:
    """VmHWM is the peak of the resident memory. 0: this system does not say."""
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _forget_peak() -> None:
    """Resets the peak to the current resident size; if that is not allowed, the peak stays that of
    the process's whole life."""
    try:
        with open("/proc/self/clear_refs", "w") as references:
            references.write("5")
    except OSError:
        pass

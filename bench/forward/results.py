"""The outcomes of each two builds, for programs: docs/measured/forward.json."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

_WORKED = ("pass", "compiled")
_VARYING = re.compile(r"0x[0-9a-f]+|(?<![a-zA-Z])\d+|'[^']*'|\"[^\"]*\"")
_FOLDERS = re.compile(r"(?<![\w./])/(?:[\w.+-]+/)+")
_SHOWN = 200


def message_of(detail: str) -> str:
    """Its first line, with files by their names: folders are those of one machine."""
    first = next((line.strip() for line in detail.splitlines() if line.strip()), "")
    return _FOLDERS.sub("", first)[:_SHOWN]


def cause(failure: dict[str, Any]) -> str:
    """Equal for failures with one cause, as far as their messages show it."""
    said = _VARYING.sub("…", failure["message"])
    return f"{failure['outcome']} in {failure['stage']}: {said}"


def _failures(pairs: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those with one cause together, as far as their messages show it; each with its smallest
    artifact."""
    found: dict[str, dict[str, Any]] = {}
    for pair in sorted(pairs, key=lambda pair: int(pair["bytes"])):
        failure = {"outcome": pair["outcome"], "stage": pair["stage"], "class": pair["class"],
                   "message": message_of(pair["detail"]), "artifact": pair["name"],
                   "bytes": pair["bytes"], "artifacts": 0}  # fmt: skip
        found.setdefault(cause(failure), failure)["artifacts"] += 1
    return list(found.values())


def read_known(path: Path) -> dict[str, dict[str, Any]]:
    """Empty where the file is not there yet."""
    known: dict[str, dict[str, Any]] = {}
    if path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
    return known


def write_known(path: Path, known: dict[str, dict[str, Any]]) -> None:
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


class Results:
    """Pairs of builds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = read_known(path)

    def has(self, producer: dict[str, Any], consumer: dict[str, Any]) -> bool:
        return _key(producer, consumer) in self._known

    def ran(self, consumer: dict[str, Any]) -> bool:
        return any(pair["consumer"] == consumer["name"] for pair in self)

    def add(
        self, producers: list[dict[str, Any]], consumer: dict[str, Any],
        pairs: list[dict[str, Any]],
    ) -> None:  # fmt: skip
        """Written at once. Nothing is kept of a producer of whose artifacts none ran: they are
        tried again."""
        for producer in producers:
            made_by = " ".join(producer["name"].rsplit("-", 1))
            own = [pair for pair in pairs if pair["producer"] == made_by]
            if not own:
                continue
            self._known[_key(producer, consumer)] = {
                "producer": producer["name"],
                "produced": producer["build_date"],
                "consumer": consumer["name"],
                "consumed": consumer["build_date"],
                "outcomes": dict(sorted(Counter(pair["outcome"] for pair in own).items())),
                "failures": _failures(pair for pair in own if pair["outcome"] not in _WORKED),
            }
        write_known(self._path, self._known)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._known.values())


def _key(producer: dict[str, Any], consumer: dict[str, Any]) -> str:
    return f"{producer['name']} on {consumer['name']}"

"""The day on which nightly builds began to fail: docs/measured/forward_bisects.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from results import read_known, write_known


class Bisects:
    """Outcomes of `vintage bisect`, by the name of the artifact."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = read_known(path)

    def add(self, record: Path, seconds: float) -> None:
        """`record`: ARCHIVE/bisect/KEY.json, whose journal lies beside it. `seconds`: how long
        the call took, with its installs."""
        said = json.loads(record.read_text(encoding="utf-8"))
        (search,) = said["searches"]
        journal = record.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
        events = map(json.loads, journal)
        asked = {event["name"] for event in events if event["event"] == "probe"}
        (last_good,) = (each["after"] for each in search["transitions"]
                        if each["at"] == search["first_bad"])  # fmt: skip
        self._known[said["name"]] = {
            "artifact": said["artifact"][:12], "mode": said["mode"], "fault": search["kind"],
            "good": search["good"], "bad": search["bad"], "builds": search["positions"],
            "last_good": last_good, "first_bad": search["first_bad"],
            "confidence": search["confidence"], "probes": search["probes_made"],
            "builds_asked": len(asked), "seconds": round(seconds),
        }  # fmt: skip
        write_known(self._path, self._known)

    def __iter__(self) -> Any:
        return iter(sorted(self._known.items()))

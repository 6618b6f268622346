"""What a producer has done: a line for each artifact, so that it goes on where it was.

    DIR/produced.jsonl    {"name", "status": "exported" | "refused" | "unimplemented", …}

An artifact is first "started": one that stays so ended its process, and is not tried again
unless that is asked for.

Several processes append to one file; a line is written at once.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, BinaryIO

from vintage_python.progress import result

FILE = "produced.jsonl"
_REASON_WIDTH = 90


class Journal:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / FILE
        self.lines: dict[str, dict[str, Any]] = {}
        if self._path.exists():
            for text in self._path.read_text(encoding="utf-8").splitlines():
                try:
                    line = json.loads(text)
                except ValueError:
                    continue  # Cut off when a run was interrupted: done again.
                self.lines[line["name"]] = line
        for line in self.lines.values():
            if line["status"] == "started":
                line |= {"status": "refused", "reason": "export: the process ended at it"}

    def knows(self, name: str) -> bool:
        return name in self.lines

    def add(self, line: dict[str, Any]) -> None:
        self.lines[line["name"]] = line
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, (json.dumps(line) + "\n").encode())
        finally:
            os.close(descriptor)


def summary(lines: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Counts, and of what could not be exported: why, how often, and an example."""
    counts = Counter(line["status"] for line in lines.values())
    reasons: dict[tuple[str, str], list[str]] = {}
    for line in lines.values():
        if line["status"] == "refused":
            key = (line["primitive"], line["reason"])
            reasons.setdefault(key, []).append(line["name"])
    table = [
        {"primitive": primitive, "reason": reason, "count": len(names), "example": names[0]}
        for (primitive, reason), names in sorted(reasons.items())
    ]
    without = sum(1 for line in lines.values() if line.get("golden") == "none")
    kinds = Counter(
        ("+".join(line["platforms"]), line["variant"], line["mode"], line["status"])
        for line in lines.values()
    )
    return {
        "kinds": [
            {
                "platforms": platforms,
                "variant": variant,
                "mode": mode,
                "status": status,
                "count": count,
            }
            for (platforms, variant, mode, status), count in sorted(kinds.items())
        ],
        "exported": counts["exported"],
        "without_golden": without,
        "unimplemented": counts["unimplemented"],
        "refused": counts["refused"],
        "reasons": table,
    }


def exported_folders(lines: dict[str, dict[str, Any]]) -> list[dict[str, str]]:
    """The folder of each artifact that was exported, by its name."""
    return [
        {"name": name, "folder": line["folder"]}
        for name, line in lines.items()
        if line["status"] == "exported"
    ]


def table_of(whole: dict[str, Any], framework: str) -> str:
    """A summary as text."""
    lines = [
        f"{whole['exported']} exported, {whole['without_golden']} of them without a golden; "
        f"{whole['unimplemented']} that {framework} does not implement; {whole['refused']} refused"
    ]
    for row in whole["reasons"]:
        reason = row["reason"][:_REASON_WIDTH]
        lines.append(f"  {row['count']:5}  {row['primitive']:24} {reason}  ({row['example']})")
    return "\n".join(lines) + "\n"


def report(folder: Path, form: str, framework: str, stdout: BinaryIO) -> bool:
    """Says what the folder's journal holds, in not_exported.json as well; whether it holds any."""
    lines = Journal(folder).lines
    whole = summary(lines)
    text = json.dumps(whole, indent=1) + "\n"
    (folder / "not_exported.json").write_text(text, encoding="utf-8")
    if form == "lines":
        result(whole | {"artifacts": exported_folders(lines)})
    else:
        stdout.write((text if form == "json" else table_of(whole, framework)).encode())
    return bool(lines)

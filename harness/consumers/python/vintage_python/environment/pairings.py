"""Which packages a release runs with, where its own metadata is too generous."""

from __future__ import annotations

import json
from dataclasses import dataclass

from vintage_python.environment.versions import Version, parse_version
from vintage_python.framework import Framework


@dataclass(frozen=True)
class Pairing:
    constraints: tuple[str, ...] = ()  # In pip's form.
    newest_python: Version | None = None

    def suits(self, python: tuple[int, int]) -> bool:
        return self.newest_python is None or python <= self.newest_python


def pairing_of(framework: Framework, release: str) -> Pairing:
    path = framework.package / "environment/pairings.json"
    if not path.is_file():
        return Pairing()
    text = path.read_text(encoding="utf-8")
    number = parse_version(release)
    for row in json.loads(text)["rows"]:
        bound = parse_version(row["up_to"])
        if number[: len(bound)] <= bound:
            return Pairing(tuple(row["constraints"]), parse_version(row["newest_python"]))
    return Pairing()

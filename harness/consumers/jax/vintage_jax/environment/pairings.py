"""Which packages beside jaxlib a release of JAX runs with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from vintage_jax.environment.versions import Version, parse_version


@dataclass(frozen=True)
class Pairing:
    constraints: tuple[str, ...] = ()  # In pip's form.
    newest_python: Version | None = None

    def suits(self, python: tuple[int, int]) -> bool:
        return self.newest_python is None or python <= self.newest_python


def pairing_of(release: str) -> Pairing:
    text = Path(__file__).with_name("pairings.json").read_text(encoding="utf-8")
    number = parse_version(release)
    for row in json.loads(text)["rows"]:
        bound = parse_version(row["up_to"])
        if number[: len(bound)] <= bound:
            return Pairing(tuple(row["constraints"]), parse_version(row["newest_python"]))
    return Pairing()

"""The part of an Exported that runs for the inputs of a request.

docs/reference/worker_protocol.md says which part that is."""

from collections.abc import Sequence
from dataclasses import dataclass

from vintage_python.exported import Exported, read_exported
from vintage_python.worker.elements import Array
from vintage_python.worker.outcome import UnsupportedError


@dataclass(frozen=True)
class Part:
    exported: Exported
    inputs: list[Array]


def parts_of(artifact: bytes, inputs: Sequence[Array], platform: str) -> list[Part]:
    """The function, and behind it its derivative where the inputs are those of both."""
    exported = read_exported(artifact)
    own = len(exported.inputs)
    parts = [Part(exported, list(inputs[:own]))]
    if len(inputs) != own:
        if len(inputs) != own + len(exported.outputs):
            raise ValueError(f"{len(inputs)} inputs came, and the artifact takes {own}")
        if exported.derivative is None:
            raise ValueError("cotangents came, and the artifact holds no derivative")
        parts.append(Part(exported.derivative, list(inputs)))
    for part in parts:
        platforms, devices = part.exported.platforms, part.exported.devices
        if platform not in platforms:
            named = ", ".join(platforms)
            raise UnsupportedError(f"the artifact is for {named}, not for {platform}")
        if devices > 1:
            raise UnsupportedError(f"the artifact is for {devices} devices, and runs on one here")
    return parts

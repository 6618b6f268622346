"""The plugins for accelerators that belong to a release, fetched to be asked on any machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vintage_jax.describe.stand_ins import stand_in_for_vendor
from vintage_jax.describe.targets import plugin_packages
from vintage_python.environment.make import take_package
from vintage_python.environment.uv import Interpreter, Uv
from vintage_python.failure import Failure
from vintage_python.progress import note

# By platform the projects that hold its plugin, the one to be asked first. A release of ROCm's
# may be repeated as a post-release; not every release of JAX has one.
PROJECTS = {
    "cuda": ("jax-cuda12-plugin", "jax-cuda13-plugin"),
    "rocm": ("jax-rocm7-plugin", "jax-rocm60-plugin"),
}


def add_plugins(platforms: Sequence[str], record: dict[str, Any]) -> None:
    """Makes the plugins of an environment's release importable, before JAX is imported. What
    cannot be had is a note: what that platform registers is not known then."""
    there = {platform for platform, _ in plugin_packages()}
    wanted = [each for each in platforms if each in PROJECTS and each not in there]
    if not wanted:
        return
    uv = Uv(Path(record["path"]).parent.parent.resolve())
    interpreter = Interpreter(f"{record['path']}/bin/python", record["python"]["version"])
    for platform in wanted:
        try:
            content = _take(platform, record["release"], interpreter, uv)
            stand_in_for_vendor(platform, content)
        except Failure as failure:
            note(f"{failure}; what {platform} registers is not known")
            continue
        sys.path.append(str(content))


def _take(platform: str, release: str, interpreter: Interpreter, uv: Uv) -> Path:
    reasons = []
    for project in PROJECTS[platform]:
        kept = uv.root.glob(f"packages/*/content/{project.replace('-', '_')}-{release}.dist-info")
        for information in kept:
            tag = f"Tag: cp{interpreter.python.replace('.', '')}-"
            if tag in (information / "WHEEL").read_text(encoding="utf-8"):
                return information.parent
        try:
            return take_package(uv, project, release, interpreter)[1]
        except Failure as failure:
            reasons.append(str(failure))
    raise Failure(f"there is no plugin of {release} for {platform}: {reasons[0]}")

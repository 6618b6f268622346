"""The plugins for accelerators that belong to a release, fetched to be asked on any machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vintage_jax.describe.stand_ins import stand_in_for_vendor
from vintage_jax.describe.targets import plugin_packages
from vintage_python.environment.interpreters import Interpreter, find_interpreters, probe
from vintage_python.environment.package_index import ask_index
from vintage_python.environment.resolve import find_wheel
from vintage_python.environment.wheel_store import WheelStore
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
    store = WheelStore(Path(record["path"]).parent.parent)
    interpreter = probe(str(Path(record["path"]) / "bin/python"))
    for platform in wanted:
        try:
            content = _take(platform, record["release"], interpreter, store)
            stand_in_for_vendor(platform, content)
        except Failure as failure:
            note(f"{failure}; what {platform} registers is not known")
            continue
        sys.path.append(str(content))


def _take(platform: str, release: str, interpreter: Interpreter, store: WheelStore) -> Path:
    for project in PROJECTS[platform]:
        kept = store.find(project, release, interpreter)
        if kept:
            return store.content(kept)
    interpreters = find_interpreters()
    offered = ask_index(PROJECTS[platform], interpreters)
    for project in PROJECTS[platform]:
        if any(name.split("-")[1] == release for name, _ in offered.get(project, [])):
            wheel = find_wheel(project, release, interpreter, interpreters)
            return store.content(store.take(wheel, interpreter, interpreters, ""))
    raise Failure(f"the index has no plugin of {release} for {platform} "
                  f"({', '.join(PROJECTS[platform])})")  # fmt: skip

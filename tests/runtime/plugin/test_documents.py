"""The engine gives what JAX's documentation and XLA's partitioner show."""

import json
import os
import re
from pathlib import Path

import pytest

from conftest import REPOSITORY

SHARED = Path(os.environ.get("VINTAGE_SHARED", REPOSITORY.parent / "shared"))
EXPORT = SHARED / "reference/jax-export.md"
CPU_DEVICES = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}


def printed(session, platform, program, *arguments):
    done = session.run(program, *arguments, platform=platform, VINTAGE_PLUGIN_DEVICES="8",
                       VINTAGE_PLUGIN_PLATFORM="cpu", **CPU_DEVICES)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without_names(text):
    """Releases name the devices of a CPU in their own ways."""
    return re.sub(r"device=(TFRT_CPU_|cpu:)(\d+)", r"\2", text)


@pytest.mark.skipif(not EXPORT.is_file(), reason=f"{EXPORT} is not here")
@pytest.mark.parametrize("release", ["0.5.3", "latest"])
def test_each_code_block_about_export_gives_what_the_page_says(session_of, release):
    """A release words some things differently from the page: then the CPU backend's words count.

    A result that followed its argument's sharding on the CPU was whole on each device here.
    """
    session = session_of(release)
    cpu, engine = (printed(session, name, "document_examples.py", EXPORT)
                   for name in ("cpu", "vintage"))  # fmt: skip
    assert len(engine) == len(cpu) > 90
    assert sum(each["right"] for each in cpu) > 70
    different = [
        (ours, theirs)
        for ours, theirs in zip(engine, cpu, strict=True)
        if not ours["right"] and without_names(ours["got"]) != without_names(theirs["got"])
    ]
    assert not different


def test_results_lie_where_xla_puts_them(newest):
    cpu, engine = (printed(newest, name, "result_shardings.py") for name in ("cpu", "vintage"))
    assert len(cpu) > 25
    assert engine == cpu

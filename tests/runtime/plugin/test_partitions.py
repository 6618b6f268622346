"""Python decides on the parts of a program of several devices, while JAX compiles it."""

import pytest


@pytest.mark.parametrize("platform", ["vintage", "cpu"])
def test_python_is_asked_for_the_parts(newest, platform):
    done = newest.run("partitions.py", platform="vintage,cpu", VINTAGE_PLUGIN_DEVICES="4",
                      VINTAGE_PLUGIN_PLATFORM=platform)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert len(found) == 6
    assert {name: said for name, said in found.items() if said != "ok"} == {}, done.stderr

"""Each release of JAX from 0.4.30 on loads the plugin, and what it asks of a platform works."""

import pytest


def outcomes(done):
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("platform", ["vintage", "cpu"])
def test_what_jax_asks_of_a_platform_works(session, platform):
    # A callback gets its arguments on a device of JAX's CPU backend.
    done = session.run("features.py", platform="vintage,cpu", VINTAGE_PLUGIN_DEVICES="4",
                       VINTAGE_PLUGIN_PLATFORM=platform)  # fmt: skip
    found = outcomes(done)
    assert len(found) == 23
    wrong = {name: said for name, said in found.items() if said != "ok"}
    assert not wrong, done.stderr


def test_the_engine_runs_only_where_it_is_asked_for(newest):
    """A plugin above the CPU's priority would be everybody's default."""
    done = newest.run("where_it_runs.py", platform="")
    assert done.stdout.strip() == "cpu", done.stderr


def test_a_wrong_setting_is_one_error(newest):
    done = newest.run("where_it_runs.py", VINTAGE_PLUGIN_DEVICES="many")
    assert done.returncode == 1
    assert "VINTAGE_PLUGIN_DEVICES: 'many' is no number from 1 to 1024" in done.stderr

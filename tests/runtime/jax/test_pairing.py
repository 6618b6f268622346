"""The gate's rule about jax and jaxlib against the function by which each release checks it."""

import json
import subprocess

import pytest

# Suffixes of a wheel, a nightly build, a candidate, a local build and a typing error.
SUFFIXES = ["", ".0", ".1", "+cuda12", "+cuda12.cudnn89", ".dev20250301", "rc1", ".post1", "a1"]
REAL = """
import json, sys
import jax.version
from jax._src.lib import check_jaxlib_version
minimum = jax.version._minimum_jaxlib_version
answers = {}
for jax_version, jaxlib in json.load(sys.stdin):
    try:
        check_jaxlib_version(jax_version, jaxlib, minimum)
        answers[f"{jax_version} {jaxlib}"] = True
    except RuntimeError:
        answers[f"{jax_version} {jaxlib}"] = False
print(json.dumps([minimum, answers]))
"""


def moved(version, step):
    """The version before or after one, by its last number."""
    *numbers, last = version.split(".")
    return ".".join([*numbers, str(max(int(last) + step, 0))])


def ask(environment, source, given=""):
    done = subprocess.run(
        [environment / "bin" / "python", "-c", source],
        input=given, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("release", ["0.4.30", "0.5.3", "0.9.0", "latest"])
def test_the_pairing_of_versions_is_that_of_each_release(
    release, environment_of, vintage, tmp_path
):
    """A jaxlib 0.5.3+cuda12, .dev, rc1 and .post1 were forbidden where JAX accepts them, and
    0.5.3.0 was allowed where JAX refuses it: the order was that of PEP 440."""
    environment = environment_of(release)
    own, least = ask(
        environment,
        "import jax.version as v; print(v.__version__, v._minimum_jaxlib_version)",
    ).split()
    jaxes = [own, f"{own}.dev1", f"{own}rc1", f"{own}+local"]
    near = {own, moved(own, -1), moved(own, 1), least, moved(least, -1)}
    pairs = [
        (jax, jaxlib + suffix) for jax in jaxes for jaxlib in sorted(near) for suffix in SUFFIXES
    ]
    minimum, accepted = json.loads(ask(environment, REAL, json.dumps(pairs)))
    assert minimum == least
    assert set(accepted.values()) == {True, False}

    listed = tmp_path / "releases.json"
    listed.write_text('{"releases": []}')
    archive = tmp_path / "A"
    made = vintage("builds", "import", listed, "--archive", archive)
    assert made.returncode == 0, made.stderr
    wrong = []
    for jax, jaxlib in pairs:
        for name, packages in [
            ("old", {"minimum_jaxlib": minimum}),
            ("new", {"jax": jax, "jaxlib": jaxlib, "minimum_jaxlib": minimum}),
        ]:
            head = {"format": "vintage runtime", "version": 1, "build_date": "2026-01-01"}
            description = head | {"name": name, "packages": packages}
            (tmp_path / f"{name}.json").write_text(json.dumps(description))
        done = vintage(
            "gate", "--old", tmp_path / "old.json", "--new", tmp_path / "new.json",
            "--archive", archive, "--today", "2026-01-02", "--format", "json",
        )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        allowed = json.loads(done.stdout)["result"] == "allowed"
        if allowed != accepted[f"{jax} {jaxlib}"]:
            wrong.append((jax, jaxlib, "allowed" if allowed else "forbidden"))
    assert not wrong

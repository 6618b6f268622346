"""The .deb installs on a bare Debian 12, does its work there, and leaves nothing behind."""

import shutil

# Files that change while packages come and go, and belong to no package.
PASSING = ("/proc", "/tmp", "/var/cache", "/var/lib/apt", "/var/lib/dpkg", "/var/log")


def files(inside):
    lines = inside("find", "/", "-xdev").stdout.splitlines()
    return {line for line in lines if not line.startswith(PASSING)}


def test_it_installs_works_and_goes(package, debian):
    shutil.copy(package, debian.root / "tmp/vintage.deb")
    before = files(debian)
    done = debian("apt-get", "install", "-y", "-qq", "--no-install-recommends", "/tmp/vintage.deb")
    assert done.returncode == 0, done.stderr

    done = debian("vintage", "doctor", "--offline")
    assert done.returncode == 0, done.stdout
    assert "Python           missing" in done.stdout
    done = debian("vintage", "nightly", "--archive", "/tmp/A", "--primitive", "add")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verdict: holds" in done.stdout
    for file in ("share/man/man1/vintage-replay.1", "share/zsh/vendor-completions/_vintage",
                 "share/bash-completion/completions/vintage"):  # fmt: skip
        assert (debian.root / "usr" / file).is_file(), file

    assert debian("apt-get", "purge", "-y", "-qq", "vintage").returncode == 0
    assert debian("apt-get", "autoremove", "--purge", "-y", "-qq").returncode == 0
    # The user's own state stays, as archives do.
    left = {one for one in files(debian) - before if not one.startswith("/root/.local")}
    assert left == set()

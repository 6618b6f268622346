"""Archives in a real registry (Debian's docker-registry): pushed, read back, killed, collected."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

VINTAGE = Path(os.environ.get("VINTAGE_BINARY", "")) / "vintage"
# Of "secret", by bcrypt.
HTPASSWD = "user:$2b$04$sAZayzUFdFWUK5FKfOL4Vuz/9slFnOAP7p4wexnEOZrLpMcFrHxVe\n"
KINDS = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json"


def run(*words, status=0, **more):
    done = subprocess.run([VINTAGE, *words], capture_output=True, text=True, check=False, **more)
    if status is not None:
        assert done.returncode == status, f"{words}: {done.returncode} {done.stdout}{done.stderr}"
    return done


class Registry:
    """A registry with a user and a certificate, whose storage outlives its process."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.host = f"localhost:{probe.getsockname()[1]}"
        (folder / "users").write_text(HTPASSWD)
        self.certificate = folder / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "tls.pem",
             "-out", self.certificate], check=True, capture_output=True,
        )  # fmt: skip
        self.config = folder / "config.json"  # JSON is YAML.
        self.config.write_text(json.dumps({
            "version": "0.1",
            "storage": {"filesystem": {"rootdirectory": str(folder / "storage")},
                        "delete": {"enabled": True}},
            "http": {"addr": self.host, "tls": {"certificate": str(self.certificate),
                                                "key": str(folder / "tls.pem")}},
            "auth": {"htpasswd": {"realm": "test", "path": str(folder / "users")}},
        }))  # fmt: skip
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            ["docker-registry", "serve", self.config],
            stdout=(self.folder / "log").open("a"), stderr=subprocess.STDOUT,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("localhost", int(self.host.split(":")[1]))) == 0:
                    return
            time.sleep(0.1)
        pytest.fail((self.folder / "log").read_text())

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)

    def collect(self):
        """The registry's own garbage collection, which removes what no tag names."""
        self.stop()
        subprocess.run(["docker-registry", "garbage-collect", "-m", self.config],
                       check=True, capture_output=True)  # fmt: skip
        self.start()

    def place(self, tag, name="team/archive"):
        return f"oci://{self.host}/{name}:{tag}"

    def ask(self, path):
        asked = subprocess.run(
            ["curl", "-sS", "--fail-with-body", "--cacert", self.certificate, "-u", "user:secret",
             "-H", f"Accept: {KINDS}", f"https://{self.host}/v2/team/archive/{path}"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return json.loads(asked.stdout)


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    for program in ("docker-registry", "openssl", "curl"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing (cmake/tests_packages.txt)")
    if not VINTAGE.is_file():
        pytest.skip("VINTAGE_BINARY names no folder with the program")
    one = Registry(tmp_path_factory.mktemp("registry"))
    one.start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A signed night of some primitives."""
    folder = tmp_path_factory.mktemp("archive")
    run("nightly", "--archive", folder / "A", "--primitive", "neg", "dot_general", "cholesky")
    for words in (
        ["genpkey", "-algorithm", "ed25519", "-out", folder / "key.pem"],
        ["pkey", "-in", folder / "key.pem", "-pubout", "-out", folder / "public.pem"],
    ):
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    run("sign", "--archive", folder / "A", "--key", folder / "key.pem")
    return folder


@pytest.fixture
def network(registry, tmp_path):
    token = tmp_path / "token"
    token.write_text("user:secret\n")
    return ["--token-file", token, "--ca-certificate", registry.certificate,
            "--partial", tmp_path / "partial"]  # fmt: skip


@pytest.fixture
def options(network):
    """Of the verbs that copy, which remember nothing from one test to the next."""
    return [*network, "--pins", ""]


def contents(folder):
    run("fsck", "--archive", folder, "--read-data")
    listed = json.loads(run("list", "--archive", folder, "--format", "json").stdout)
    return sorted((one["id"], one["name"], one["golden"]) for one in listed)


def test_pushed_pulled_and_signed(registry, archive, network, options, tmp_path):
    place = registry.place("nightly")
    sent = json.loads(run("push", archive / "A", place, *options, "--format", "json").stdout)
    assert sent["artifacts"]["sent"] > 100
    again = json.loads(run("push", archive / "A", place, *options, "--format", "json").stdout)
    kinds = ("artifacts", "contents", "runs", "outcomes")
    assert {again[kind]["sent"] for kind in kinds} == {0}
    trusted = ["--public-key", archive / "public.pem"]
    run("pull", place, tmp_path / "B", *options, *trusted)
    assert contents(tmp_path / "B") == contents(archive / "A")
    # The signature is a referrer of the archive, by the tag that stands for the referrers API.
    referrers = registry.ask("manifests/nightly.lists")
    digest = referrers["subject"]["digest"]
    index = registry.ask(f"manifests/{digest.replace(':', '-')}")
    assert [one["artifactType"] for one in index["manifests"]] == [referrers["artifactType"]]
    # Another tag costs no pack.
    mirrored = run("mirror", place, registry.place("copy"), *options, *trusted)
    assert "B of contents" in mirrored.stdout
    packs = {layer["digest"] for layer in registry.ask("manifests/nightly")["layers"]}
    assert packs == {layer["digest"] for layer in registry.ask("manifests/copy")["layers"]}
    run("scrub", place, "--from", archive / "A", *network, *trusted)


def test_what_is_collected_is_what_no_archive_needs(registry, archive, options, tmp_path):
    place = registry.place("collected")
    run("push", archive / "A", place, *options, "--primitive", "neg")
    run("push", archive / "A", place, *options)
    registry.collect()
    run("pull", place, tmp_path / "B", *options, "--public-key", archive / "public.pem")
    assert contents(tmp_path / "B") == contents(archive / "A")


def test_killed_copies_go_on(registry, archive, options, tmp_path):
    chance = random.Random(7)
    kills = 0
    for words in (
        ["push", archive / "A", registry.place("killed")],
        ["pull", registry.place("killed"), tmp_path / "B"],
    ):
        patience = 0.1
        while True:
            process = subprocess.Popen([VINTAGE, *words, *options], stdout=subprocess.DEVNULL)
            try:
                assert process.wait(timeout=chance.uniform(0.5, 1) * patience) == 0
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
                patience *= 1.3
    assert kills > 1
    assert contents(tmp_path / "B") == contents(archive / "A")


def test_backup_and_restore(registry, archive, network, tmp_path):
    place = registry.place("backup", "team/backup")
    run("backup", place, "--archive", archive / "A", *network)
    run("restore", place, tmp_path / "R", *network)
    assert contents(tmp_path / "R") == contents(archive / "A")


def test_refusals(registry, archive, options, tmp_path):
    place = registry.place("nightly")
    (tmp_path / "wrong").write_text("user:wrong")
    certificate = ["--ca-certificate", registry.certificate, "--pins", ""]
    nobody = run("pull", place, tmp_path / "N", *certificate, status=2,
                 env=os.environ | {"DOCKER_CONFIG": str(tmp_path)})  # fmt: skip
    assert "401" in nobody.stderr
    assert "docker login" in nobody.stderr
    wrong = run("pull", place, tmp_path / "N", *certificate, "--token-file", tmp_path / "wrong",
                status=2)  # fmt: skip
    assert "does not take these credentials" in wrong.stderr
    missing = run("pull", registry.place("never"), tmp_path / "N", *options, status=2)
    assert "no tag 'never' of team/archive" in missing.stderr
    untrusted = run("pull", place, tmp_path / "N", "--token-file", tmp_path / "wrong", "--pins", "",
                    "--ca-certificate", "/etc/ssl/certs/ca-certificates.crt", status=2)  # fmt: skip
    assert "--ca-certificate" in untrusted.stderr

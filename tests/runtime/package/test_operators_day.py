"""A day of an archive in an operator's hands, on a bare Debian 12: installed from the .deb, served
with the unit's settings by a user of its own, shared with a group, its disk filled, a command as
root, the certificate renewed, a sector lost; backed up, mirrored and restored. All is whole at the
end."""

import configparser
import hashlib
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from conftest import FRESH, run

UNIT = "usr/share/doc/vintage/docs/examples/vintage-serve.service"
MODELS = 30
MODEL_BYTES = 300_000
POLICY = {
    "vintage_retention": 1,
    "rules": [{"name": "ten years", "keep": "age", "days": 3650}],
    "wait_days": 0,
}


def must(*command):
    done = run(command)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


class Disk:
    """A disk of its own, which can lose a sector."""

    def __init__(self, image, folder, megabytes):
        self.image, self.folder = image, folder
        with image.open("wb") as file:
            file.truncate(megabytes << 20)
        must("mkfs.ext4", "-q", "-m", "0", "-F", str(image))
        folder.mkdir(parents=True, exist_ok=True)
        must("mount", "-o", "loop", str(image), str(folder))

    def lose_sector_of(self, file):
        """From now on the file's first block comes back as zeros."""
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        extent = must("filefrag", "-e", "-b512", str(file)).split("0..", 1)[1].split(":")[1]
        with self.image.open("r+b") as device:
            device.seek(int(extent.split("..")[0]) * 512)
            device.write(bytes(4096))
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)

    def fill(self):
        with (self.folder / "filler").open("wb") as file:
            size, piece = 0, 64 << 20
            while piece >= 4096:
                try:
                    os.posix_fallocate(file.fileno(), size, piece)
                    size += piece
                except OSError:
                    piece //= 2
        assert shutil.disk_usage(self.folder).free == 0

    def close(self):
        must("umount", "--lazy", str(self.folder))


class Service:
    """`vintage serve` with the settings of its systemd unit."""

    def __init__(self, root):
        unit = configparser.ConfigParser(interpolation=None, strict=False)
        unit.optionxform = str
        unit.read(root / UNIT)
        self.root, self.settings = root, unit["Service"]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def start(self):
        words = self.settings["ExecStart"].replace("0.0.0.0:8700", f"127.0.0.1:{self.port}")
        limits = f"umask {self.settings['UMask']}; ulimit -n {self.settings['LimitNOFILE']}"
        log = self.root / "var/log/vintage-serve.log"
        self.process = subprocess.Popen(
            as_user(self.root, self.settings["User"], f"{limits}; exec {words}"),
            env=FRESH,
            stdout=subprocess.PIPE,
            stderr=log.open("a"),
            text=True,
        )
        line = self.process.stdout.readline()
        assert line.startswith("listening on https://"), line + log.read_text()

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(timeout=float(self.settings["TimeoutStopSec"]))

    def certificate(self):
        return ssl.get_server_certificate(("127.0.0.1", self.port))

    def request(self, method, path, body, token):
        """The status and the answer; a body is JSON, or a content that is put."""
        kind = "octet-stream" if method == "PUT" else "json"
        asked = urllib.request.Request(
            f"https://127.0.0.1:{self.port}{path}",
            body,
            {"Authorization": f"Bearer {token}", "Content-Type": f"application/{kind}"},
            method=method,
        )
        trusted = ssl.create_default_context(cafile=self.root / "etc/vintage/certificate.pem")
        try:
            with urllib.request.urlopen(asked, context=trusted) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def put_model(self, number, token, built):
        content = hashlib.sha256(f"model {number}".encode()).digest() * (MODEL_BYTES // 32)
        content = bytes(a ^ b for a, b in zip(content, os.urandom(len(content)), strict=True))
        name = hashlib.sha256(content).hexdigest()
        status, answer = self.request("PUT", f"/v1/blobs/{name}", content, token)
        if status not in (200, 201):
            return status, answer
        record = {
            "id": name,
            "name": f"model {number}",
            "producer": "the operator's tool",
            "build_date": built,
            "platforms": ["cpu"],
            "format": "saved model",
        }
        return self.request("POST", "/v1/artifacts", json.dumps(record).encode(), token)


def as_user(root, user, line):
    """`line` of a shell as that user of the root folder."""
    group = "ml" if user in ("vintage", "alice") else user
    who = ["setpriv", f"--reuid={user}", f"--regid={group}", "--init-groups", "--reset-env"]
    return ["chroot", str(root), *who, "sh", "-c", line]


def renew_certificate(root):
    """The files are replaced in one step, as certificate tools do."""
    folder = root / "etc/vintage"
    folder.mkdir(exist_ok=True)
    must(
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        *(
            "-nodes",
            "-days",
            "30",
            "-subj",
            "/CN=vintage",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ),
        *("-keyout", str(folder / "key.new"), "-out", str(folder / "certificate.new")),
    )
    must("chroot", str(root), "chown", "vintage", "/etc/vintage/key.new")
    (folder / "key.new").rename(folder / "key.pem")
    (folder / "certificate.new").rename(folder / "certificate.pem")


@pytest.fixture(scope="module")
def day(package, debian, tmp_path_factory):
    """The root folder with Vintage installed, its users, and a disk at /srv/vintage."""
    for program in ("mkfs.ext4", "filefrag", "openssl"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing")
    root = debian.root
    shutil.copy(package, root / "tmp/vintage.deb")
    done = debian("apt-get", "install", "-y", "-qq", "--no-install-recommends", "/tmp/vintage.deb")
    assert done.returncode == 0, done.stderr
    for command in (
        "groupadd ml",
        "useradd --system --gid ml --home-dir /srv/vintage vintage",
        "useradd --create-home --gid ml alice",
        "useradd --create-home mallory",
    ):
        assert debian(*command.split()).returncode == 0
    image = tmp_path_factory.mktemp("disk") / "image"
    disk = Disk(image, root / "srv/vintage", 320)
    try:
        for folder, mode in (("srv/vintage/A", "2775"), ("var/backups/vintage", "0750"),
                             ("var/mirror", "0750")):  # fmt: skip
            must("install", "-d", "-m", mode, str(root / folder))
            must("chroot", str(root), "chown", "vintage:ml", f"/{folder}")
        must("chmod", "2775", str(root / "srv/vintage/A"))  # chown may have taken the first digit.
        must("chroot", str(root), "chown", "vintage:ml", "/srv/vintage")
        renew_certificate(root)
        yield root, disk
    finally:
        disk.close()


class Day:
    def __init__(self, root, disk):
        self.root, self.disk = root, disk
        self.archive = root / "srv/vintage/A"
        self.service = Service(root)
        self.token = ""

    def do(self, user, line, expected=0):
        done = run(as_user(self.root, user, line), env=FRESH)
        assert done.returncode == expected, f"{user}: {line}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def own(self, line, expected=0):
        """A verb of the archive's owner."""
        return self.do("vintage", f"umask 002; vintage {line}", expected)

    def put_model(self, name, built="2026-01-01"):
        status, answer = self.service.put_model(name, self.token, built)
        assert status == 200, answer

    def fill_archive(self):
        """The service makes it; its owner, and a member whose umask is 022, fill it."""
        self.service.start()
        made = self.own("token add day --archive /srv/vintage/A --role push")
        self.token = made.split()[0]
        self.own("nightly --archive /srv/vintage/A --primitive add")
        self.do("alice", "umask 022; vintage nightly --archive /srv/vintage/A --primitive mul")
        for number in range(MODELS):
            self.put_model(number, "2010-01-01")
        self.put_model("kept")
        self.own("gc --archive /srv/vintage/A")
        assert (self.archive / "reserve").stat().st_size == 8 << 20
        self.do("mallory", "vintage list --archive /srv/vintage/A")
        said = self.do("mallory", "vintage gc --archive /srv/vintage/A", 3)
        assert "may not write" in said

    def be_root_once(self):
        """The service and the members go on, and a copy that root made by hand is repaired."""
        self.do("root", "umask 077; vintage nightly --archive /srv/vintage/A --primitive neg")
        self.do("root", "umask 077; vintage token add other --archive /srv/vintage/A --role read")
        self.put_model("after root")
        self.do("alice", "umask 022; vintage nightly --archive /srv/vintage/A --primitive sub")
        self.own("fsck --archive /srv/vintage/A")
        must("chown", "root:root", str(self.archive / "index.sqlite"))
        must("chmod", "0600", str(self.archive / "index.sqlite"))
        said = self.do("root", "vintage fsck --archive /srv/vintage/A", 3)
        assert "'chown vintage:ml /srv/vintage/A/index.sqlite && chmod 0660" in said, said
        said = self.do("root", "vintage doctor --offline --archive /srv/vintage/A", 3)
        assert "'vintage fsck --archive /srv/vintage/A --repair' as root" in said, said
        said = self.do("root", "vintage fsck --archive /srv/vintage/A --repair")
        assert "repaired: chown" in said
        self.own("fsck --archive /srv/vintage/A")
        self.do("alice", "umask 022; vintage gc --archive /srv/vintage/A")

    def renew_certificate(self):
        before = self.service.certificate()
        renew_certificate(self.root)
        self.service.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 20
        while self.service.certificate() == before and time.monotonic() < deadline:
            time.sleep(0.1)
        file = self.root / "etc/vintage/certificate.pem"
        assert self.service.certificate() == file.read_text()

    def copy(self):
        self.own("backup /var/backups/vintage --archive /srv/vintage/A")
        self.own("mirror /srv/vintage/A /var/mirror/A")

    def fill_disk(self):
        """And the service is killed; reading and deleting work, and then all else again."""
        self.disk.fill()
        status, answer = self.service.put_model("too many", self.token, "2026-01-01")
        assert (status, answer["error"]["kind"]) == (507, "full")
        assert self.service.end(signal.SIGKILL) == -signal.SIGKILL
        (self.archive / "index.sqlite-shm").unlink(missing_ok=True)  # As after a power cut.
        assert "artifacts" in self.do("alice", "vintage list --archive /srv/vintage/A")
        self.own("fsck --archive /srv/vintage/A")
        (self.root / "tmp/policy.json").write_text(json.dumps(POLICY))
        said = self.own("retention --archive /srv/vintage/A --policy /tmp/policy.json")
        assert f"{MODELS} of " in said
        self.service.start()
        self.put_model("fits again")
        (self.disk.folder / "filler").unlink()
        self.own("gc --archive /srv/vintage/A")
        assert (self.archive / "reserve").is_file()

    def lose_a_sector(self):
        self.own("mirror /srv/vintage/A /var/mirror/A")
        kept = json.loads(self.own("list --archive /srv/vintage/A --format json"))
        lost = next(record["id"] for record in kept if record["name"] == "model fits again")
        self.disk.lose_sector_of(self.archive / "blobs" / lost[:2] / f"{lost}.zst")
        assert lost in self.own("fsck --archive /srv/vintage/A --read-data", 1)
        assert lost in self.own("backup /var/backups/vintage --archive /srv/vintage/A", 3)
        assert lost in self.own("mirror /srv/vintage/A /var/mirror/second", 3)
        self.own("fsck --archive /srv/vintage/A --read-data --repair --from /var/mirror/A")

    def restore(self):
        self.own("backup /var/backups/vintage --archive /srv/vintage/A")
        self.own("backup /var/backups/vintage --check")
        self.own("restore /var/backups/vintage /srv/vintage/restored")


def test_everything_is_whole_at_the_end(day):
    root, disk = day
    day = Day(root, disk)
    day.fill_archive()
    day.be_root_once()
    day.renew_certificate()
    day.copy()
    day.fill_disk()
    day.lose_a_sector()
    day.restore()
    assert day.service.end(signal.SIGTERM) == 0
    for place in ("/srv/vintage/A", "/srv/vintage/restored", "/var/mirror/A"):
        assert "is whole" in day.own(f"fsck --archive {place} --read-data")
    archive, restored = (
        day.own(f"list --archive /srv/vintage/{name} --format json") for name in ("A", "restored")
    )
    assert archive == restored

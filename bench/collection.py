#!/usr/bin/env python3
"""Retention and collection beside clients that push to and read from a real service.

    bench/collection.py [--build build/release] [--seconds 3600] [--objects 1000000] [--json FILE]

Pushers put artifacts, two thirds of them too old to stay, and contents, some of them shared by all
pushers, so that a collection meets contents that are pushed again at that moment. Readers request
acknowledged contents and compare their hashes. `vintage retention` and `vintage gc`, some of them
with --repack, run one after the other all the time. At the end the archive must have every
acknowledged artifact that stays, with its content, and `fsck --read-data` must find nothing.
"""

import argparse
import dataclasses
import hashlib
import http.client
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
_arguments = argparse.ArgumentParser(description=__doc__)
_arguments.add_argument("--build", type=pathlib.Path, default=SOURCE / "build" / "release")
_arguments.add_argument("--seconds", type=float, default=3600)
_arguments.add_argument("--objects", type=int, default=1_000_000)
_arguments.add_argument("--pushers", type=int, default=20)
_arguments.add_argument("--readers", type=int, default=20)
_arguments.add_argument("--reads-per-second", type=float, default=10, help="of one reader")
_arguments.add_argument("--json", type=pathlib.Path)

OBJECTS_OF_ONE_PUSH = 50
EVERYBODYS_CONTENTS = 500
TODAY = "2026-11-20"
OLD = "2026-01-01"
POLICY = {
    "vintage_retention": 1,
    "wait_days": 0,
    "rules": [{"name": "recent", "keep": "age", "days": 30}],
}
RETENTION_LIST_CHANGED = 4  # Nothing was removed: what others put meanwhile keeps it.


@dataclasses.dataclass(frozen=True)
class Item:
    name: str
    stays: bool
    content: bytes

    @property
    def id(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def item_of(pusher: int, push: int, number: int) -> Item:
    """The same for the same numbers, so that only the numbers need to be remembered."""
    drawn = random.Random((pusher << 40) + (push << 8) + number)
    stays = drawn.random() < 1 / 3
    if drawn.random() < 0.2:
        which = drawn.randrange(EVERYBODYS_CONTENTS)
        words = random.Random(which)
    else:
        words = drawn
    lines = [
        f"%{words.randrange(999)} = stablehlo.add %{words.randrange(999)}, %{words.randrange(999)}"
        for _ in range(words.randrange(4, 30))
    ]
    name = f"pusher {pusher} push {push} item {number}"
    return Item(name, stays, "\n".join(lines).encode())


def frames(items: list[Item]) -> bytes:
    out = bytearray()

    def line(value: object) -> None:
        out.extend(json.dumps(value).encode() + b"\n")

    for item in items:
        line({"type": "content", "id": item.id, "bytes": len(item.content)})
        out.extend(item.content)
    for item in items:
        record = {
            "id": item.id,
            "name": item.name,
            "producer": "new" if item.stays else "old",
            "build_date": TODAY if item.stays else OLD,
            "format": "saved model",
            "primitive": "add",
            "dtypes": ["f32"],
            "platforms": ["cpu"],
        }
        line({"type": "artifact", "record": record})
    line({"type": "end", "contents": len(items), "artifacts": len(items)})
    return bytes(out)


class Soak:
    def __init__(self, options: argparse.Namespace, address: str, archive: pathlib.Path) -> None:
        self.options = options
        self.address = address
        self.archive = archive
        self.program = str(options.build / "bin" / "vintage")
        self.lock = threading.Lock()
        self.acknowledged: list[tuple[int, int]] = []
        self.problems: list[str] = []
        self.reads = self.gone = self.collections = self.retentions = 0
        self.over = threading.Event()

    def count(self, what: str) -> None:
        with self.lock:
            setattr(self, what, getattr(self, what) + 1)

    def wrong(self, problem: str) -> None:
        with self.lock:
            self.problems.append(problem)

    def push(self, pusher: int) -> None:
        """Evenly over the time."""
        pushes = self.options.objects // OBJECTS_OF_ONE_PUSH // self.options.pushers
        connection = http.client.HTTPConnection(self.address, timeout=600)
        headers = {"Content-Type": "application/vnd.vintage.frames"}
        start = time.monotonic()
        for push in range(pushes):
            items = [item_of(pusher, push, number) for number in range(OBJECTS_OF_ONE_PUSH)]
            connection.request("POST", "/v1/push", frames(items), headers)
            response = connection.getresponse()
            answer = response.read()
            if response.status != 200 or json.loads(answer)["artifacts"] != len(items):
                self.wrong(f"push {pusher} {push}: {response.status} {answer[:300]!r}")
                return
            with self.lock:
                self.acknowledged.append((pusher, push))
            due = start + (push + 1) * self.options.seconds / pushes
            time.sleep(max(0.0, due - time.monotonic()))

    def read(self, reader: int) -> None:
        drawn = random.Random(1_000_000 + reader)
        connection = http.client.HTTPConnection(self.address, timeout=600)
        while not self.over.wait(1 / self.options.reads_per_second):
            with self.lock:
                if not self.acknowledged:
                    continue
                pusher, push = drawn.choice(self.acknowledged)
            item = item_of(pusher, push, drawn.randrange(OBJECTS_OF_ONE_PUSH))
            connection.request("GET", f"/v1/blobs/{item.id}")
            response = connection.getresponse()
            body = response.read()
            if response.status == 404 and not item.stays:
                self.count("gone")
            elif response.status != 200 or body != item.content:
                self.wrong(f"{item.name}: {response.status} {body[:300]!r}")
            self.count("reads")

    def collect(self, policy: pathlib.Path) -> None:
        archive = ["--archive", str(self.archive)]
        while not self.over.is_set():
            self.run(
                ["retention", *archive, "--policy", str(policy), "--today", TODAY],
                accepted={0, RETENTION_LIST_CHANGED},
            )
            self.count("retentions")
            self.run(["gc", *archive, *(["--repack"] if self.collections % 10 == 9 else [])])
            self.count("collections")
            self.over.wait(1)

    def run(self, words: list[str], accepted: frozenset[int] | set[int] = frozenset({0})) -> str:
        done = subprocess.run([self.program, *words], capture_output=True, text=True, check=False)
        if done.returncode not in accepted:
            self.wrong(f"{' '.join(words)}: {done.returncode} {done.stderr[-500:]}")
        return done.stdout

    def work(self, policy: pathlib.Path) -> None:
        pushers = [
            threading.Thread(target=self.push, args=(n,)) for n in range(self.options.pushers)
        ]
        others = [
            threading.Thread(target=self.read, args=(n,)) for n in range(self.options.readers)
        ]
        others.append(threading.Thread(target=self.collect, args=(policy,)))
        for thread in pushers + others:
            thread.start()
        for thread in pushers:
            thread.join()
        self.over.set()
        for thread in others:
            thread.join()

    def lost(self) -> tuple[int, int]:
        """Counts the artifacts that stay: the acknowledged ones, and the missing ones."""
        kept = {
            record["name"]: record["id"]
            for record in json.loads(
                self.run(["list", "--archive", str(self.archive), "--format", "json"])
            )
        }
        stay = missing = 0
        for pusher, push in self.acknowledged:
            for number in range(OBJECTS_OF_ONE_PUSH):
                item = item_of(pusher, push, number)
                if item.stays:
                    stay += 1
                    missing += kept.get(item.name) != item.id
        return stay, missing


def main() -> int:
    options = _arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder) / "archive"
        policy = pathlib.Path(folder) / "policy.json"
        policy.write_text(json.dumps(POLICY))
        serve = [
            options.build / "bin" / "vintage",
            "serve",
            "--archive",
            archive,
            "--create",
        ]
        serve += [
            "--listen",
            "127.0.0.1:0",
            "--anonymous",
            "push",
            "--access-log",
            "none",
        ]
        start = time.monotonic()
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout is not None
            address = service.stdout.readline().split("http://")[1].strip()
            soak = Soak(options, address, archive)
            soak.work(policy)
            service.terminate()
        soak.run(["gc", "--archive", str(archive)])
        soak.run(["fsck", "--archive", str(archive), "--read-data"])
        stay, missing = soak.lost()
        report = {
            "seconds": round(time.monotonic() - start),
            "pushers": options.pushers,
            "readers": options.readers,
            "objects_pushed": len(soak.acknowledged) * OBJECTS_OF_ONE_PUSH,
            "stay": stay,
            "lost": missing,
            "reads": soak.reads,
            "reads_of_what_was_let_go": soak.gone,
            "retentions": soak.retentions,
            "collections": soak.collections,
            "service_exit_status": service.returncode,
            "problems": soak.problems[:20],
        }
    text = json.dumps(report, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n")
    return 0 if missing == 0 and not soak.problems and service.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

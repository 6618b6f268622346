#!/usr/bin/env python3
"""Attacks an archive and its service for some hours, and counts.

    bench/attacks.py requests|faults [--program build/release/bin/vintage] [--many N] [--seed S]
                     [--at-once M]

requests  N requests that schemathesis (pip install schemathesis) makes from the service's own
          OpenAPI document, with a token of each role and with none, M programs at once: no
          answer may be 5xx
faults    N system calls of real verbs fail, by strace. A verb is called until it succeeds, or six
          calls failed, and then without faults: what was in the archive stays, and the last call
          does all of the work. M archives side by side, each second one of a few artifacts

Both count the processes that are left. Kills are `bench/archive_figures.py kills`.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

SOURCE = pathlib.Path(__file__).resolve().parent.parent
MOST_OF_A_CALL = 20  # Faults that count: a call that fails each time is one kind of fault.
CALLS = 6  # So often may a verb fail.
MARK = "VINTAGE_ATTACK"  # In the environment of each process that an attack starts.
FAULTS = {
    "write,pwrite64,writev": ("ENOSPC", "EIO", "EDQUOT"),
    "fsync,fdatasync": ("EIO", "ENOSPC"),
    "openat": ("EMFILE", "ENOSPC", "EACCES", "EIO"),
    "read,pread64": ("EIO",),
    "rename,renameat,unlink,unlinkat,link,linkat": ("EIO", "ENOSPC", "EACCES"),
    "mkdir,mkdirat,ftruncate,fallocate": ("ENOSPC", "EIO"),
    "fcntl": ("ENOLCK",),
    "mmap": ("ENOMEM",),
    "newfstatat,statx,fstat": ("EIO",),
}


# Bodies that schemathesis has no words for: lines of JSON, and frames with contents whose ids and
# sizes are right, wrong or no ids at all.
BODIES = """
import hashlib
import json

import schemathesis
from hypothesis import strategies as st


def line(value):
    return json.dumps(value).encode() + b"\\n"


@schemathesis.serializer("application/x-ndjson", "application/vnd.vintage.frames")
def serialized(context, value):
    if isinstance(value, bytes):
        return value
    return b"".join(map(line, value if isinstance(value, list) else [value]))


def content(bytes, wrong, size):
    id = wrong or hashlib.sha256(bytes).hexdigest()
    return "contents", line({"type": "content", "id": id, "bytes": len(bytes) + size}) + bytes


def stream(frames, wrong):
    kinds = [kind for kind, text in frames]
    counts = {kind: kinds.count(kind) + wrong for kind in TOTALS}
    return b"".join(text for kind, text in frames) + line({"type": "end"} | counts)


TOTALS = ["contents", "artifacts", "builds", "runs", "outcomes"]


texts = st.one_of(st.text(max_size=20), st.sampled_from(["neg", "cpu", "2026-11-20", "f32"]))
values = st.one_of(st.none(), st.booleans(), st.integers(), texts, st.lists(texts, max_size=3))
fields = st.sampled_from(["id", "name", "producer", "golden", "bytes", "build_date", "platforms",
                          "run", "artifact", "kind", "record", "format", "details"])
records = st.builds(lambda kind, record: (kind, line({"type": kind[:-1], "record": record})),
                    st.sampled_from([*TOTALS[1:], "others"]),
                    st.dictionaries(fields, values, max_size=8))
contents = st.builds(content, st.binary(max_size=300),
                     st.one_of(st.just(""), st.just("f" * 64), texts), st.sampled_from([0, 0, -1, 7]))
schemathesis.openapi.media_type(
    "application/vnd.vintage.frames",
    st.one_of(st.binary(max_size=100),
              st.builds(stream, st.lists(st.one_of(contents, records), max_size=5),
                        st.sampled_from([0, 0, 0, 1]))))
"""


class Archive:
    """A night of one primitive, and ways to look at archives."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path, primitive: str = "neg") -> None:
        self.program, self.folder = program, folder
        self.night = ("nightly", "--archive", folder, "--primitive", primitive)
        self.must(*self.night)

    def run(self, *words: object, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        command = [*before, str(self.program), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)

    def must(self, *words: object) -> str:
        done = self.run(*words)
        if done.returncode != 0:
            sys.exit(f"{words}: exit status {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def records(self, folder: pathlib.Path) -> set[str]:
        listed = json.loads(self.must("list", "--archive", folder, "--format", "json"))
        return {record["id"] for record in listed}


def counted(url: str, token: str) -> collections.Counter[str]:
    """The service's own count of its answers, by their first digit."""
    asked = urllib.request.Request(f"{url}/metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked) as answer:
        text = answer.read().decode()
    answers: collections.Counter[str] = collections.Counter()
    for status, count in re.findall(r'requests_total\{.*status="(.xx)".*\} (\d+)', text):
        answers[status] += int(count)
    return answers


def requests(options: argparse.Namespace, folder: pathlib.Path) -> str:
    archive = Archive(options.program, folder / "A")
    before = archive.records(archive.folder)
    token = {
        role: archive.must("token", "add", role, "--role", role, "--archive", archive.folder)
        .split()[0]
        for role in ("read", "push", "admin")
    }  # fmt: skip
    watcher = archive.must("token", "add", "w", "--role", "read", "--archive", archive.folder)
    server = subprocess.Popen(
        [options.program, "serve", "--archive", archive.folder, "--listen", "127.0.0.1:0",
         "--access-log", "none"], stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout
    url = server.stdout.readline().removeprefix("listening on ").strip()
    (folder / "bodies.py").write_text(BODIES)
    began = time.monotonic()
    answers = counted(url, watcher.split()[0])

    def some(role: str, seed: int) -> None:
        headers = ["-H", f"Authorization: Bearer {token[role]}"] if role in token else []
        command = [
            "st", "run", str(SOURCE / "docs/reference/openapi.json"), "--url", url,
            *headers, "--checks", "not_a_server_error", "--max-examples", "40",
            "--no-shrink", "--seed", str(seed), "--continue-on-failure",
            # It would take away the tokens that it is tried with.
            "--exclude-path-regex", "^/v1/tokens/",
            "--suppress-health-check", "all", "--generation-database", "none",
        ]  # fmt: skip
        variables = {"SCHEMATHESIS_HOOKS": "bodies", "PYTHONPATH": str(folder)}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=folder,
            env=os.environ | variables,
        )  # fmt: skip
        print(f"seed {seed}, {role}: exit {done.returncode}", flush=True)
        if done.returncode != 0:
            print(done.stdout[-3000:], done.stderr[-1000:], flush=True)

    try:
        with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
            roles = ("admin", "push", "read", "none")
            for first in itertools.count(options.seed, step=options.at_once):
                seeds = range(first, first + max(1, options.at_once // len(roles)))
                list(pool.map(lambda one: some(*one), itertools.product(roles, seeds)))
                answers = counted(url, watcher.split()[0])
                print(dict(answers), flush=True)
                if sum(answers.values()) >= options.many:
                    break
    finally:
        server.terminate()
        status = server.wait(timeout=60)
    seconds = time.monotonic() - began
    lost = len(before - archive.records(archive.folder))
    whole = "is whole" in archive.run("fsck", "--archive", archive.folder, "--read-data").stdout
    return (f"{sum(answers.values())} requests in {seconds:.0f} s, answers {dict(answers)}; "
            f"{answers['5xx']} server errors; the service ended with {status}; "
            f"{lost} of {len(before)} artifacts lost; the archive is "
            f"{'whole' if whole else 'NOT WHOLE'}")  # fmt: skip


class Tally:
    """The counts of all archives under attack."""

    def __init__(self, goal: int) -> None:
        self.goal, self.lock = goal, threading.Lock()
        self.injected = self.calls = self.series = self.refused = 0
        self.by_verb: collections.Counter[str] = collections.Counter()
        self.wrong: collections.Counter[str] = collections.Counter()

    def add_call(self, verb: str, hits: int, refused: bool) -> None:
        with self.lock:
            self.injected += min(hits, MOST_OF_A_CALL)
            self.by_verb[verb] += min(hits, MOST_OF_A_CALL)
            self.calls, self.refused = self.calls + 1, self.refused + refused

    def add_series(self, verb: str, problems: list[str]) -> None:
        with self.lock:
            self.series += 1
            if problems:
                self.wrong[verb] += 1
                print(f"{verb}: {'; '.join(problems)[:3000]}", flush=True)
            if self.series % 50 == 0:
                print(self, flush=True)

    def __str__(self) -> str:
        return (
            f"{self.injected} injected faults in {self.calls} calls ({self.series} series) of "
            f"{dict(self.by_verb)}; {self.refused} calls said so; {self.wrong.total()} wrong: "
            f"{dict(self.wrong)}"
        )


class Attack:
    """Lets system calls of verbs on an archive of its own fail."""

    def __init__(
        self, program: pathlib.Path, folder: pathlib.Path, seed: int, primitive: str
    ) -> None:
        self.archive = Archive(program, folder / "A", primitive)
        self.chance, self.log = random.Random(seed), folder / "strace"
        self.source, self.copy = source, copy = self.archive.folder, folder / "copy"
        self.wanted = self.archive.records(source)
        self.archive.must("backup", folder / "backup", "--archive", source)
        some = sorted(self.wanted)[0]
        # A verb, and the archive that it leaves behind.
        self.verbs = {
            "push": (("push", source, copy), copy),
            "mirror": (("mirror", source, copy), copy),
            "backup": (("backup", copy, "--archive", source), source),
            "restore": (("restore", folder / "backup", copy), copy),
            "gc": (("gc", "--archive", source, "--repack"), source),
            "fsck": (("fsck", "--archive", source, "--repair"), source),
            "hold": (("hold", some, "--archive", source, "--reason", "why"), source),
            "nightly": (self.archive.night, source),
        }
        # The loader's calls are behind these.
        self.loading = {}
        for calls in FAULTS:
            self.archive.run("--version", before=self.traced(calls))
            self.loading[calls] = self.traced_calls()
        # How many calls of a kind a verb makes, where that was seen.
        self.most: dict[tuple[str, str], int] = {}

    def traced(self, calls: str, *more: str) -> tuple[str, ...]:
        return ("strace", "-f", "-qq", "--seccomp-bpf", "-o", str(self.log), "-e", f"trace={calls}",
                *more)  # fmt: skip

    def traced_calls(self) -> int:
        return len(self.log.read_text(errors="replace").splitlines())

    def failing_call(self, name: str) -> tuple[subprocess.CompletedProcess[str], int, str]:
        """The verb's end, how many of its system calls failed, and which."""
        calls, errors = self.chance.choice(list(FAULTS.items()))
        most = self.most.get((name, calls), 500)
        first = self.loading[calls] + int(most ** self.chance.random())
        periodic = self.chance.random() < 0.5
        when = f"{first}+{self.chance.choice((1, 3, 17))}" if periodic else str(first)
        error = self.chance.choice(errors)
        done = self.archive.run(
            *self.verbs[name][0],
            before=self.traced(calls, "-e", f"inject={calls}:error={error}:when={when}"),
        )
        hits = self.log.read_text(errors="replace").count("(INJECTED)")
        if hits == 0:
            self.most[name, calls] = max(1, self.traced_calls() - self.loading[calls])
        return done, hits, f"{calls} {error} {when}"

    def series(self, tally: Tally) -> None:
        # The nights' verb takes five times as long as the others.
        name = self.chance.choice(
            [verb for verb in self.verbs for _ in range(1 + (verb != "nightly"))]
        )
        words, left = self.verbs[name]
        shutil.rmtree(self.copy, ignore_errors=True)
        problems: list[str] = []
        faults = []
        for _ in range(CALLS):
            done, hits, fault = self.failing_call(name)
            if hits > 0:
                tally.add_call(name, hits, done.returncode != 0)
                faults.append(fault)
            if done.returncode == 0:
                break
            if done.returncode not in (1, 2, 3, 4):
                problems.append(f"exit status {done.returncode}: {done.stderr}")
            if not done.stderr.strip() and not done.stdout.strip() and "write" not in fault:
                problems.append("it failed without a word")
            # A restore takes an empty folder: it begins anew.
            if name == "restore":
                shutil.rmtree(self.copy, ignore_errors=True)
        if not faults:
            return
        # A restore that ended well is not repeated.
        if name != "restore" or done.returncode != 0:
            done = self.archive.run(*words)
            if done.returncode != 0:
                problems.append(f"again: {done.stdout}{done.stderr}")
        for place in {self.source, left}:
            if not place.exists():
                problems.append(f"{place.name} is not there")
                continue
            missing = self.wanted - self.archive.records(place)
            whole = self.archive.run("fsck", "--archive", place, "--read-data")
            if missing or whole.returncode != 0:
                problems.append(f"{place.name}: {len(missing)} lost; {whole.stdout}{whole.stderr}")
        tally.add_series(name, problems and [*faults, *problems])


def faults(options: argparse.Namespace, folder: pathlib.Path) -> str:
    tally, began = Tally(options.many), time.monotonic()

    def one(number: int) -> None:
        own = folder / str(number)
        own.mkdir()
        primitive = ("neg", "lu_pivots_to_permutation")[number % 2]
        attack = Attack(options.program, own, options.seed + number, primitive)
        while tally.injected < tally.goal:
            attack.series(tally)

    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        list(pool.map(one, range(options.at_once)))
    return f"{tally}; {time.monotonic() - began:.0f} s"


def processes_left(mark: str) -> list[str]:
    """Those that an attack has started, whoever became their parent, after some time to end."""
    for _ in range(50):
        left = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                    left.append((process / "cmdline").read_text().replace("\0", " "))
            except OSError:  # It has ended, or is somebody else's.
                continue
        if not left:
            break
        time.sleep(0.2)
    return left


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("step", choices=["requests", "faults"])
    arguments.add_argument(
        "--program", type=pathlib.Path, default=SOURCE / "build/release/bin/vintage"
    )
    arguments.add_argument("--many", type=int, default=0, help="10,000 requests, 5,000 faults")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--at-once", type=int, default=1, help="programs, or archives of faults")
    options = arguments.parse_args()
    step = {"requests": requests, "faults": faults}[options.step]
    options.many = options.many or {"requests": 10_000, "faults": 5_000}[options.step]
    with tempfile.TemporaryDirectory(prefix="vintage-attacks-") as folder:
        os.environ[MARK] = folder
        print(step(options, pathlib.Path(folder)))
        left = processes_left(f"{MARK}={folder}")
        print(f"{len(left)} processes left", *left, sep="\n  ")


if __name__ == "__main__":
    main()

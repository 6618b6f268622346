#!/usr/bin/env python3
"""Attacks an archive and its service for some hours, and counts.

    bench/attacks.py requests|faults [--program build/release/bin/vintage] [--many N] [--seed S]

requests  N requests that schemathesis (pip install schemathesis) makes from the service's own
          OpenAPI document, with a token of each role and with none: no answer may be 5xx
faults    N system calls of real verbs fail, by strace: what was in the archive stays, and the verb
          does all of its work when it is called again

Kills are `bench/archive_figures.py kills`.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

SOURCE = pathlib.Path(__file__).resolve().parent.parent
MOST_OF_A_RUN = 20  # Faults that count: a call that fails each time is one kind of fault.
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

    def __init__(self, program: pathlib.Path, folder: pathlib.Path) -> None:
        self.program, self.folder = program, folder
        self.must("nightly", "--archive", folder, "--primitive", "neg")

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
    began, rounds = time.monotonic(), 0
    answers = counted(url, watcher.split()[0])
    try:
        while sum(answers.values()) < options.many:
            rounds += 1
            for role in ("admin", "push", "read", "none"):
                headers = ["-H", f"Authorization: Bearer {token[role]}"] if role in token else []
                command = [
                    "st", "run", str(SOURCE / "docs/reference/openapi.json"), "--url", url,
                    *headers, "--checks", "not_a_server_error", "--max-examples", "40",
                    "--no-shrink", "--seed", str(options.seed + rounds), "--continue-on-failure",
                    # It would take away the tokens that it is tried with.
                    "--exclude-path-regex", "^/v1/tokens/",
                    "--suppress-health-check", "all", "--generation-database", "none",
                ]  # fmt: skip
                done = subprocess.run(
                    command,
                    capture_output=True,
                    text=True,
                    check=False,
                    cwd=folder,
                    env=os.environ | {"SCHEMATHESIS_HOOKS": "bodies", "PYTHONPATH": str(folder)},
                )
                answers = counted(url, watcher.split()[0])
                print(
                    f"round {rounds}, {role}: exit {done.returncode}, {dict(answers)}", flush=True
                )
                if done.returncode != 0:
                    print(done.stdout[-3000:], done.stderr[-1000:], flush=True)
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


def faults(options: argparse.Namespace, folder: pathlib.Path) -> str:
    archive = Archive(options.program, folder / "A")
    source, copy = archive.folder, folder / "copy"
    wanted = archive.records(source)
    archive.must("backup", folder / "backup", "--archive", source)
    # A verb, and the archive that it leaves behind.
    verbs = {
        "push": (("push", source, copy), copy),
        "mirror": (("mirror", source, copy), copy),
        "backup": (("backup", copy, "--archive", source), source),
        "restore": (("restore", folder / "backup", copy), copy),
        "gc": (("gc", "--archive", source, "--repack"), source),
        "fsck": (("fsck", "--archive", source, "--repair"), source),
        "hold": (("hold", sorted(wanted)[0], "--archive", source, "--reason", "why"), source),
        "nightly": (("nightly", "--archive", source, "--primitive", "neg"), source),
    }
    chance, log = random.Random(options.seed), folder / "strace"

    def traced(calls: str, *more: str) -> tuple[str, ...]:
        return (
            "strace",
            "-f",
            "-qq",
            "--seccomp-bpf",
            "-o",
            str(log),
            "-e",
            f"trace={calls}",
            *more,
        )

    # The loader's calls are behind these.
    loading = {}
    for calls in FAULTS:
        archive.run("--version", before=traced(calls))
        loading[calls] = len(log.read_text(errors="replace").splitlines())
    injected = runs = refused = 0
    by_verb: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    began = time.monotonic()
    while injected < options.many:
        name = chance.choice(list(verbs))
        words, left = verbs[name]
        calls, errors = chance.choice(list(FAULTS.items()))
        error, first = chance.choice(errors), loading[calls] + int(1.25 ** chance.uniform(0, 28))
        when = f"{first}+{chance.choice((1, 3, 17))}" if chance.random() < 0.5 else str(first)
        shutil.rmtree(copy, ignore_errors=True)
        strace = traced(calls, "-e", f"inject={calls}:error={error}:when={when}")
        done = archive.run(*words, before=strace)
        hits = log.read_text(errors="replace").count("(INJECTED)")
        if hits == 0:
            continue
        hits = min(hits, MOST_OF_A_RUN)
        injected, runs, refused = injected + hits, runs + 1, refused + (done.returncode != 0)
        by_verb[name] += hits
        # A restore that ended well is not repeated; what it could not read is, from the beginning.
        if name == "restore" and done.returncode != 0:
            shutil.rmtree(copy, ignore_errors=True)
        again = done if name == "restore" and done.returncode == 0 else archive.run(*words)
        places = {source, left} - ({copy} if not copy.exists() else set())
        problems = [] if again.returncode == 0 else [f"again: {again.stdout}{again.stderr}"]
        if done.returncode not in (0, 1, 2, 3, 4):
            problems.append(f"exit status {done.returncode}: {done.stderr}")
        said = done.stderr.strip() or done.stdout.strip() or "write" in calls
        if done.returncode != 0 and not said:
            problems.append("it failed without a word")
        for place in places:
            missing = wanted - archive.records(place)
            whole = archive.run("fsck", "--archive", place, "--read-data")
            if missing or whole.returncode != 0:
                problems.append(f"{place.name}: {len(missing)} lost; {whole.stdout}{whole.stderr}")
        if problems:
            wrong.append(name)
            print(f"{name} {calls} {error} {when}: {'; '.join(problems)[:1500]}", flush=True)
        if runs % 50 == 0:
            print(f"{injected} faults in {runs} runs, {len(wrong)} wrong", flush=True)
    return (f"{injected} injected faults in {runs} runs of {dict(by_verb)} in "
            f"{time.monotonic() - began:.0f} s; {refused} runs said so; {len(wrong)} wrong: "
            f"{dict(collections.Counter(wrong))}")  # fmt: skip


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
    options = arguments.parse_args()
    step = {"requests": requests, "faults": faults}[options.step]
    options.many = options.many or {"requests": 10_000, "faults": 5_000}[options.step]
    with tempfile.TemporaryDirectory(prefix="vintage-attacks-") as folder:
        print(step(options, pathlib.Path(folder)))


if __name__ == "__main__":
    main()

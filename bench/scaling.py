#!/usr/bin/env python3
"""Measures the cost of a night over real JAX, and how it scales: docs/measured/scaling.md.

    bench/scaling.py [--root JAXROOT] [--release 0.12.0.1] [--build build/release] [--page FILE]
                     [--history ARCHIVE]

One release of JAX exports a harness of each primitive and class of dtypes for the CPU and
runs them: by 1, 2 and 4 workers, and as a window in parts on 1, 2 and 4 nodes of a Slurm that
this machine runs (slurmctld, slurmd and munge). Beside them a loop in JAX alone runs the same
artifacts. The cost of a large night follows from the processor time of an export and of an
execution. With --history, the archive of a `vintage history`, the page has the time of all its
executions, and the time that parts on machines of their own would have taken.
"""

import argparse
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tests" / "harness" / "replay" / "cluster"))
from local_slurm import Cluster  # noqa: E402

COUNTS = (1, 2, 4)
PARTS = 16
HISTORY_PARTS = (1, 4, 16, 64)
# The night of the simulation.
RELEASES, HARNESSES, PLATFORMS, CONSUMERS = 25, 7_400, 4, 10


PAGE = """\
# The cost of a night over real JAX

Written by `bench/scaling.py --release {release}` on {day}, on {cores} cores; load {load:.1f}.

JAX {release} exported {artifacts} harnesses with the outputs that it computed: {export:.0f} ms of
processor time each. Their {pairs} executions took {execution:.0f} ms each, nearly all of it XLA's compiler.

A loop in JAX alone over {looped} of them took {loop:.1f} ms each, `vintage replay --workers 1` {replay:.1f} ms:
{ratio:.2f} times.

| {pairs} executions | 1 | 2 | 4 |
| --- | --- | --- | --- |
| `replay --workers N` | {replays} |
| `window --slurm {parts}` on N nodes | {windows} |

Efficiency is the time of one divided by N times the time of N; with {cores} cores 4 workers cannot pass
{reachable} %. Each of the {parts} parts starts JAX again, and on several nodes one waits for the scheduler
while another works.

## {releases} releases, {harnesses} harnesses, {platforms} platforms, {consumers} consumers

From those two figures, as if an artifact for another platform cost what one for the CPU costs. An
outcome stays: an artifact runs on a build once.

| what | core hours | hours on 64 cores |
| --- | ---: | ---: |
{costs}
"""
HISTORY = """
## The measured history in parts

`vintage history` ([README.md](README.md)) recorded {executions:,} executions on {builds} builds, {mean:.0f} ms
each; what has the same bytes runs once. In parts by the hash of the artifact, as `--slurm N` and `--shard I/N` make them, each part on
a node with one worker and {start:.1f} s for each build that it starts (measured above: what a window in
{parts} parts takes longer than a replay):

| parts | the longest | efficiency | the same if no build had to start |
| ---: | ---: | ---: | ---: |
{rows}
"""


@dataclass
class Took:
    wall: float
    processor: float
    output: str


def took(command: list[str], environment: dict[str, str] | None = None) -> Took:
    """Runs a command and everything that it starts; a failing pair (status 1) is a result too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode not in (0, 1):
        sys.exit(
            f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stderr[-2000:]}{ended.stdout[-2000:]}"
        )
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(wall, processor, ended.stdout)


def seconds_of_loop(vintage: str, archive: Path, python: Path, folder: Path) -> tuple[int, float]:
    """Deserialize and call, one after the other, in one process; its start counts."""
    listed = json.loads(
        took([vintage, "list", "--archive", str(archive), "--format", "json"]).output
    )
    ids = [one["id"] for one in listed if one["device_count"] == 1]
    for each in ids:
        took([vintage, "get", each, "--archive", str(archive), "-o", str(folder / each)])
    result = took([str(python), str(SOURCE / "bench" / "jax_loop.py"), str(folder)])
    return json.loads(result.output)["ran"], result.wall


def efficiencies(walls: dict[int, float]) -> list[str]:
    return [f"{walls[count]:.1f} s, {walls[1] / walls[count] / count:.0%}" for count in COUNTS]


def costs(export: float, execution: float) -> list[str]:
    artifacts = RELEASES * HARNESSES * PLATFORMS
    rows = [
        ("every release exports everything, once", artifacts * export),
        ("every artifact runs on every consumer, the first night", artifacts * CONSUMERS * execution),
        ("each later night: one new consumer runs every artifact", artifacts * execution),
        ("each later night: one new release exports, all consumers run that",
         HARNESSES * PLATFORMS * (export + CONSUMERS * execution)),
    ]  # fmt: skip
    return [
        f"| {what} | {seconds / 3600:,.0f} | {seconds / 3600 / 64:,.1f} |" for what, seconds in rows
    ]


def history_in_parts(archive: Path, start: float) -> str:
    """Rows of a table, from the recorded seconds of each execution (docs/reference/archive_format.md)."""
    with sqlite3.connect(f"file:{archive}/index.sqlite?mode=ro", uri=True) as index:
        taken = index.execute(
            "SELECT o.build, b.hash, o.seconds FROM outcome AS o JOIN blob AS b ON b.id = o.blob"
        ).fetchall()
    together = sum(seconds for _, _, seconds in taken)
    rows = []
    for count in HISTORY_PARTS:
        work, builds = [0.0] * count, [set[int]() for _ in range(count)]
        for build, digest, seconds in taken:
            part = int.from_bytes(digest[:8], "big") % count  # As archive::shardOf().
            work[part] += seconds
            builds[part].add(build)
        longest = max(one + start * len(own) for one, own in zip(work, builds, strict=True))
        whole = together + start * len({build for build, _, _ in taken})
        rows.append(
            f"| {count} | {longest / 60:,.1f} min | {whole / longest / count:.0%} "
            f"| {max(work) / 60:,.1f} min, {together / max(work) / count:.0%} |"
        )
    return HISTORY.format(
        executions=len(taken), builds=len({build for build, _, _ in taken}), parts=PARTS,
        mean=1000 * together / len(taken), start=start, rows="\n".join(rows))  # fmt: skip


def loop_beside_replay(
    vintage: str, archive: Path, build: str, folder: Path
) -> tuple[dict[int, Took], int, float, int]:
    """Replays with each number of workers; the loop's calls and seconds, and the pairs."""
    replays = {count: took([vintage, "replay", "--archive", str(archive), "--build", build,
                            "--workers", str(count), "--format", "json"]) for count in COUNTS}  # fmt: skip
    shown = json.loads(
        took(
            [vintage, "builds", "show", build, "--archive", str(archive), "--format", "json"]
        ).output
    )
    looped, loop = seconds_of_loop(vintage, archive, Path(shown["command"][0]), folder)
    return replays, looped, loop, len(json.loads(replays[1].output)["pairs"])


def windows_on_nodes(vintage: str, archive: Path, build: str, folder: Path) -> dict[int, Took]:
    windows = {}
    for count in COUNTS:
        own = folder / f"slurm{count}"
        own.mkdir()
        cluster = Cluster(own, count)
        try:
            windows[count] = took(
                [vintage, "window", "--archive", str(archive), "--consumer", build, "--mode", "compiled",
                 "--scope", "cpu", "backward", "--rerun", "--workers", "1", "--slurm", str(PARTS), "--format", "json"],
                cluster.environment)  # fmt: skip
        finally:
            cluster.stop()
    return windows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=os.environ.get("VINTAGE_JAX_ROOT"))
    parser.add_argument("--release", default="0.12.0.1")
    parser.add_argument("--build", type=Path, default=SOURCE / "build" / "release")
    parser.add_argument("--history", type=Path, help="the archive of a `vintage history`")
    out = parser.add_mutually_exclusive_group()
    out.add_argument("--page", type=Path, help="where the page goes; standard output without it")
    out.add_argument("--json", type=Path, help="only this machine's workers and the loop, as JSON")
    arguments = parser.parse_args()
    vintage = str(arguments.build.resolve() / "bin" / "vintage")
    root = ["--root", str(arguments.root)] if arguments.root else []
    build = f"jax-{arguments.release}"
    with tempfile.TemporaryDirectory(prefix="scaling.") as temporary:
        archive = Path(temporary) / "archive"
        took(
            [vintage, "builds", "add", "--archive", str(archive), "--jax", arguments.release, *root]
        )
        exported = took([vintage, "produce", "--archive", str(archive), "--build", build, "--cases",
                         "harnesses", "--one-of-each", "class", "--format", "json"])  # fmt: skip
        artifacts = json.loads(exported.output)["exported"]
        replays, looped, loop, pairs = loop_beside_replay(
            vintage, archive, build, Path(temporary) / "files"
        )
        if arguments.json:
            walls = {count: one.wall / pairs for count, one in replays.items()}
            arguments.json.write_text(
                json.dumps({"pairs": pairs, "loop": loop / looped, "workers": walls})
            )
            return
        windows = windows_on_nodes(vintage, archive, build, Path(temporary))
    export, execution = exported.processor / artifacts, replays[1].processor / pairs
    text = PAGE.format(
        release=arguments.release, day=time.strftime("%Y-%m-%d"), cores=os.cpu_count(),
        load=os.getloadavg()[1], artifacts=artifacts, pairs=pairs, export=1000 * export,
        execution=1000 * execution, looped=looped, loop=1000 * loop / looped,
        replay=1000 * replays[1].wall / pairs, ratio=replays[1].wall / pairs / (loop / looped),
        replays=" | ".join(efficiencies({n: one.wall for n, one in replays.items()})),
        windows=" | ".join(efficiencies({n: one.wall for n, one in windows.items()})),
        reachable=25 * (os.cpu_count() or 1), costs="\n".join(costs(export, execution)),
        parts=PARTS, releases=RELEASES, harnesses=HARNESSES, platforms=PLATFORMS,
        consumers=CONSUMERS)  # fmt: skip
    if arguments.history:
        text += history_in_parts(arguments.history, (windows[1].wall - replays[1].wall) / PARTS)
    if arguments.page:
        arguments.page.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()

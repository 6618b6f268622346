#!/usr/bin/env python3
"""Measures the endurance and size of an archive: bench/archive_figures.md.

    bench/archive_figures.py STEP... [--build build/release] [--keep DIR]

Steps: kills, fuzz, collection, mixed, bytes, many, table. Each but the last takes minutes to hours and
writes DIR/STEP.json (build/archive_figures); `table` writes the page from the files that are there,
and leaves the page's lines of the others as they are.
--from FILE takes the results of another call of the same program: for kills, requests and faults
its output, for collection its JSON.

kills       processes that are killed at random: VINTAGE_CRASH_KILLS (10,000) of them
requests    bench/attacks.py requests: what schemathesis asks a service
faults      bench/attacks.py faults: system calls that fail
fuzz        every fuzzer of build/fuzz (`cmake --preset fuzz`), two at a time, --seconds in all;
            each run is added to bench/fuzz_runs.json; the page has the sum
collection  bench/collection.py: an hour, a million objects
mixed       bench/service_bench.sh: reads and batches of 1,000 clients beside nginx and a registry
bytes       a night's artifacts in an archive and by `tar` and `zstd -19`
many        an archive of ten million artifacts: some GB below --folder, an hour to make it
"""

import argparse
import concurrent.futures
import datetime
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

from attacks import MARK, processes_left

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGE = SOURCE / "bench" / "archive_figures.md"
FUZZ_RUNS = SOURCE / "bench" / "fuzz_runs.json"
MANY = 10_000_000
_arguments = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
_arguments.add_argument("steps", nargs="+", metavar="STEP")
_arguments.add_argument("--build", type=pathlib.Path, default=SOURCE / "build" / "release")
_arguments.add_argument("--fuzzers", type=pathlib.Path, default=SOURCE / "build" / "fuzz")
_arguments.add_argument("--keep", type=pathlib.Path, default=SOURCE / "build" / "archive_figures")
_arguments.add_argument("--folder", type=pathlib.Path, help="of the large archives; they stay")
_arguments.add_argument("--kills", type=int, default=10_000)
_arguments.add_argument("--at-once", type=int, default=4, help="processes of kills")
_arguments.add_argument("--seconds", type=int, default=3600)
_arguments.add_argument("--from", dest="source", type=pathlib.Path, metavar="FILE")


def output(command: list[str], **variables: str) -> str:
    done = subprocess.run(
        command,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n{' '.join(command)}: exit status {done.returncode}")
    return done.stdout


def read_kills(text: str) -> dict[str, int]:
    """From the summaries that the three tests print."""
    found = {
        "writers": r"^(\d+) processes killed, (\d+) artifacts acknowledged, (\d+) missing",
        "migrations": r"^(\d+) migrations killed",
        "services": r"^(\d+) processes killed \(.*\) in \d+ pushes, (\d+) records acknowledged, "
        r"(\d+) missing",
    }
    kills: dict[str, int] = {"acknowledged": 0, "lost": 0}
    for name, expression in found.items():
        lines = list(re.finditer(expression, text, re.MULTILINE))
        if not lines:
            sys.exit(f"kills: the summary of {name} is missing")
        kills[name] = sum(int(line[1]) for line in lines)
        if name != "migrations":
            kills["acknowledged"] += sum(int(line[2]) for line in lines)
            kills["lost"] += sum(int(line[3]) for line in lines)
    if "FAILED" in text:
        sys.exit("kills: a test failed")
    return kills


def kills(options: argparse.Namespace) -> Any:
    if options.source:
        return read_kills(options.source.read_text())

    mark = f"kills of {os.getpid()}"

    def one(number: int) -> str:
        text = ""
        # Seven of ten in the writers' test, which a migration of each fifth follows.
        for tests, name, part in [
            ("archive", "CrashTest.*", 0.7),
            ("transfer", "ServiceCrash.*", 0.3),
        ]:
            text += output(
                [
                    str(options.build / "tests" / f"vintage_{tests}_tests"),
                    f"--gtest_filter={name}",
                ],
                VINTAGE_CRASH_KILLS=str(math.ceil(options.kills * part / options.at_once)),
                VINTAGE_CRASH_SEED=str(20261122 + number),
                **{MARK: mark},
            )
        return text

    # A kill is mostly waiting: for syncs, and for the moment that is drawn.
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        found = read_kills("".join(pool.map(one, range(options.at_once))))
    if left := processes_left(f"{MARK}={mark}"):
        sys.exit(f"kills: processes are left: {left}")
    return found | {"left": 0}


# Progress of the faults has the same form as their summary, without a time.
ATTACKS = {
    "requests": r"^(?P<requests>\d+) requests in .*; (?P<errors>\d+) server errors; .*"
    r"; (?P<lost>\d+) of \d+ artifacts lost; the archive is whole",
    "faults": r"^(?P<faults>\d+) injected faults in (?P<calls>\d+) calls [^\n]*"
    r"; (?P<said>\d+) calls said so; (?P<wrong>\d+) wrong: [^\n]*; \d+ s$",
}


def attacks(step: str, options: argparse.Namespace) -> dict[str, int]:
    """The numbers of its last lines that its expression names."""
    text = options.source.read_text() if options.source else output(
        [sys.executable, str(SOURCE / "bench" / "attacks.py"), step, "--program",
         str(options.build / "bin" / "vintage"), "--at-once", str(options.at_once)]
    )  # fmt: skip
    found = re.search(
        ATTACKS[step] + r".*^(?P<left>\d+) processes left", text, re.MULTILINE | re.DOTALL
    )
    if found is None:
        sys.exit(f"{text}\n{step}: its summary is missing")
    return {name: int(number) for name, number in found.groupdict().items()}


# MLIR's own reader is part of the target: a crash of it ends no run.
GO_ON = ["-fork=1", "-ignore_crashes=1", "-rss_limit_mb=2048"]
CORPUS = SOURCE / "tests" / "fuzz" / "corpus"
FUZZERS: dict[str, list[str]] = {
    "archive": [],
    "exported": [],
    "golden": [],
    "http": [f"-dict={SOURCE / 'tests' / 'fuzz' / 'http.dict'}", str(CORPUS / "http")],
    "kernel": [*GO_ON, str(CORPUS / "kernels")],
    "npy": [],
    "portable_artifact": [*GO_ON, str(CORPUS / "damaged_artifacts")],
    "stablehlo_text": [*GO_ON, str(CORPUS / "stablehlo_text")],
}


def read_fuzzer(name: str, text: str) -> dict[str, Any]:
    units = re.search(r"stat::number_of_executed_units: (\d+)", text)
    forked = re.findall(
        r"^#(\d+): cov: .* oom/timeout/crash: (\d+)/(\d+)/(\d+)", text, re.MULTILINE
    )
    if forked:
        count, *ends = (int(number) for number in forked[-1])
        return {"fuzzer": name, "executions": count, "findings": sum(ends)}
    if units is None:
        sys.exit(f"{name}: it did not say how many inputs it tried:\n{text[-2000:]}")
    findings = len(re.findall(r"^SUMMARY: ", text, re.MULTILINE))
    return {"fuzzer": name, "executions": int(units[1]), "findings": findings}


def fuzz(options: argparse.Namespace) -> Any:
    at_once = 2
    seconds = options.seconds * at_once // len(FUZZERS)
    kept = options.fuzzers / "kept"  # The interesting inputs: the next run begins with them.
    flags = "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0"

    def one(name: str) -> dict[str, Any]:
        corpus, artifacts = kept / name, kept / f"{name}.artifacts"
        corpus.mkdir(parents=True, exist_ok=True)
        artifacts.mkdir(exist_ok=True)
        program = next(options.fuzzers.rglob(f"vintage_fuzz_{name}"))
        done = subprocess.run(
            [str(program), f"-max_total_time={seconds}", "-print_final_stats=1",
             f"-artifact_prefix={artifacts}/", str(corpus), *FUZZERS[name]],
            env=os.environ | {"ASAN_OPTIONS": flags},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            check=False,
        )  # fmt: skip
        (kept / f"{name}.log").write_text(done.stdout)
        return read_fuzzer(name, done.stdout)

    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        found = {"seconds": options.seconds, "fuzzers": list(pool.map(one, FUZZERS))}
    runs = json.loads(FUZZ_RUNS.read_text())
    runs.append({"date": datetime.date.today().isoformat()} | found)
    FUZZ_RUNS.write_text(json.dumps(runs, indent=1) + "\n")
    return found


def collection(options: argparse.Namespace) -> Any:
    if options.source:
        return json.loads(options.source.read_text())
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        output([sys.executable, str(SOURCE / "bench" / "collection.py"), "--build",
                str(options.build), "--json", out.name])  # fmt: skip
        return json.loads(pathlib.Path(out.name).read_text())


def mixed(options: argparse.Namespace) -> Any:
    text = options.source.read_text() if options.source else output(
        [str(SOURCE / "bench" / "service_bench.sh"), str(options.build)]
    )  # fmt: skip
    if "mean nothing" in text:
        sys.exit(f"{text}\nmixed: requests failed")
    part = text[text.index("1,000 clients") :]
    cells = {}
    for server in ("nginx", "vintage", "registry"):
        line = re.search(
            rf"^\| {server} \| (\S+) \| (\S+) ms \| (\S+) ms \| (\S+) µs \| (\S+) \|",
            part,
            re.MULTILINE,
        )
        if line is None:
            sys.exit(f"{text}\nmixed: the line of {server} is missing")
        names = ("requests", "p50_ms", "p99_ms", "processor_us", "beside")
        cells[server] = dict(zip(names, map(float, line.groups()), strict=True))
    most = re.search(r"(\d+) MB at most", part[part.index("After the mixed load") :])
    return {**cells, "megabytes": int(most[1]) if most else None}


def benchmarks(program: pathlib.Path, expression: str, **variables: str) -> dict[str, Any]:
    text = output(
        [str(program), f"--benchmark_filter={expression}", "--benchmark_format=json"],
        **variables,
    )
    runs = {one["name"].removesuffix("/real_time"): one for one in json.loads(text)["benchmarks"]}
    for name, run in runs.items():
        if "error_message" in run:
            sys.exit(f"{name}: {run['error_message']}")
    return runs


def size(options: argparse.Namespace) -> Any:
    with tempfile.TemporaryDirectory() as archive:
        output([str(options.build / "bin" / "vintage"), "nightly", "--archive", archive])
        return benchmarks(
            options.build / "bench" / "archive_bench", "BytesOnDisk|ReadSmall",
            VINTAGE_BENCH_SET=archive,
        )  # fmt: skip


def many(options: argparse.Namespace) -> Any:
    if options.folder is None:
        sys.exit("many: --folder says where the large archives lie and stay")
    bench = options.build / "bench"
    planning = options.folder / "planning"
    planning.mkdir(parents=True, exist_ok=True)
    large = options.folder / "large"
    runs = benchmarks(
        bench / "archive_bench",
        "PutIntoLarge|OpenLargeAndFind|CountWindow/days:1/|WindowQuery/days:60|FsckLargeBySample",
        VINTAGE_BENCH_ARTIFACTS=str(MANY), VINTAGE_BENCH_LARGE=str(large),
    )  # fmt: skip
    runs |= benchmarks(
        bench / "planning_bench", f"PlanWindow/artifacts:{MANY}/builds:1000",
        VINTAGE_BENCH_PLANNING=str(MANY), VINTAGE_BENCH_KEEP=str(planning),
    )  # fmt: skip
    disk = {
        name: sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())
        for name, folder in (("large", large), ("planning", planning))
    }
    return {"runs": runs, "bytes": disk}


@dataclass
class Row:
    what: str
    goal: str
    now: str


COMMANDS = {
    "kills": "bench/archive_figures.py kills",
    "requests": "bench/attacks.py requests",
    "faults": "bench/attacks.py faults",
    "fuzz": "bench/archive_figures.py fuzz",
    "collection": "bench/collection.py",
    "mixed": "bench/service_bench.sh",
    "bytes": "bench/archive_figures.py bytes",
    "many": "bench/archive_figures.py many --folder DIR",
}


def kills_row(found: Any) -> list[Row]:
    count = found["writers"] + found["migrations"] + found["services"]
    now = (
        f"{count:,}: {found['writers']:,} writers, {found['migrations']:,} migrations, "
        f"{found['services']:,} services, clients and collectors; {found['acknowledged']:,} "
        f"records acknowledged, {found['lost']} lost{', no process left' * ('left' in found)}"
    )
    goal = "5,000 in a night, nothing acknowledged lost"
    return [Row("random kills under load", goal, now)]


def requests_row(found: Any) -> list[Row]:
    now = (
        f"{found['requests']:,}: {found['errors']} server errors; {found['lost']} artifacts lost; "
        f"{found['left']} processes left"
    )
    return [Row("requests that schemathesis makes of openapi.json", "10,000, no server error", now)]


def faults_row(found: Any) -> list[Row]:
    now = (
        f"{found['faults']:,} in {found['calls']:,} calls of verbs; {found['said']:,} calls "
        f"said so; {found['wrong']} archives wrong after it; {found['left']} processes left"
    )
    return [Row("system calls that fail", "5,000, nothing lost", now)]


def executions(run: Any) -> int:
    return sum(one["executions"] for one in run["fuzzers"])


def findings(fuzzer: Any) -> str:
    count = fuzzer["findings"]
    return f" ({count} finding{'s' * (count > 1)})" if count else ""


def fuzz_rows(found: Any) -> list[Row]:
    """`found` is one of the runs that the file has."""
    runs = json.loads(FUZZ_RUNS.read_text())
    longest = max(runs, key=lambda run: run["seconds"])
    names = ", ".join(
        f"{one['fuzzer']} {one['executions']:,}{findings(one)}" for one in longest["fuzzers"]
    )
    now = f"{longest['seconds'] // 60} minutes, {executions(longest):,} executions: {names}"
    everything = (
        f"{sum(executions(run) for run in runs):,} executions in {len(runs)} runs of "
        f"{sum(run['seconds'] for run in runs) // 60} minutes together, since {runs[0]['date']}"
    )
    return [
        Row("fuzzing with sanitizers, the longest run", "an hour", now),
        Row("fuzzing in all (bench/fuzz_runs.json)", "10⁹ over time", everything),
    ]


def collection_row(found: Any) -> list[Row]:
    now = (
        f"{found['seconds'] // 60} minutes, {found['objects_pushed']:,} objects pushed, "
        f"{found['collections']} collections; {found['stay']:,} to stay, {found['lost']} lost"
    )
    what = f"collection beside {found['pushers']} pushers and {found['readers']} readers"
    return [Row(what, "1 hour without a loss, 10⁶ objects", now)]


def mixed_row(found: Any) -> list[Row]:
    own, nginx, registry = found["vintage"], found["nginx"], found["registry"]
    durable = (
        f"{own['requests'] / registry['requests']:.1f} times: {own['requests']:,.0f} and "
        f"{registry['requests']:,.0f} requests/s; p50 {own['p50_ms']:g} and "
        f"{registry['p50_ms']:g} ms; {own['processor_us']:g} and {registry['processor_us']:g} µs"
    )
    now = (
        f"{own['beside']:.2f} of nginx: {own['requests']:,.0f} and {nginx['requests']:,.0f} "
        f"requests/s; p50 {own['p50_ms']:g} and {nginx['p50_ms']:g} ms, p99 {own['p99_ms']:g} and "
        f"{nginx['p99_ms']:g} ms; {own['processor_us']:g} and {nginx['processor_us']:g} µs of "
        f"processors each; {found['megabytes']} MB at most"
    )
    what = "service under nine GETs to one durable batch of ten, 1,000 connections"
    return [
        Row(what, "≥ 0.9 of nginx, which syncs nothing", now),
        Row(
            f"{what}, beside docker-registry", "≥ 2 times a registry that syncs its files", durable
        ),
    ]


def size_rows(found: Any) -> list[Row]:
    disk = next(one for key, one in found.items() if key.startswith("BytesOnDisk"))
    ratio = disk["archive_repacked"] / disk["tar_zstd_19"]
    reads = {
        name: found[f"ReadSmall/packs:{packs}/random:{order}"]["cpu_time"] / 1000
        for name, packs, order in [("alone", 0, 1), ("packed", 1, 1), ("in order", 1, 0)]
    }
    return [
        Row(f"bytes of a night's {disk['artifacts']:,.0f} artifacts", "≤ 1.5 of `tar` with `zstd -19`",
            f"{ratio:.2f}: {disk['archive_repacked'] / 1e6:.2f} and {disk['tar_zstd_19'] / 1e6:.2f} MB"),
        Row("reading a small content from packs at random", "as before, 22.9 µs",
            f"{reads['packed']:.1f} µs; alone {reads['alone']:.1f} µs; packs in their order "
            f"{reads['in order']:.1f} µs (processor time)"),
    ]  # fmt: skip


def many_rows(found: Any) -> list[Row]:
    runs = found["runs"]

    def duration(name: str) -> str:
        run = next(one for key, one in runs.items() if key.startswith(name))
        seconds = run["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[run["time_unit"]]
        return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"

    fsck = next(one for key, one in runs.items() if key.startswith("FsckLargeBySample"))
    plan = next(one for key, one in runs.items() if key.startswith("PlanWindow"))
    return [
        Row("10⁷ artifacts: one durable put; a hundred together", "measured",
            f"{duration('PutIntoLarge/together:1')}; {duration('PutIntoLarge/together:100')}"),
        Row("10⁷ artifacts: open and find one", "measured",
            duration("OpenLargeAndFind")),
        Row("10⁷ artifacts: count a day; list 60 days and a target", "measured",
            f"{duration('CountWindow')}; {duration('WindowQuery')}"),
        Row("10⁷ artifacts: fsck of the index and a thousandth of the contents", "measured",
            f"{fsck['real_time'] / 1000:,.0f} s, {fsck['resident_MB']:,.0f} MB of memory; index "
            f"{fsck['index_MB']:,.0f} MB"),
        Row("10⁷ artifacts by 1,000 builds: planning the window", "measured",
            f"{plan['real_time'] / 1000:,.0f} s for {plan['pairs']:,.0f} pairs, "
            f"{plan['MiB']:,.0f} MiB of memory; archive {found['bytes']['planning'] / 1e9:.1f} GB"),
    ]  # fmt: skip


ROWS = {
    "kills": kills_row,
    "requests": requests_row,
    "faults": faults_row,
    "fuzz": fuzz_rows,
    "collection": collection_row,
    "mixed": mixed_row,
    "bytes": size_rows,
    "many": many_rows,
}
STEPS = {
    "kills": kills,
    "requests": functools.partial(attacks, "requests"),
    "faults": functools.partial(attacks, "faults"),
    "fuzz": fuzz,
    "collection": collection,
    "mixed": mixed,
    "bytes": size,
    "many": many,
}


def table(options: argparse.Namespace) -> None:
    lines = [
        "# Endurance and size of an archive",
        "",
        (
            "Written by `bench/archive_figures.py table` from what its other steps measured on two "
            "cores, each on the day that its line names."
        ),
        "",
        "| what | goal | measured | on | command |",
        "| --- | --- | --- | --- | --- |",
    ]
    before = PAGE.read_text().splitlines()
    for name, rows in ROWS.items():
        file = options.keep / f"{name}.json"
        if not file.exists():
            lines += [line for line in before if line.endswith(f"| `{COMMANDS[name]}` |")]
            continue
        kept = json.loads(file.read_text())
        lines += [
            f"| {row.what} | {row.goal} | {row.now} | {kept['date']} | `{COMMANDS[name]}` |"
            for row in rows(kept["measured"])
        ]
    PAGE.write_text("\n".join(lines) + "\n")


def main() -> int:
    options = _arguments.parse_args()
    unknown = set(options.steps) - STEPS.keys() - {"table"}
    if unknown:
        _arguments.error(f"{', '.join(sorted(unknown))}: steps are {', '.join(STEPS)}, table")
    options.keep.mkdir(parents=True, exist_ok=True)
    for step in options.steps:
        if step == "table":
            table(options)
            continue
        measured = STEPS[step](options)
        file = options.source or pathlib.Path()
        when = (
            datetime.datetime.fromtimestamp(file.stat().st_mtime)
            if options.source
            else datetime.datetime.now()
        )
        kept = {"date": when.date().isoformat(), "measured": measured}
        (options.keep / f"{step}.json").write_text(json.dumps(kept, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The goals of speed and size beside what is measured: bench/speed.md.

    bench/speed.py --jax PYTHON [--build build/release] [--keep DIR] [--mebibytes N] [--release R]
        [--before WORKER] [--only PART ...]

PYTHON is that of an environment of JAX (docs/howto/jax.md). Rows are measured one after the other,
each beside its peer in one run and in turns. Where others use the machine too, wall times
mean little: those of one thread are of processor time, and a row says which it is. DIR keeps
what was measured, so that a call goes on where another was cut off; remove a file there to
measure its rows again. The page is written once all rows are there; with --only, the other parts'
rows stay as they are on it, and its first paragraph says which are newer. WORKER is the engine of the
commit before: `vintage window --speed` measures this one beside it, and the page gets the report;
`--only before` measures nothing else.

OpenBLAS chooses its kernels by the processor: the two variables that override its choice
(OPENBLAS_CORETYPE, OPENBLAS_L2_SIZE) are taken out, as XLA has no such override either.
"""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGE = SOURCE / "bench" / "speed.md"
BEFORE = "## Beside the commit before"  # The last section of the page.
_arguments = argparse.ArgumentParser(description=__doc__)
_arguments.add_argument("--jax", type=pathlib.Path, required=True)
_arguments.add_argument("--build", type=pathlib.Path, default=SOURCE / "build" / "release")
_arguments.add_argument("--release", default="0.12.0.1", help="of JAX, for `vintage replay` on it")
_arguments.add_argument("--keep", type=pathlib.Path)
_arguments.add_argument("--mebibytes", type=int, default=1024)
_arguments.add_argument("--only", nargs="+", metavar="PART", default=[],
                        help="kernels, pallas, models, replay, real_jax, nightly, window, memory, "
                             "before")  # fmt: skip
_arguments.add_argument("--before", type=pathlib.Path, help="vintage-worker of the commit before")


@dataclass
class Row:
    what: str
    goal: str
    now: str
    peer: str
    command: str

    def line(self) -> str:
        cells = (self.what, self.goal, self.now, self.peer, f"`{self.command}`")
        return "| " + " | ".join(cells) + " |"


def environment() -> dict[str, str]:
    left_out = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    return {name: value for name, value in os.environ.items() if name not in left_out}


def kept(options: argparse.Namespace, name: str, measure: Callable[[], Any]) -> Any:
    file = options.keep / f"{name}.json"
    if not file.exists():
        print(f"measuring {name}", file=sys.stderr)
        file.write_text(json.dumps(measure()))
    return json.loads(file.read_text())


def benchmark(options: argparse.Namespace, name: str, expression: str, **variables: str) -> Any:
    """Medians by name: nanoseconds of wall and of processor time, and the rate."""
    command = [
        options.build / "bench" / f"{name}_bench",
        f"--benchmark_filter={expression}",
        "--benchmark_format=json",
    ]
    if not variables:
        command += [
            "--benchmark_enable_random_interleaving=true",
            "--benchmark_repetitions=7",
            "--benchmark_min_time=0.1",
        ]
    done = subprocess.run(
        command, capture_output=True, check=True, env=environment() | variables, cwd=options.keep
    )
    scale = {"ns": 1.0, "us": 1e3, "ms": 1e6}
    runs: dict[str, list[Any]] = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run.get("run_type") != "aggregate":
            runs.setdefault(run["run_name"], []).append(run)
    medians = {}
    for run_name, group in runs.items():
        group.sort(key=lambda run: run["cpu_time"])
        run = group[len(group) // 2]
        unit = scale[run["time_unit"]]
        medians[run_name] = {
            "wall": unit * run["real_time"],
            "processor": unit * run["cpu_time"],
            "rate": run.get("items_per_second"),
        }
    return medians


def by_kernels_bench(
    options: argparse.Namespace, name: str, expression: str
) -> tuple[Callable[[str], float], str]:
    """Nanoseconds of processor time of each benchmark, and the command."""
    m = kept(options, name, lambda: benchmark(options, "kernels", expression))
    command = f"kernels_bench --benchmark_filter='{expression.replace('|', chr(92) + '|')}'"
    return lambda each: float(m[each]["processor"]), command


def kernels(options: argparse.Namespace) -> list[Row]:
    expression = "dotGeneralF32/(4|1024)$|cblasSgemm/(4|1024)$"
    time, command = by_kernels_bench(options, "kernels", expression)
    large = time("cblasSgemm/1024") / time("dotGeneralF32/1024")
    small = time("dotGeneralF32/4") / time("cblasSgemm/4")
    return [
        Row("`dot` 1024³ f32", "≥ 0.95", f"{large:.2f} (processor time)",
            f"cblas_sgemm: {time('cblasSgemm/1024') / 1e6:.2f} ms", command),
        Row("`dot` 4x4, the cost of a run", "≤ 4 times",
            f"{time('dotGeneralF32/4'):.0f} ns, {small:.1f} times (processor time)",
            f"cblas_sgemm: {time('cblasSgemm/4'):.0f} ns", command),
    ]  # fmt: skip


def pallas(options: argparse.Namespace) -> list[Row]:
    time, command = by_kernels_bench(options, "pallas", "flashAttention")
    return [
        Row("Flash attention 512x64 f32, a kernel for TPUs", "≤ 1 s",
            f"{time('flashAttention') / 1e6:.1f} ms (processor time)",
            f"through Triton, in three orders: {time('flashAttentionTriton') / 1e6:.1f} ms",
            command),
    ]  # fmt: skip


def models(options: argparse.Namespace) -> list[Row]:
    def measure() -> Any:
        out = options.keep / "compared.json"
        command = [options.jax, SOURCE / "bench" / "models" / "compare.py", "--program",
                   options.build / "bench" / "models_bench", "--json", out]  # fmt: skip
        subprocess.run(command, check=True, env=environment(), stdout=sys.stderr)
        return json.loads(out.read_text())

    rows = []
    for c in kept(options, "models", measure):
        run, built = c["run"], c["compile"]
        ratio = run["engine"]["processor"] / run["xla"]["processor"]
        wall = run["engine"]["wall"] / run["xla"]["wall"]
        is_convolution = c["model"].startswith("convolution")
        now = f"{ratio:.2f} times (processor time), {wall:.2f} times (wall)"
        if is_convolution:
            now = f"{1 / ratio:.2f} (processor time), {1 / wall:.2f} (wall)"
        else:
            now += f"; compile {built['engine']['processor'] / built['xla']['processor']:.3f} times"
        rows.append(
            Row(c["model"] + ", f32",
                "≥ 0.5 of XLA CPU" if is_convolution else "run ≤ 3 times, compile ≤ 0.1 times",
                now,
                f"XLA CPU, two threads: {run['xla']['wall']:.2f} ms wall, "
                f"{run['xla']['processor']:.2f} ms of processors",
                "bench/models/compare.py --program build/release/bench/models_bench")
        )  # fmt: skip
    return rows


def replay(options: argparse.Namespace) -> list[Row]:
    m = kept(options, "replay", lambda: benchmark(options, "replay", "ReplayGenerated"))
    one, two = (m[f"BM_ReplayGenerated/workers:{n}/real_time"]["rate"] for n in (1, 2))
    n = kept(options, "nightly", lambda: nights(options))
    many, most = (n["pairs"] / n["replay"][workers] for workers in ("1", "2"))
    return [
        Row(f"replay of the catalogue's {n['pairs']:,} small artifacts",
            "twice one worker's, ≥ 12,000/s",
            f"{most:.0f}/s, {most / many:.2f} times one worker's (wall)", f"one worker: {many:.0f}/s",
            "vintage replay --archive A --platform cpu --workers 2"),
        Row("replay of 601 small artifacts, the start of the workers included",
            "twice one worker's, ≥ 12,000/s",
            f"{two:.0f}/s, {two / one:.2f} times one worker's (wall)", f"one worker: {one:.0f}/s",
            "replay_bench --benchmark_filter=ReplayGenerated")
    ]  # fmt: skip


def nights(options: argparse.Namespace) -> Any:
    """A night, and replays of its artifacts by one worker and by two."""
    vintage = options.build / "bin" / "vintage"

    def took(*words: str) -> dict[str, float]:
        started = datetime.datetime.now()
        process = subprocess.Popen(
            [vintage, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment(),
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"vintage {' '.join(words)}: status {status}")
        wall = (datetime.datetime.now() - started).total_seconds()
        return {"wall": wall, "processors": usage.ru_utime + usage.ru_stime}

    with tempfile.TemporaryDirectory(dir=options.keep) as archive:
        m: dict[str, Any] = took("nightly", "--archive", archive)
        words = ("replay", "--archive", archive, "--platform", "cpu", "--workers")
        runs: dict[str, list[float]] = {"1": [], "2": []}
        for _ in range(3):
            for workers, walls in runs.items():
                walls.append(took(*words, workers)["wall"])
        m["replay"] = {workers: sorted(walls)[1] for workers, walls in runs.items()}
        counted = subprocess.run(
            [vintage, "list", "--archive", archive, "--platform", "cpu", "--count"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        m["pairs"] = int(counted.stdout.split()[0])
    return m


def nightly(options: argparse.Namespace) -> list[Row]:
    m = kept(options, "nightly", lambda: nights(options))
    return [
        Row("nightly, whole catalogue", "12 s",
            f"{m['wall']:.1f} s wall; {m['processors']:.1f} s of processors",
            "none", "vintage nightly --archive A")
    ]  # fmt: skip


def real_jax(options: argparse.Namespace) -> list[Row]:
    def measure() -> Any:
        out = options.keep / "scaled.json"
        command = [sys.executable, SOURCE / "bench" / "scaling.py", "--build", options.build,
                   "--release", options.release, "--json", out]  # fmt: skip
        subprocess.run(command, check=True, env=environment(), stdout=sys.stderr)
        return json.loads(out.read_text())

    m = kept(options, "real_jax", measure)
    one, two = (1000 * m["workers"][workers] for workers in ("1", "2"))
    return [
        Row(f"replay of {m['pairs']} harnesses on real JAX",
            "≤ 1.15 times of JAX alone in a loop; workers scale until the cores are full",
            f"{one:.1f} ms each, {m['workers']['1'] / m['loop']:.2f} times; two workers "
            f"{one / two:.2f} times one's rate (wall)",
            f"a loop in JAX alone: {1000 * m['loop']:.1f} ms each",
            f"bench/scaling.py --release {options.release} --json FILE")
    ]  # fmt: skip


def window(options: argparse.Namespace) -> list[Row]:
    planned = kept(options, "planning", lambda: benchmark(
        options, "planning", "PlanWindow/artifacts:100000/builds:1000",
        VINTAGE_BENCH_PLANNING="100000"))  # fmt: skip
    found = kept(options, "window", lambda: benchmark(options, "archive", "WindowQuery/days:60"))
    plan = next(iter(planned.values()))
    query = next(iter(found.values()))
    return [
        Row("window, 60 days, 10⁶ artifacts", "20 ms",
            f"{query['processor'] / 1e6:.1f} ms (processor time)", "none",
            "archive_bench --benchmark_filter=WindowQuery/days:60"),
        Row("planning 10⁵ by 10³", "≤ 2 s",
            f"{plan['processor'] / 1e9:.1f} s of processors, {plan['wall'] / 1e9:.1f} s wall",
            "none", "VINTAGE_BENCH_PLANNING=100000 planning_bench "
            "--benchmark_filter=PlanWindow/artifacts:100000"),
    ]  # fmt: skip


def memory(options: argparse.Namespace) -> list[Row]:
    def measure() -> Any:
        out = options.keep / "peaks.json"
        command = [sys.executable, SOURCE / "bench" / "memory.py", "--build", options.build,
                   "--mebibytes", str(options.mebibytes), "--jax", options.jax,
                   "--json", out]  # fmt: skip
        subprocess.run(command, check=True, env=environment(), stdout=sys.stderr, cwd=options.keep)
        return json.loads(out.read_text())

    m = kept(options, "memory", measure)
    ratios = ", ".join(f"{verb} {ratio:.1f}" for verb, ratio in m["ratios"].items())
    size = m["bytes"] >> 20
    return [
        Row(f"memory: an artifact with {size} MiB of constants, in multiples of its size",
            "≤ 1.2 each", ratios, "none", f"bench/memory.py --mebibytes {size} --jax PYTHON")
    ]  # fmt: skip


def commit_before(options: argparse.Namespace) -> str:
    """This engine beside that of the commit before, as `vintage window --speed` reports it."""

    def vintage(verb: str, *words: str | pathlib.Path) -> str:
        done = subprocess.run(
            [options.build / "bin" / "vintage", *verb.split(), "--archive", archive, *words],
            capture_output=True, text=True, check=False, env=environment(),
        )  # fmt: skip
        if done.returncode not in (0, 1, 3) or not done.stdout:
            sys.exit(f"vintage {verb}: status {done.returncode}: {done.stderr}")
        return done.stdout

    def measure() -> str:
        vintage("builds add", "--jax", options.release)
        release = f"jax-{options.release}"
        vintage("produce", "--build", release, "--cases", "sized", "models", "--one-of-each=dtype")
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        workers = {"engine 1": options.before, "engine 2": options.build / "bin" / "vintage-worker"}
        for name, worker in workers.items():
            vintage("builds add", "--name", name, "--date", today, "--", worker.resolve())
        words = ("--beyond", "all", "--mode", "graph", "--speed")
        return vintage("window", "--consumer", *workers, *words)

    with tempfile.TemporaryDirectory(dir=options.keep) as archive:
        text = kept(options, "before", measure)
    report = text[text.index("\nspeed of ") + 1 : text.rindex("\nverdict: ") + 1]
    return f"{BEFORE}\n\nMeasured {conditions()}\n\n```\n{report}```\n"


def processor_name() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "an unnamed processor"


def conditions() -> str:
    today = datetime.datetime.now(datetime.UTC).date()
    return (
        f"on {today}, on {os.cpu_count()} cores of {processor_name()}; load average "
        f"{os.getloadavg()[1]:.1f} at its end."
    )


def write_some(only: list[str], rows: list[Row], before: str) -> None:
    """Takes the places of the rows with the same first cells; new ones follow the last of them."""
    text = PAGE.read_text(encoding="utf-8")
    if before:
        text = f"{text.partition(BEFORE)[0].rstrip()}\n\n{before}"
    lines = text.splitlines()
    place = lines.index("| --- | --- | --- | --- | --- |")
    for row in rows:
        old = [i for i, line in enumerate(lines) if line.startswith(f"| {row.what} |")]
        place = old[0] if old else place + 1
        lines[place : place + len(old)] = [row.line()]
    if rows:
        named = f"The rows of {', '.join(only)} were measured"
        lines = [line for line in lines if not line.startswith(named)]
        lines.insert(lines.index("| what | goal | now | peer in the same run | command |") - 1,
                     f"{named} {conditions()}")  # fmt: skip
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    options = _arguments.parse_args()
    options.build = options.build.resolve()
    options.jax = options.jax.absolute()
    parts = (kernels, pallas, models, replay, real_jax, nightly, window, memory)
    chosen = [part for part in parts if not options.only or part.__name__ in options.only]
    known = [*(part.__name__ for part in parts), "before"]
    if set(options.only) - set(known) or ("before" in options.only and not options.before):
        _arguments.error(f"--only takes {', '.join(known)}, the last one with --before")
    with_before = options.before and (not options.only or "before" in options.only)
    with tempfile.TemporaryDirectory() as scratch:
        options.keep = (options.keep or pathlib.Path(scratch)).absolute()
        options.keep.mkdir(parents=True, exist_ok=True)
        rows = [row for part in chosen for row in part(options)]
        before = commit_before(options) if with_before else ""
    if options.only:
        write_some([part.__name__ for part in chosen], rows, before)
        return 0
    PAGE.write_text(
        "# Speed and size beside their goals\n\n"
        f"Written by `bench/speed.py` {conditions()}\n\n"
        "| what | goal | now | peer in the same run | command |\n"
        "| --- | --- | --- | --- | --- |\n"
        + "".join(row.line() + "\n" for row in rows)
        + (f"\n{before}" if before else ""),
        encoding="utf-8",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

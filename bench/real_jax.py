#!/usr/bin/env python3
"""Runs exports of real releases of JAX on the embedded engine: docs/measured/engine_on_real_jax.md.

    bench/real_jax.py --root JAXROOT --work DIR [--build build/release] [--jobs N] [--write]

JAXROOT holds the environments of the releases (docs/howto/jax.md); a missing one is named,
with the command that makes it. DIR keeps the exports, so that a second call only
replays. For each set the release exports its functions for the CPU with the outputs that
it computed, `vintage import` takes them into an empty archive, and `vintage replay` runs
them in both modes. Without --write the page goes to standard output.

Exit status 1 if an artifact is rejected or fails that bench/real_jax_declared.json does
not name, or if a name in it matches no failure.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGE = SOURCE / "docs" / "measured" / "engine_on_real_jax.md"
DECLARED = SOURCE / "bench" / "real_jax_declared.json"
TOOL = SOURCE / "harness" / "runtimes" / "python" / "vintage_jax"
# The sets of functions, with their release.
SETS = (
    ("harnesses", "0.12.0.1"),
    ("own", "0.12.0.1"),
    ("own", "0.8.1"),
    ("own", "0.6.0"),
    ("own", "0.5.0"),
    ("own", "0.4.30"),
)
MODES = ("graph", "eager")


def environment(root, release):
    found = sorted((root / "environments").glob(f"jax-{release}-py*"))
    if not found:
        sys.exit(
            f"no environment of JAX {release} in {root}; make it with\n"
            f"  python3 {TOOL} environment --jax {release} --root {root}"
        )
    return found[-1]


def produce(arguments, cases, release):
    """Exports the missing ones; returns the folder, and the seconds that it took in all."""
    home = environment(arguments.root, release)
    out = arguments.work / f"{cases}-{release}"
    seconds = arguments.work / f"{cases}-{release}.seconds"
    before = float(seconds.read_text()) if seconds.exists() else 0.0
    started = time.monotonic()
    command = [home / "bin" / "python", TOOL, "produce", "--environment", home, "--out", out,
               "--platform", "cpu", "--cases", cases, "--jobs", str(arguments.jobs)]  # fmt: skip
    with open(arguments.work / f"{cases}-{release}.log", "w", encoding="utf-8") as log:
        if subprocess.run(command, stdout=log, stderr=log, check=False).returncode > 1:
            sys.exit(f"the export failed; {log.name} says why")
    if not seconds.exists() or time.monotonic() - started > before:
        seconds.write_text(f"{time.monotonic() - started:.0f}")
    return out, float(seconds.read_text())


def vintage(arguments, *words):
    command = [arguments.build / "bin" / "vintage", *words, "--format", "json"]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode not in (0, 1, 3, 4) or not done.stdout:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.decode()}")
    return json.loads(done.stdout), time.monotonic() - started


def measure(arguments, cases, release):
    folder, export_seconds = produce(arguments, cases, release)
    archive = arguments.work / f"{cases}-{release}.archive"
    shutil.rmtree(archive, ignore_errors=True)
    imported, import_seconds = vintage(arguments, "import", folder, "--archive", archive)
    not_exported = json.loads((folder / "not_exported.json").read_text(encoding="utf-8"))
    result = {
        "cases": cases,
        "release": release,
        "exported": not_exported["exported"],
        "refused_by_jax": not_exported["refused"] + not_exported["unimplemented"],
        "imported": len(imported["taken"]),
        "with_golden": imported["with_golden"],
        "seconds": {"export": export_seconds, "import": import_seconds},
        "passed": {},
        "ran": {},
        "failures": [
            {"name": line.split(": ", 1)[0].rsplit("/", 1)[-1], "what": line, "mode": "import"}
            for line in imported["refused"]
        ],
    }
    for mode in MODES:
        report, seconds = vintage(
            arguments, "replay", "--archive", archive, "--mode", mode,
            "--workers", str(arguments.jobs), "--today", arguments.today)  # fmt: skip
        result["seconds"][mode] = seconds
        result["ran"][mode] = report["counts"]["ran"]
        result["passed"][mode] = report["counts"]["cells"]["pass"]
        for pair in report["pairs"]:
            if pair["cell"] != "pass":
                result["failures"].append(
                    {
                        "name": pair["name"],
                        "what": f"{pair['outcome']} in stage {pair['stage']}: {pair['detail']}",
                        "mode": mode,
                    }
                )
    return result


def join_modes(failures):
    """One line for a failure that is the same in several modes."""
    joined = {}
    for failure in failures:
        joined.setdefault((failure["name"], failure["what"]), []).append(failure["mode"])
    return [(name, what, modes) for (name, what), modes in joined.items()]


def reason_of(declared, used, release, name):
    for number, entry in enumerate(declared):
        if fnmatch.fnmatch(release, entry["release"]) and fnmatch.fnmatch(name, entry["name"]):
            used.add(number)
            return entry["reason"]
    return None


def page(results, declared):
    used, undeclared = set(), []
    lines = [
        "# The engine on exports of real JAX",
        "",
        "Each release exported its functions for the CPU, with the outputs that it computed; the",
        "embedded engine replayed them. `harnesses` are JAX's own primitive harnesses, all of",
        "them; `own` are the functions of `harness/runtimes/python/vintage_jax/produce/own`.",
        "",
        "```",
        "bench/real_jax.py --root JAXROOT --work DIR --write",
        "```",
        "",
        "wrote this page. *graph* and *eager* count the passes in that mode. Times are wall times,",
        f"one process for each step, on a machine of {os.cpu_count()} processors with other work.",
        "",
        "| JAX | functions | exported | not exported | imported | with a golden | graph | eager "
        + "| export s | import s | graph s | eager s |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for each in results:
        seconds = each["seconds"]
        lines.append(
            f"| {each['release']} | {each['cases']} | {each['exported']} | {each['refused_by_jax']}"
            f" | {each['imported']} | {each['with_golden']}"
            + "".join(f" | {each['passed'][mode]} of {each['ran'][mode]}" for mode in MODES)
            + f" | {seconds['export']:.0f} | {seconds['import']:.1f}"
            + "".join(f" | {seconds[mode]:.1f}" for mode in MODES)
            + " |"
        )
    lines += [
        "",
        "*Not exported* counts functions that the release itself rejects or lacks. Artifacts",
        "without a golden call targets that no release registers, not even their own.",
        "",
        "## Failures",
        "",
    ]
    rows = []
    for each in results:
        for name, what, modes in join_modes(each["failures"]):
            reason = reason_of(declared, used, each["release"], name)
            if reason is None:
                undeclared.append(f"{each['release']} {name}: {what}")
            short = what.split("\n")[0].replace("|", "\\|")[:160]
            rows.append(f"| {each['release']} | `{name}` | {', '.join(modes)} | {short} |"
                        f" {reason or '**not declared**'} |")  # fmt: skip
    if rows:
        lines += ["| JAX | artifact | mode | outcome | reason |", "| --- | --- | --- | --- | --- |"]
        lines += rows
    else:
        lines.append("Everything passes.")
    unused = [entry for number, entry in enumerate(declared) if number not in used]
    return "\n".join(lines) + "\n", undeclared, unused


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build" / "release")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--today", default=time.strftime("%Y-%m-%d"))
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(SOURCE)}")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    declared = json.loads(DECLARED.read_text(encoding="utf-8"))
    text, undeclared, unused = page(
        [measure(arguments, cases, release) for cases, release in SETS], declared
    )
    if arguments.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    for line in undeclared:
        print(f"not declared: {line}", file=sys.stderr)
    for entry in unused:
        print(f"declared, and nothing fails so: {entry}", file=sys.stderr)
    return 1 if undeclared or unused else 0


if __name__ == "__main__":
    sys.exit(main())

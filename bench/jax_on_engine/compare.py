"""JAX judges the engine: its primitive harnesses on JAX_PLATFORMS=vintage and on its own CPU.

    bench/jax_on_engine/compare.py --python ENVIRONMENT/bin/python --library libvintage_pjrt.so \\
        --mode warm --mode eager --x64 0 --x64 1 -o results.jsonl

A process runs many harnesses; one that ends it, or takes too long, loses only its own verdict.
"""

import argparse
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "harness/plugin"


@dataclass(frozen=True)
class Setting:
    mode: str
    x64: str
    sample: int


@dataclass(frozen=True)
class Where:
    python: str
    library: str
    seconds: float


def _environment(where: Where, setting: Setting) -> dict[str, str]:
    environment = dict(os.environ)
    environment.update(
        JAX_PLATFORMS="cpu,vintage",
        JAX_ENABLE_X64=setting.x64,
        VINTAGE_PLUGIN_LIBRARY=where.library,
        PYTHONPATH=str(PACKAGE),
        TF_CPP_MIN_LOG_LEVEL="2",
    )
    return environment


def _lines(stream: IO[str], into: queue.Queue[str | None]) -> None:
    for line in stream:
        into.put(line)
    into.put(None)


def run_share(where: Where, setting: Setting, first: int, step: int) -> Iterator[dict[str, Any]]:
    """The outcomes of every `step`th harness from `first` on."""
    begin: int | None = first
    while begin is not None:
        child = subprocess.Popen(
            [where.python, str(HERE / "child.py"), setting.mode, str(begin), str(step)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_environment(where, setting),
        )
        assert child.stdout is not None
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_lines, args=(child.stdout, lines), daemon=True).start()
        running: dict[str, Any] | None = None
        verdict = "crash"
        while True:
            try:
                line = lines.get(timeout=where.seconds)
            except queue.Empty:
                verdict = "timeout"
                child.kill()
                break
            if line is None:
                break
            record = json.loads(line)
            if "verdict" not in record:
                running = record
                continue
            yield {**(running or {}), **record, "mode": setting.mode, "x64": setting.x64}
            running = None
        status = child.wait()
        begin = None
        if running is not None:
            detail = f"the process ended with {status}" if verdict == "crash" else "too long"
            primitive = running["name"].split("_")[0]
            yield {
                **running, "primitive": primitive, "verdict": verdict, "detail": detail,
                "mode": setting.mode, "x64": setting.x64,
            }  # fmt: skip
            begin = int(running["place"]) + step
        elif status != 0:
            raise SystemExit(f"child.py ended with {status} before its first harness")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--python", required=True, help="of an environment with JAX")
    parser.add_argument("--library", required=True, help="libvintage_pjrt.so")
    parser.add_argument("--mode", action="append", choices=("warm", "eager"))
    parser.add_argument("--x64", action="append", choices=("0", "1"))
    parser.add_argument("--sample", type=int, default=1, help="every Nth harness")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120, help="seconds of one harness")
    parser.add_argument("-o", "--output", required=True, help="a line of JSON for each outcome")
    options = parser.parse_args()
    where = Where(options.python, str(Path(options.library).resolve()), options.timeout)
    lock = threading.Lock()
    count = 0

    with open(options.output, "w", encoding="utf-8") as output:

        def share(setting: Setting, first: int) -> None:
            nonlocal count
            for outcome in run_share(where, setting, first, setting.sample * options.jobs):
                with lock:
                    output.write(json.dumps(outcome) + "\n")
                    output.flush()
                    count += 1
                    if count % 100 == 0:
                        print(f"\r{count} outcomes", end="", file=sys.stderr)

        for x64 in options.x64 or ("1",):
            for mode in options.mode or ("warm",):
                setting = Setting(mode, x64, options.sample)
                threads = [
                    threading.Thread(target=share, args=(setting, job * options.sample))
                    for job in range(options.jobs)
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
    print(f"\r{count} outcomes in {options.output}", file=sys.stderr)


if __name__ == "__main__":
    main()

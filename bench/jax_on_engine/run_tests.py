"""JAX's own test files on the embedded engine and on JAX's CPU backend, file by file.

    python3 bench/jax_on_engine/run_tests.py --tests JAX/tests --python ENVIRONMENT/bin/python \\
        --library libvintage_pjrt.so --file nn_test --file lax_test -o outcomes.jsonl

JAX is a checkout of the release that the environment has: wheels lack the tests. The environment
needs pytest, absl-py and hypothesis too, and from the checkout the modules that some tests import
and the wheel lacks: jax/_src/hypothesis_test_util.py, jax/_src/pallas/pallas_test_util.py and
jax/_src/pallas/pipelining. Nothing is written into the checkout. A call goes on where an earlier
one stopped: what the output has is not run again. Another project's tests have their own --suite:
`--suite optax --tests optax/optax`.
"""

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "harness/plugin"
PLATFORMS = ("vintage", "cpu")
SETTING = ("suite", "devices", "x64", "file", "platform")


@dataclass(frozen=True)
class Where:
    python: str
    library: str
    tests: Path
    cases: int
    devices: int
    x64: str
    seconds: float


def _environment(where: Where, platform: str, lines: Path) -> dict[str, str]:
    environment = dict(os.environ)
    paths = [str(HERE), str(PACKAGE), os.environ.get("PYTHONPATH", "")]
    environment.update(
        # A Python callback gets its arguments on a device of JAX's CPU backend.
        JAX_PLATFORMS="vintage,cpu" if platform == "vintage" else platform,
        JAX_NUM_GENERATED_CASES=str(where.cases),
        JAX_ENABLE_X64=where.x64,
        # Many tests run only where the platform is one that they know.
        VINTAGE_PLUGIN_PLATFORM="cpu",
        VINTAGE_PLUGIN_LIBRARY=where.library,
        # Both platforms obey it. Some tests ask for more themselves.
        JAX_NUM_CPU_DEVICES=str(where.devices),
        VINTAGE_TESTS_TO=str(lines),
        PYTHONPATH=os.pathsep.join(filter(None, paths)),
        PYTHONDONTWRITEBYTECODE="1",
        TF_CPP_MIN_LOG_LEVEL="2",
    )
    return environment


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _read(lines: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.read_text("utf-8").splitlines()]


def _ended(lines: Path, status: int | None) -> list[dict[str, Any]]:
    """The outcomes; a test that began and did not end took the process or its time with it."""
    outcomes: dict[str, dict[str, Any]] = {}
    for line in _read(lines):
        outcomes[line["test"]] = line
    end = "too long" if status is None else f"the process ended with {status}"
    last = list(outcomes)[-1] if outcomes else None
    for name, outcome in outcomes.items():
        if "outcome" not in outcome and name == last:
            outcome.update(outcome="failed", detail=end, seconds=0)
            with lines.open("a", encoding="utf-8") as to:
                to.write(json.dumps(outcome) + "\n")
    return list(outcomes.values())


def run_file(where: Where, platform: str, file: Path) -> Iterator[dict[str, Any]]:
    """The outcomes of all tests of a file, and a last line with the time of its processes."""
    began, used = time.monotonic(), _processor_seconds()
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lines"
        lines.touch()
        while True:
            before = len(_read(lines))
            left = where.seconds - (time.monotonic() - began)
            status: int | None
            try:
                done = subprocess.run(
                    [where.python, "-W", "ignore", "-m", "pytest", "-q", "-p", "recorded_tests",
                     "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(where.tests),
                     str(file)],
                    env=_environment(where, platform, lines), cwd=folder, check=False,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=max(left, 1),
                )  # fmt: skip
                status = done.returncode
            except subprocess.TimeoutExpired:
                status = None
            outcomes = _ended(lines, status)
            # pytest's own statuses: 0 and 1 are of a whole run, 5 is one without a test.
            if status in (0, 1, 5) or status is None or len(_read(lines)) == before:
                break
        yield from outcomes
        yield {
            "seconds": round(time.monotonic() - began, 1),
            "processor": round(_processor_seconds() - used, 1),
            "ended": "whole" if status in (0, 1, 5) else "too long" if status is None
            else f"status {status}",
        }  # fmt: skip


def _known(output: Path) -> set[tuple[object, ...]]:
    """The runs of a file that ended."""
    lines = _read(output) if output.exists() else []
    return {tuple(each[key] for key in SETTING) for each in lines if "ended" in each}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tests", required=True, help="the folder of tests in a checkout of JAX")
    parser.add_argument("--suite", default="jax", help="whose tests they are")
    parser.add_argument("--python", required=True, help="of an environment with JAX and pytest")
    parser.add_argument("--library", required=True, help="libvintage_pjrt.so")
    parser.add_argument("--file", action="append", help="nn_test (default: all *_test.py)")
    parser.add_argument("--cases", type=int, default=2, help="generated cases of a test")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--x64", choices=("0", "1"), default="0")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds of one file")
    parser.add_argument("--platform", action="append", choices=PLATFORMS, help="default: both")
    parser.add_argument("-o", "--output", required=True, help="lines of JSON, added at the end")
    options = parser.parse_args()
    tests = Path(options.tests).resolve()
    files = [tests / f"{name}.py" for name in options.file or []] or sorted(
        tests.rglob("*_test.py")
    )
    for file in files:
        if not file.is_file():
            parser.error(f"{file} is not there; --tests names the folder of JAX's tests")
    where = Where(
        python=str(Path(options.python).absolute()),  # Not resolved: that is another environment.
        library=str(Path(options.library).resolve()),
        tests=tests,
        cases=options.cases,
        devices=options.devices,
        x64=options.x64,
        seconds=options.timeout,
    )
    known = _known(Path(options.output))
    with open(options.output, "a", encoding="utf-8") as output:
        for file, platform in itertools.product(files, options.platform or PLATFORMS):
            name = str(file.relative_to(tests).with_suffix(""))
            run = (options.suite, options.devices, options.x64, name, platform)
            if run in known:
                continue
            outcomes = list(run_file(where, platform, file))
            for outcome in outcomes:
                output.write(json.dumps({**dict(zip(SETTING, run, strict=True)), **outcome}) + "\n")
            output.flush()
            failed = sum(each.get("outcome") == "failed" for each in outcomes)
            last = outcomes[-1]
            print(
                f"{name} on {platform}: {len(outcomes) - 1} tests, {failed} failed, "
                f"{last['processor']} s, {last['ended']}",
                file=sys.stderr,
            )


if __name__ == "__main__":
    main()

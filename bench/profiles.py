#!/usr/bin/env python3
"""The time of the three hottest models by function, before and after: bench/profiles.md.

    bench/profiles.py --models DIR --before PROGRAM [--after build/release/bench/models_bench]

DIR is the folder of bench/models/compare.py --work DIR. PROGRAM is models_bench of an older
commit. The tables are the output of `perf report --stdio` on samples of the processor's clock.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGE = SOURCE / "bench" / "profiles.md"
MODELS = {"ResNet-18": 20, "transformer_block": 40, "Fourier_operator": 15}
SHOWN = 9
COLUMNS = 90
_arguments = argparse.ArgumentParser(description=__doc__)
_arguments.add_argument("--models", type=pathlib.Path, required=True)
_arguments.add_argument("--before", type=pathlib.Path, required=True)
_arguments.add_argument(
    "--after", type=pathlib.Path, default=SOURCE / "build" / "release" / "bench" / "models_bench"
)


def profile(program: pathlib.Path, model: pathlib.Path, times: int) -> tuple[float, list[str]]:
    """Milliseconds of processor time for a run, and the hottest functions."""
    left_out = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    environment["OPENBLAS_NUM_THREADS"] = "1"  # As workers are started.
    with tempfile.TemporaryDirectory() as scratch:
        data = pathlib.Path(scratch) / "perf.data"
        done = subprocess.run(
            ["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", data, program, model],
            input=f"compile\nrun 2\nrun {times}\n", text=True, capture_output=True,
            check=True, env=environment,
        )  # fmt: skip
        seconds = float(done.stdout.splitlines()[-1].split()[1])
        report = subprocess.run(
            ["perf", "report", "--stdio", "--no-children", "--sort", "dso,symbol", "-i", data],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    lines = [line.strip() for line in report.splitlines() if re.match(r"\s+\d+\.\d+%", line)]
    names = [re.sub(r"vintage::harness::|\(anonymous namespace\)::", "", x) for x in lines]
    return 1000 * seconds, [re.sub(r"\s{2,}", "  ", x)[:COLUMNS] for x in names[:SHOWN]]


def main() -> int:
    options = _arguments.parse_args()
    text = (
        "# Where the time goes\n\nWritten by `bench/profiles.py`: three models that real JAX "
        "exports (`bench/models`) on the engine, sampled by `perf record -e cpu-clock`, before "
        "the mends of the kernels and after. Reading the artifact and the inputs is in the "
        "samples, not in the milliseconds.\n"
    )
    for model, times in MODELS.items():
        text += f"\n## {model.replace('_', ' ')}\n"
        for when, program in (("before", options.before), ("after", options.after)):
            milliseconds, lines = profile(program.resolve(), options.models / model, times)
            text += f"\n{when}, {milliseconds:.1f} ms of processor time for a run:\n\n```\n"
            text += "\n".join(lines) + "\n```\n"
            print(f"{model} {when}: {milliseconds:.1f} ms", file=sys.stderr)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

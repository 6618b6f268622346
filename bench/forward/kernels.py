"""The formats of Pallas kernels, and the compilers that read them: docs/measured/kernels.md.

    bench/forward/kernels.py --formats ROOT
    bench/forward/kernels.py --vintage build/release/bin/vintage --work FOLDER --jax VERSION ...
                             [--libtpu RELEASES] [--cuda RELEASES] [--every DAYS]
                             [--cuda-tools FOLDER] [--minutes N]
    bench/forward/kernels.py --check | --write

--formats asks each release of JAX that lies in ROOT (VINTAGE_JAX_ROOT) how it writes. With
--vintage the releases export that kernel, and each compiler takes it; a compiler that
kernel_verdicts.json has is not asked again. The page is written each time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import kernel_formats
from building import KERNEL, KERNELS, Vintage, add_options
from page import table
from results import Results, cause

MEASURED = Path(__file__).resolve().parents[2] / "docs/measured"
PAGE = MEASURED / "kernels.md"
FORMATS, VERDICTS = MEASURED / "kernel_formats.json", MEASURED / "kernel_verdicts.json"
_COMPILERS = {"libtpu-": "mosaic", "jax-cuda12-pjrt-": "triton"}
_TITLES = {"mosaic": "Mosaic for TPU", "triton": "Triton", "mosaic_gpu": "Mosaic for GPU"}


def _options() -> argparse.Namespace:
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(description=about)
    add_options(parser)
    parser.add_argument("--formats", type=Path, help="the folder of the releases of JAX")
    parser.set_defaults(tensorflow_nightly=[])
    options = parser.parse_args()
    if options.vintage and not options.work:
        parser.error("give --work with --vintage")
    return options


def _measure(options: argparse.Namespace, verdicts: Results) -> None:
    vintage = Vintage(options.vintage, options.work / "archive", KERNELS, ("--reserialize",))
    vintage.register(options)
    end = time.monotonic() + options.minutes * 60
    builds = vintage.builds()
    jax = [each for each in builds if each["name"].removeprefix("jax-") in options.jax]
    for producer in jax:
        vintage.produce(producer)
    for compiler in (each for each in builds if each["name"].startswith(tuple(_COMPILERS))):
        new = [each for each in jax if not verdicts.has(each, compiler)]
        if new and time.monotonic() < end:
            print(compiler["name"], file=sys.stderr, flush=True)
            choice = ["--name", f"{KERNEL}/{_backend(compiler['name'])}/*"]
            verdicts.add(new, compiler, vintage.replay(new, compiler, *choice))
            PAGE.write_text(_page(verdicts), encoding="utf-8")


def _backend(compiler: str) -> str:
    return next(each for start, each in _COMPILERS.items() if compiler.startswith(start))


def _formats() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FORMATS.read_text(encoding="utf-8"))
    return found


def _written(backend: str) -> list[str]:
    """A row for each release whose formats are others than those of the release before it."""
    rows: list[list[str]] = []
    for each in _formats():
        formats = [each["formats"].get(f"{backend} {mode}", "no such mode")
                   for mode in kernel_formats.MODES]  # fmt: skip
        if len(set(formats)) == 1:
            formats[1:] = ["the same"] * len(formats[1:])
        if not rows or rows[-1][2:] != formats:
            rows.append([each["release"], each["released"], *formats])
    return table(["From JAX", "published", "jit", "export"], rows)


def _read(backend: str, pairs: list[dict[str, Any]]) -> list[str]:
    """By compiler and release, what it says of the release's kernel."""
    exported = {f"jax-{each['release']}": each["formats"].get(f"{backend} default", "")
                for each in _formats()}  # fmt: skip
    releases = sorted({(pair["produced"], pair["producer"]) for pair in pairs})
    heads = [f"{name}: {exported.get(name, '').rpartition(': ')[2]}" for _, name in releases]
    cells: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for pair in pairs:
        said = [each["class"] or each["outcome"] for each in pair["failures"]]
        cells[pair["consumed"], pair["consumer"]][pair["producer"]] = (
            f"no: {', '.join(said)}" if said else "compiles")  # fmt: skip
    rows = [[name, day, *(found.get(release, "") for _, release in releases)]
            for (day, name), found in sorted(cells.items())]  # fmt: skip
    return table(["Compiler", "Day", *heads], rows)


def _refusals(pairs: list[dict[str, Any]]) -> list[str]:
    """The reasons, those with one message together."""
    found: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = defaultdict(list)
    for pair in pairs:
        for failure in pair["failures"]:
            found[cause(failure)].append((pair, failure))
    rows = []
    for seen in found.values():
        _, failure = min(seen, key=lambda one: int(one[1]["bytes"]))
        compilers = sorted({(each["consumed"], each["consumer"]) for each, _ in seen})
        releases = sorted({(each["produced"], each["producer"]) for each, _ in seen})
        message = failure["message"].replace("|", "\\|").replace("`", "'")
        rows.append([len(compilers), compilers[0][1], compilers[-1][1],
                     ", ".join(name for _, name in releases), failure["bytes"],
                     f"`{message}`"])  # fmt: skip
    rows.sort(key=lambda row: -int(row[0]))
    return table(["Compilers", "First", "Last", "Written by", "Smallest, bytes", "Message"],
                 rows)  # fmt: skip


def _page(verdicts: Results) -> str:
    lines = [
        "# The formats of Pallas kernels", "",
        "How releases of JAX write one kernel (the sum of two arrays) by each backend: *jit* as "
        "`jax.jit` lowers it, *export* as `jax.export` does, for readers of an earlier day. "
        "A row holds until the next one. Written by `bench/forward/kernels.py`.",
    ]  # fmt: skip
    for backend in kernel_formats.BACKENDS:
        lines += ["", f"## {_TITLES[backend]}", "", *_written(backend)]
    lines += [
        "", "## Compilers", "",
        "Compilers take that kernel as releases export it, without a device: libtpu for "
        "v5e:2x2, a CUDA plugin for h100. The program around the kernel is written at the "
        "compiler's version of StableHLO, so that the kernel decides. The head of a column names "
        "the kernel's format.",
    ]  # fmt: skip
    for start, backend in _COMPILERS.items():
        pairs = [pair for pair in verdicts if pair["consumer"].startswith(start)]
        if pairs:
            lines += ["", f"### {_TITLES[backend]} compiled", "", *_read(backend, pairs), "",
                      *_refusals(pairs)]  # fmt: skip
    return "\n".join([*lines, ""])


def main() -> None:
    options = _options()
    verdicts = Results(VERDICTS)
    if options.check:
        fresh = PAGE.read_text(encoding="utf-8") == _page(verdicts)
        sys.exit(0 if fresh else f"{PAGE.name} is not what its data say; --write writes it")
    if options.formats:
        found = kernel_formats.of_all(options.formats)
        FORMATS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if options.vintage:
        _measure(options, verdicts)
    PAGE.write_text(_page(verdicts), encoding="utf-8")


if __name__ == "__main__":
    main()

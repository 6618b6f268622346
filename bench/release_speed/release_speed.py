#!/usr/bin/env python3
"""Speed and memory of a release of JAX beside the one before it: docs/measured/speed.md.

    bench/release_speed/release_speed.py --vintage build/release/bin/vintage --root ENVIRONMENTS
                           --work FOLDER --release VERSION ... [--only VERSION ...] [--whole |
                           --without-models] [--core N] [--limit SECONDS] [--again]
    bench/release_speed/release_speed.py ... --twin VERSION --copy ENVIRONMENT --runs N
    bench/release_speed/release_speed.py ... --bisect FUNCTION --producer VERSION
    bench/release_speed/release_speed.py --check | --write

Releases are measured beside their neighbour, the newest first (measuring.py).
docs/measured/speed.json keeps what each two showed, and a pair that it has is not measured again:
a call goes on where another one ended. --twin measures a release beside a copy of its environment,
under another name, on what it exported of the size axis: whatever such a run finds is a false
alarm. --bisect finds the first release on which a function (sized:dot_f32) that the producer
exported is slower; the first of the releases is fast, the last one slow. The page is written each
time; --write does nothing else.
"""

import argparse
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bisecting import bisect
from measuring import Vintage, neighbours
from page import page, read_reported

MEASURED = Path(__file__).resolve().parents[2] / "docs/measured"
PAGE, DATA = MEASURED / "speed.md", MEASURED / "speed.json"
_SAME = {"pairs": ("before", "after"), "bisects": ("producer", "function")}


def _options() -> argparse.Namespace:
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--vintage", type=Path, help="the program")
    parser.add_argument("--root", type=Path, help="where environments of releases are kept")
    parser.add_argument("--work", type=Path, help="a folder for the archives")
    parser.add_argument("--release", nargs="+", default=[],
                        help="versions; each is measured beside the one before it")  # fmt: skip
    parser.add_argument("--only", nargs="+", help="of these releases only these, in this order")
    parser.add_argument("--whole", action="store_true",
                        help="measure all that the exporting release archived")  # fmt: skip
    parser.add_argument(
        "--without-models", action="store_true", help="measure no models, which take longest"
    )
    parser.add_argument("--core", type=int, default=0, help="on which all is measured")
    parser.add_argument("--limit", type=int, default=60,
                        help="seconds after which an artifact is left open")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="also pairs that the data have")
    parser.add_argument("--twin", help="a version, to be measured beside a copy of itself")
    parser.add_argument("--copy", type=Path, help="the copy of its environment")
    parser.add_argument("--runs", type=int, default=1, help="of the twin")
    parser.add_argument("--bisect", help="search the release that made this function slower")
    parser.add_argument("--producer", help="a version that exported it")
    parser.add_argument("--results", type=Path, default=DATA, help="where the data are kept")
    parser.add_argument("--write", action="store_true", help="only write the page")
    parser.add_argument("--check", action="store_true", help="only look whether it is fresh")
    options = parser.parse_args()
    if not (options.write or options.check):
        if not (options.vintage and options.root and options.work):
            parser.error("give --vintage, --root and --work, or --write")
        if bool(options.twin) != bool(options.copy) or not (options.twin or options.release):
            parser.error("give --release, or --twin with --copy")
        if bool(options.bisect) != bool(options.producer):
            parser.error("give --bisect with --producer")
    return options


def machine() -> dict[str, Any]:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return {
        "processor": next(named, "an unnamed processor"), "cores": os.cpu_count(),
        "load": round(os.getloadavg()[2], 1), "day": str(datetime.now(UTC).date()),
    }  # fmt: skip


def _keep(file: Path, kind: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Adds an entry, in place of one of the same. Another process may add as well."""
    data: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    entries = data.setdefault(kind, [])
    if same := _SAME.get(kind):
        entries[:] = [each for each in entries if any(each[one] != entry[one] for one in same)]
    entries.append({**entry, "machine": machine()})
    if kind == "pairs":
        entries.sort(key=lambda each: (each["after_date"], each["before_date"]))
    file.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")
    return data


def _vintage(options: argparse.Namespace, archive: str) -> Vintage:
    folder = options.work / archive
    return Vintage(options.vintage, folder, options.root, options.core, options.limit)


def _known_pairs(file: Path) -> set[tuple[str, str]]:
    data = json.loads(file.read_text()) if file.exists() else {}
    return {(each["before"], each["after"]) for each in data.get("pairs", [])}


def _measure(options: argparse.Namespace) -> None:
    vintage = _vintage(options, "archive")
    pairs = {pair.after.version: pair for pair in neighbours(vintage.releases(options.release))}
    known = set() if options.again else _known_pairs(options.results)
    for version in options.only or reversed(pairs):
        pair = pairs[version]
        if (pair.before.version, pair.after.version) not in known:
            print(pair.name, file=sys.stderr, flush=True)
            _keep(
                options.results,
                "pairs",
                vintage.measure(pair, options.whole, not options.without_models),
            )


def _twin(options: argparse.Namespace) -> None:
    vintage = _vintage(options, "twin")
    for _ in range(options.runs):
        _keep(options.results, "twins", vintage.measure_twin(options.twin, options.copy))


def _bisect(options: argparse.Namespace) -> None:
    vintage = _vintage(options, "archive")
    _keep(
        options.results,
        "bisects",
        bisect(vintage, options.bisect, options.producer, options.release),
    )


def main() -> None:
    options = _options()
    if not (options.write or options.check):
        (_twin if options.twin else _bisect if options.bisect else _measure)(options)
    text = page(json.loads(options.results.read_text()), read_reported())
    if not options.check:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE.name} is not what its data say; release_speed.py --write writes it")


if __name__ == "__main__":
    main()

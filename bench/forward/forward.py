"""The forward promise between builds that are days apart: docs/measured/forward.md.

    bench/forward/forward.py --vintage build/release/bin/vintage --work FOLDER --jax VERSION ...
                             [--tensorflow-nightly DAYS ...] [--libtpu RELEASES] [--cuda RELEASES]
                             [--every DAYS] [--cuda-tools FOLDER] [--minutes N]
    bench/forward/forward.py --bisected ARCHIVE/bisect/KEY.json --seconds N
    bench/forward/forward.py --check | --write

Releases of JAX export one case of each primitive, and nightly builds of TensorFlow small models.
Each build runs in one call all that was made at most 21 days before or after it, the newest build
first, and those that ran before last; it is installed for its turn and dropped by the limit of
`vintage builds disk`. docs/measured/forward.json keeps what each producer and consumer showed, and
a consumer runs again only for producers that it has not met: a call goes on where another one
ended. --minutes ends a call before the next consumer. The page is written each time; --write does
nothing else. --bisected keeps what a `vintage bisect` over nightly builds recorded, in
docs/measured/forward_bisects.json.
"""

from __future__ import annotations

import argparse
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from bisects import Bisects
from building import OF_EACH_PRIMITIVE, Vintage, add_options
from page import page
from results import Results

MEASURED = Path(__file__).resolve().parents[2] / "docs/measured"
PAGE, DATA = MEASURED / "forward.md", MEASURED / "forward.json"
BISECTS = MEASURED / "forward_bisects.json"
FORWARD_DAYS = 21


def _options() -> argparse.Namespace:
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(description=about)
    add_options(parser)
    parser.add_argument("--tensorflow-nightly", nargs="+", default=[], help="20260801..20260905")
    parser.add_argument("--only-jax", action="store_true", help="nightly builds save no models")
    parser.add_argument("--results", type=Path, default=DATA, help="where the data are kept")
    parser.add_argument("--bisected", type=Path, help="the record of a bisect")
    parser.add_argument("--seconds", type=float, help="how long that bisect took")
    options = parser.parse_args()
    if options.bisected and not options.seconds:
        parser.error("--bisected needs --seconds")
    only_page = options.write or options.check or options.bisected
    if not (only_page or (options.vintage and options.work)):
        parser.error("give --vintage and --work, or --write")
    return options


def _measure(options: argparse.Namespace, results: Results) -> None:
    vintage = Vintage(options.vintage, options.work / "archive", OF_EACH_PRIMITIVE)
    vintage.register(options)
    end = time.monotonic() + options.minutes * 60
    builds = vintage.builds()
    jax = [each for each in builds if each["name"].removeprefix("jax-") in options.jax]
    asked = {"tensorflow-nightly-": options.tensorflow_nightly, "libtpu-": options.libtpu,
             "jax-cuda12-pjrt-": options.cuda}  # fmt: skip
    for start in (start for start, what in asked.items() if what):
        consumers = [each for each in builds if each["name"].startswith(start)]
        nightlies = consumers if start == "tensorflow-nightly-" else []
        consumers = sorted(consumers, key=lambda each: each["build_date"], reverse=True)
        for consumer in sorted(consumers, key=results.ran):
            if time.monotonic() > end:
                return
            near = [each for each in jax + nightlies if _days(each, consumer) <= FORWARD_DAYS]
            new = [each for each in near if not results.has(each, consumer)
                   and (each in jax or vintage.produced(each)
                        or (each == consumer and not options.only_jax))]  # fmt: skip
            if not new:
                continue
            print(f"{consumer['name']} of {len(new)}", file=sys.stderr, flush=True)
            for producer in new:
                vintage.produce(producer)
            results.add(new, consumer, vintage.replay(new, consumer))
            _write(results)


def _write(results: Results) -> None:
    PAGE.write_text(page(results, Bisects(BISECTS)), encoding="utf-8")


def _days(one: dict[str, Any], other: dict[str, Any]) -> int:
    days = [date.fromisoformat(each["build_date"]) for each in (one, other)]
    return abs((days[0] - days[1]).days)


def main() -> None:
    options = _options()
    results = Results(options.results)
    if options.check:
        fresh = PAGE.read_text(encoding="utf-8") == page(results, Bisects(BISECTS))
        sys.exit(0 if fresh else f"{PAGE.name} is not what its data say; --write writes it")
    if options.bisected:
        Bisects(BISECTS).add(options.bisected, options.seconds)
    _write(results)
    if options.vintage and not options.write:
        _measure(options, results)


if __name__ == "__main__":
    main()

"""The release that made a function slower, found by `vintage bisect --slower 2`."""

import time
from typing import Any

from measuring import Vintage, change_of, rounded


def bisect(vintage: Vintage, function: str, producer: str, versions: list[str]) -> dict[str, Any]:
    """By the smallest artifact of the function, exported by `producer`, that is slower on the last
    of the releases than on the first."""
    releases = vintage.releases(versions)
    good, bad = releases[0].build, releases[-1].build
    vintage.produce(next(each for each in releases if each.version == producer))
    report = vintage.window(good, bad, producer, [f"{function}_n*"])
    (finding,) = (
        each for each in report["findings"] if each["measured"]["quantity"] == "run"
    )  # fmt: skip
    words = ("--artifact", finding["artifact"][:12], "--slower", "2", "--good", good, "--bad", bad)
    began = time.monotonic()
    (search,) = vintage.run("bisect", "--fresh", *words)["searches"]
    seconds = round(time.monotonic() - began)
    if search["verdict"] != "found":
        raise SystemExit(f"{function}: {search['verdict']}")
    growth = {
        each: rounded(finding["growth"][each]) for each in ("exponent_before", "exponent_after")
    }
    return {
        **change_of(finding, {}), **growth, "producer": producer,
        "good": releases[0].version, "bad": releases[-1].version,
        "first_bad": search["first_bad"].removeprefix("jax-"), "releases": search["positions"],
        "confidence": search["confidence"], "probes": search["probes_made"], "seconds": seconds,
        "command": f"vintage bisect --archive A {' '.join(words)}",
        "window_seconds": round(sum(each["seconds"] for each in report["comparisons"])),
    }  # fmt: skip

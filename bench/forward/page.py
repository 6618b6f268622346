"""docs/measured/forward.md, from what is kept."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from typing import Any

from bisects import Bisects
from results import Results, cause

_PRODUCTS = {"jax": "JAX", "tensorflow-nightly": "TensorFlow nightly", "libtpu": "libtpu",
             "jax-cuda12-pjrt": "CUDA"}  # fmt: skip
_WEEKS = ((0, 7), (8, 14), (15, 21))
_DIRECTIONS = ("forward", "backward")
_WORKED = ("pass", "compiled")
_REFUSED = ("unsupported",)


def _product(build: str) -> str:
    starts = [start for start in _PRODUCTS if build.startswith(f"{start}-")]
    return _PRODUCTS[max(starts, key=len)]  # "jax-cuda12-pjrt-0.9.0" is no release of JAX.


def _route(pair: dict[str, Any]) -> str:
    return f"{_product(pair['producer'])} → {_product(pair['consumer'])}"


def _days(pair: dict[str, Any]) -> int:
    """Positive: the consumer is younger."""
    return (date.fromisoformat(pair["consumed"]) - date.fromisoformat(pair["produced"])).days


def _direction(pair: dict[str, Any]) -> str:
    return "backward" if _days(pair) > 0 else "forward"


def _counts(pairs: Iterable[dict[str, Any]]) -> tuple[int, int, int, int]:
    """Ran, worked, refused, failed."""
    outcomes: Counter[str] = Counter()
    for pair in pairs:
        outcomes.update(pair["outcomes"])
    worked, refused = (sum(outcomes[kind] for kind in kinds) for kinds in (_WORKED, _REFUSED))
    return outcomes.total(), worked, refused, outcomes.total() - worked - refused


def table(heads: list[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def _routes(pairs: list[dict[str, Any]]) -> list[str]:
    rows = []
    for route in sorted({_route(pair) for pair in pairs}):
        for direction in _DIRECTIONS:
            cells = []
            for low, high in _WEEKS:
                some = [pair for pair in pairs if (_route(pair), _direction(pair)) ==
                        (route, direction) and low <= abs(_days(pair)) <= high]  # fmt: skip
                ran, worked, *_ = _counts(some)
                cells.append(f"{worked}/{ran} on {len(some)}" if some else "")
            if any(cells):
                rows.append([route, direction, *cells])
    return table(["From, to", "Promise", *(f"{low} to {high} days" for low, high in _WEEKS)], rows)


def _breaks(pairs: list[dict[str, Any]]) -> list[str]:
    """The failures of all pairs of builds, those with one cause together."""
    found: dict[tuple[str, ...], list[tuple[dict[str, Any], dict[str, Any]]]] = defaultdict(list)
    for pair in pairs:
        for failure in pair["failures"]:
            if failure["outcome"] not in _REFUSED:
                kind = failure["class"] or failure["outcome"]
                key = (_route(pair), kind, cause(failure))
                found[key].append((pair, failure))
    rows = []
    for (route, kind, _), seen in sorted(found.items()):
        pair, failure = min(seen, key=lambda one: (int(one[1]["bytes"]), abs(_days(one[0]))))
        counts = Counter[str]()
        for each, one in seen:
            counts[_direction(each)] += one["artifacts"]
        message = failure["message"].replace("|", "\\|").replace("`", "'")
        rows.append([route, kind, *(counts[each] for each in _DIRECTIONS), len(seen),
                     f"{failure['artifact']}, {failure['bytes']} bytes", pair["producer"],
                     pair["consumer"], f"`{message}`" if message else ""])  # fmt: skip
    return table(["From, to", "Class", "Forward", "Backward", "Pairs of builds",
                   "Smallest artifact", "Made by", "Run by", "Message"], rows)  # fmt: skip


def _bisects(bisects: Bisects) -> list[str]:
    rows = []
    for name, each in bisects:
        between = f"{each['good']} to {each['bad']}, {each['builds']} builds"
        sure = f"{100 * each['confidence']:.2f} %"
        rows.append([f"{name} ({each['artifact']}), {each['mode']}", each["fault"], between,
                     each["last_good"], each["first_bad"], sure, each["probes"],
                     each["builds_asked"], f"{each['seconds'] / 60:.1f}"])  # fmt: skip
    return table(["Artifact", "Fault", "Searched", "Last good", "First bad", "Confidence",
                  "Probes", "Builds installed", "Minutes"], rows)  # fmt: skip


def page(results: Results, bisects: Bisects) -> str:
    pairs = sorted(results, key=lambda pair: (pair["consumed"], pair["consumer"], pair["producer"]))
    builds: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        for build in (pair["producer"], pair["consumer"]):
            builds[_product(build)].add(build)
    forward = [pair for pair in pairs if _direction(pair) == "forward"]
    ran, worked, refused, failed = _counts(forward)
    lines = [
        "# Forward, day by day",
        "",
        "Builds that are at most 21 days apart run each other's artifacts. A consumer that is as "
        "old as the producer or older shows the forward promise, a younger one the backward "
        "promise. Releases of JAX alone gave 1108 executions under the forward promise "
        "([README.md](README.md)).",
        "",
        f"Forward: {ran} executions on {len(forward)} pairs of builds: {worked} worked, {refused} "
        f"refused, {failed} failed. Written from [forward.json](forward.json) by "
        "`bench/forward/forward.py`, which goes on where it stopped.",
        "",
        *table(["Product", "Builds"], [[name, len(builds[name])] for name in sorted(builds)]),
        "",
        "TensorFlow runs an Exported by XlaCallModule and a SavedModel in a graph that it "
        "compiles; for libtpu (v5e:2x2) and CUDA (h100) to work means that they compile. JAX "
        "exports one case of each primitive for float32. CUDA's solvers (`cusolver_…`, "
        "`cusparse_…`) are in jax-cuda12-plugin, which a PJRT plugin alone does not load, and "
        "LAPACK's (`lapack_…`) are in jaxlib, which TensorFlow does not have.",
        "",
        "## By runtimes and days",
        "",
        "Executions that worked, of those that ran, on so many pairs of builds.",
        "",
        *_routes(pairs),
        "",
        "## Failures",
        "",
        "Failures with one message (but for numbers and names in quotes), by their smallest "
        "artifact; *forward* and *backward* count artifacts.",
        "",
        *_breaks(pairs),
        "",
        "## The first day of a fault",
        "",
        "`vintage bisect` over nightly builds that are made when they are needed. Between the last "
        "good and the first bad build the index has none.",
        "",
        *_bisects(bisects),
        "",
    ]
    return "\n".join(lines)

"""SavedModels that jax2tf makes, on releases of TensorFlow: docs/measured/jax2tf.md.

    bench/forward/jax2tf.py --vintage build/release/bin/vintage --work FOLDER --jax VERSION ...
                            --saved-by tensorflow-2.21.0 [--on BUILD ...]
    bench/forward/jax2tf.py --check | --write

Each registered release of JAX makes its models with the TensorFlow of --saved-by, and each build
of --on runs them in its three modes. docs/measured/jax2tf.json keeps what came out; a build that it
has is not asked again.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from building import Vintage
from page import table
from results import message_of

MEASURED = Path(__file__).resolve().parents[2] / "docs/measured"
PAGE, DATA = MEASURED / "jax2tf.md", MEASURED / "jax2tf.json"
_MODES = ("eager", "graph", "compiled")
_NAME = re.compile(r"tensorflow:jax2tf-([\d.]+)-(\w+)/cpu")


def _options() -> argparse.Namespace:
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--vintage", type=Path, help="the program")
    parser.add_argument("--work", type=Path, help="a folder for the archive, which has the builds")
    parser.add_argument("--jax", nargs="+", default=[], help="releases whose jax2tf makes models")
    parser.add_argument("--saved-by", help="the build of TensorFlow that saves them")
    parser.add_argument("--on", nargs="+", default=[], help="builds of TensorFlow that run them")
    parser.add_argument("--write", action="store_true", help="only write the page")
    parser.add_argument("--check", action="store_true", help="only look whether it is fresh")
    return parser.parse_args()


def _measure(options: argparse.Namespace, data: dict[str, Any]) -> None:
    vintage = Vintage(options.vintage, options.work / "archive", ())
    days = {build["name"]: build["build_date"] for build in vintage.builds()}
    for version in options.jax:
        report = vintage.produce_by_jax2tf(options.saved_by, f"jax-{version}")
        if report is not None:
            data["refused"] = report["not_exported"]  # It lists what earlier calls refused too.
    data["saved_by"] = options.saved_by
    for build in options.on:
        for mode in (mode for mode in _MODES if f"{build} {mode}" not in data["ran"]):
            print(f"{build} {mode}", file=sys.stderr, flush=True)
            pairs = vintage.replay_models(options.saved_by, build, mode)
            if not pairs:
                continue
            data["ran"][f"{build} {mode}"] = {
                "day": days[build],
                "outcomes": {pair["name"]: _said(pair) for pair in sorted(pairs, key=_by_name)},
            }
            DATA.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _by_name(pair: dict[str, Any]) -> str:
    return str(pair["name"])


def _said(pair: dict[str, Any]) -> str:
    if pair["outcome"] == "pass":
        return "pass"
    return f"{pair['class'] or pair['outcome']}: {message_of(pair['detail'])}"


def _cell(outcomes: dict[str, str], model: str) -> str:
    """How many of the releases' models pass, or which do not."""
    mine = {}
    for name, said in outcomes.items():
        if (found := _NAME.fullmatch(name)) and found[2] == model:
            mine[found[1]] = said
    failed = [version for version, said in mine.items() if said != "pass"]
    return f"{len(mine)} pass" if not failed else f"fails: {', '.join(failed)}"


def _page(data: dict[str, Any]) -> str:
    columns = sorted(data["ran"], key=lambda name: (data["ran"][name]["day"], name))
    names = {name for column in columns for name in data["ran"][column]["outcomes"]}
    parts = [found for found in map(_NAME.fullmatch, sorted(names)) if found]
    models = sorted({found[2] for found in parts})
    releases = sorted({found[1] for found in parts}, key=lambda text: [*map(int, text.split("."))])
    causes: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for column in columns:
        for name, said in data["ran"][column]["outcomes"].items():
            if said != "pass":
                causes[said].append((column, name))
    runs = [said for column in columns for said in data["ran"][column]["outcomes"].values()]
    refused = [[each["count"], each["example"], f"`{each['reason']}`"] for each in data["refused"]]
    failures = [[len(seen), ", ".join(sorted({column for column, _ in seen})),
                 len({name for _, name in seen}), min(name for _, name in seen),
                 f"`{said}`".replace("|", "\\|")]
                for said, seen in sorted(causes.items())]  # fmt: skip
    return "\n".join([
        "# SavedModels by jax2tf", "",
        f"{len(names)} SavedModels, which {', '.join(f'jax2tf {each}' for each in releases)} made "
        f"and {data['saved_by']} saved (`produce --jax2tf`), on "
        f"{len({column.rpartition(' ')[0] for column in columns})} builds of TensorFlow in three "
        f"modes: {len(runs)} executions, {runs.count('pass')} pass. Written from "
        "[jax2tf.json](jax2tf.json) by `bench/forward/jax2tf.py`.", "",
        *table(["Model", *columns],
               [[model, *(_cell(data["ran"][column]["outcomes"], model) for column in columns)]
                for model in models]), "",
        "## Failures", "",
        *table(["Executions", "On", "Models", "One of them", "Message"], failures), "",
        "## Not made", "", "A release of JAX converts these, and the TensorFlow that saves them "
        "does not run them.", "", *table(["Models", "One of them", "Reason"], refused), "",
    ])  # fmt: skip


def main() -> None:
    options = _options()
    data: dict[str, Any] = {"saved_by": "", "refused": [], "ran": {}}
    if DATA.exists():
        data = json.loads(DATA.read_text(encoding="utf-8"))
    if options.check:
        fresh = PAGE.read_text(encoding="utf-8") == _page(data)
        sys.exit(0 if fresh else f"{PAGE.name} is not what its data say; --write writes it")
    if options.vintage:
        _measure(options, data)
    PAGE.write_text(_page(data), encoding="utf-8")


if __name__ == "__main__":
    main()

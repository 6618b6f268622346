"""Which publicly reported breaks between releases of JAX Vintage finds: docs/measured/recall.md.

    bench/recall/recall.py --vintage build/release/bin/vintage --root ENVIRONMENTS --work FOLDER
                           [--case NAME ...] [--step reproduce catalogue archived] [--again]
    bench/recall/recall.py --check

cases/*.toml lists the breaks, and programs/ has a program of our own for each. Three steps: the
break is reproduced in both releases (reproduce.py); Vintage is asked whether its own catalogue
finds it, and whether it does once the case is archived (archives.py). Answers are kept in
docs/measured/recall.json, and asked again with --again only, so a call goes on where another
one ended. The page is written each time; with --step none it is all that is done.
"""

import argparse
import ast
import json
import sys
from pathlib import Path
from typing import Any

from archives import Vintage, archived, catalogue
from case import Case, read_cases, read_tried
from page import page
from releases import environments
from reproduce import reproduce

HERE = Path(__file__).resolve().parent
MEASURED = HERE.parents[1] / "docs/measured"
PAGE = MEASURED / "recall.md"
STEPS = ("reproduce", "catalogue", "archived")


def _page(cases: list[Case], results: dict[str, dict[str, Any]]) -> str:
    speed = json.loads((MEASURED / "speed.json").read_text(encoding="utf-8"))
    return page(cases, read_tried(), results, speed)


def _options() -> argparse.Namespace:
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--vintage", type=Path, help="the program, for catalogue and archived")
    parser.add_argument("--root", type=Path, help="where environments of releases are kept")
    parser.add_argument("--work", type=Path, help="a folder for artifacts and the archive")
    parser.add_argument("--case", nargs="+", default=[], help="only these")
    parser.add_argument("--step", nargs="+", choices=(*STEPS, "none"), default=list(STEPS))
    parser.add_argument("--again", action="store_true", help="also what is known")
    parser.add_argument("--results", type=Path, default=MEASURED / "recall.json",
                        help="where what is known is kept; another file for a part")  # fmt: skip
    parser.add_argument("--workers", type=int, default=2, help="processes of Vintage at once")
    parser.add_argument("--check", action="store_true", help="only look whether all is fresh")
    options = parser.parse_args()
    if options.check:
        return options
    if options.step != ["none"] and not (options.root and options.work):
        parser.error("give --root and --work, or --step none")
    if {"catalogue", "archived"} & set(options.step) and not options.vintage:
        parser.error("the steps catalogue and archived need --vintage")
    return options


def _wanted(case: Case, known: dict[str, Any], steps: list[str], again: bool) -> list[str]:
    """The steps that are still to be done. The page of speed answers for what is slow, and no
    archive holds what is about a process."""
    possible = STEPS if case.artifact and case.kind != "slow" else STEPS[:1]
    return [step for step in possible if step in steps and (again or step not in known)]


def _check(cases: list[Case], results: dict[str, dict[str, Any]]) -> str:
    """The first thing that is not as it should be; empty where all is."""
    functions = {
        node.name
        for file in (HERE / "programs").glob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    names = {case.name for case in cases}
    if names - functions:
        return f"programs/ has no function for {', '.join(sorted(names - functions))}"
    if set(results) - names:
        return f"recall.json knows what is no case: {', '.join(sorted(set(results) - names))}"
    if PAGE.read_text(encoding="utf-8") != _page(cases, results):
        return f"{PAGE.name} is not what its data say; bench/recall/recall.py --step none writes it"
    return ""


def main() -> None:
    options = _options()
    kept: Path = options.results
    results: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else {}
    cases = read_cases()
    if options.check:
        sys.exit(_check(cases, results) or 0)
    unknown = sorted(set(options.case) - {case.name for case in cases})
    if unknown:
        raise SystemExit(f"no case is called {', '.join(unknown)}; cases/*.toml has the names")
    chosen = [case for case in cases if not options.case or case.name in options.case]
    to_do = {
        case.name: _wanted(case, results.get(case.name, {}), options.step, options.again)
        for case in chosen
    }
    active = [case for case in chosen if to_do[case.name]]
    if active:
        versions = sorted({v for case in active for v in (case.good, case.bad, case.producer) if v})
        releases = environments(options.root, versions)
        options.work.mkdir(parents=True, exist_ok=True)
        vintage = Vintage(options.vintage, options.work / "archive", options.root, options.workers)
        if any(set(steps) - {"reproduce"} for steps in to_do.values()):
            vintage.register(versions)
    for case in active:
        known = results.setdefault(case.name, {})
        for step in to_do[case.name]:
            print(f"{case.name}: {step}", file=sys.stderr, flush=True)
            if step == "reproduce":
                known[step] = reproduce(case, releases, options.work)
            elif not known["reproduce"]["reproduced"]:
                continue
            elif step == "catalogue":
                known[step] = catalogue(case, cases, vintage)
            else:
                known[step] = archived(case, vintage, releases, options.work)
            kept.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    PAGE.write_text(_page(cases, results))


if __name__ == "__main__":
    main()

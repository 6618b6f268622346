"""Writes docs/measured/jax_on_engine.md from what compare.py found.

bench/jax_on_engine/page.py --release 'jax 0.12.0.1' results.jsonl > docs/measured/jax_on_engine.md
"""

import argparse
import fnmatch
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
_PASSES = ("same", "same by meaning")
_NOT_COUNTED = ("not for the cpu", "cpu fails")
_SETTINGS = {
    ("warm", "1"): "jit, x64",
    ("eager", "1"): "eager, x64",
    ("warm", "0"): "jit, 32 bits",
    ("eager", "0"): "eager, 32 bits",
}
_Outcome = dict[str, Any]


def _read(files: Iterable[str]) -> list[_Outcome]:
    outcomes = []
    for file in files:
        with open(file, encoding="utf-8") as lines:
            outcomes += [json.loads(line) for line in lines]
    return outcomes


def _setting(outcome: _Outcome) -> str:
    return _SETTINGS[outcome["mode"], outcome["x64"]]


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _share(passed: int, counted: int) -> str:
    return f"{100 * passed / counted:.2f} %" if counted else "-"


def _table(release: str, outcomes: list[_Outcome]) -> list[str]:
    lines = [
        f"## {release}", "",
        _row(["setting", "harnesses", "not for the CPU", "the CPU itself fails", "compared",
              "same", "same by meaning", "differ or fail", "pass"]),
        _row(["---"] * 9),
    ]  # fmt: skip
    for name in _SETTINGS.values():
        found = Counter(each["verdict"] for each in outcomes if _setting(each) == name)
        total = sum(found.values())
        if not total:
            continue
        counted = total - sum(found[each] for each in _NOT_COUNTED)
        passed = sum(found[each] for each in _PASSES)
        lines.append(
            _row([name, total, found["not for the cpu"], found["cpu fails"], counted,
                  found["same"], found["same by meaning"], counted - passed,
                  _share(passed, counted)])
        )  # fmt: skip
    return [*lines, ""]


# Primitives with a larger difference have a row.
_ORDINARY_EPSILONS = 1.0


def _primitives(outcomes: list[_Outcome]) -> list[str]:
    settings = [name for name in _SETTINGS.values() if any(_setting(o) == name for o in outcomes)]
    by: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    largest: dict[str, float] = defaultdict(float)
    for each in outcomes:
        if each["verdict"] not in _NOT_COUNTED:
            by[each["primitive"]][_setting(each)][each["verdict"]] += 1
            largest[each["primitive"]] = max(largest[each["primitive"]], each.get("epsilons", 0.0))
    rows, whole = [], []
    for primitive in sorted(by):
        cells = []
        for setting in settings:
            found = by[primitive][setting]
            passed = sum(found[each] for each in _PASSES)
            cells.append(f"{passed} of {sum(found.values())}" if found else "-")
        passes = all(set(found) <= set(_PASSES) for found in by[primitive].values())
        if passes and largest[primitive] <= _ORDINARY_EPSILONS:
            whole.append(primitive)
        else:
            rows.append(_row([primitive, *cells, f"{largest[primitive]:.3g}"]))
    lines = ["### By primitive", ""]
    if rows:
        lines += ["Passed of compared; the largest difference of floats in epsilons of their type.",
                  "", _row(["primitive", *settings, "epsilons"]),
                  _row(["---"] * (2 + len(settings))), *rows, ""]  # fmt: skip
    lines.append(f"In every setting all harnesses of {len(whole)} primitives pass, and floats "
                 f"differ by at most an epsilon: {', '.join(whole)}.")  # fmt: skip
    return [*lines, ""]


def _reason(outcome: _Outcome) -> str:
    """Why the outcome differs, if bench/jax_on_engine/reasons.json knows it."""
    for each in json.loads((HERE / "reasons.json").read_text(encoding="utf-8")):
        if fnmatch.fnmatch(outcome["name"], each["name"]):
            return str(each["reason"])
    return "not explained"


def _differences(outcomes: list[_Outcome]) -> list[str]:
    differing = [each for each in outcomes if each["verdict"] not in ("same", "not for the cpu")]
    if not differing:
        return []
    settings: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for each in differing:
        meant = each["verdict"] == "same by meaning"
        reason = each["detail"] if meant else f"{_reason(each)} ({each['detail']})"
        key = (each["primitive"], each["verdict"], f"`{each['name']}`", reason.replace("|", "\\|"))
        settings[key].append(_setting(each))
    lines = ["### Differences", "",
             _row(["primitive", "verdict", "harness", "why", "setting"]),
             _row(["---"] * 5)]  # fmt: skip
    lines += [_row([*key, "; ".join(sorted(settings[key]))]) for key in sorted(settings)]
    return [*lines, ""]


_INTRODUCTION = """\
# The engine judged by JAX

JAX's own primitive harnesses, run by the same JAX in one process on two platforms: on the
embedded engine through its [plugin](../howto/pjrt_plugin.md) and on JAX's CPU backend, which is the
reference. *jit* compiles a harness as one program in a process that has lowered others (warm);
*eager* calls it without jit, so that each operation is a program of its own. *x64* is
`JAX_ENABLE_X64=1`, where harnesses for float64 and float32 run in their type; with 32 bits JAX
has fewer harnesses.

Results are the same where shapes and types are, integers and predicates are equal, and floats are
within epsilons of their type, times the larger of the element and the largest magnitude of its
array: 16 of float32, float64 and the complex types, 4 of float16 and bfloat16, 1 of narrower ones.
A NaN equals a NaN, and a denormal zero, since XLA's CPU flushes them. *By meaning*: they differ,
and both are shown to be right. Every result is checked to lie on the device that was asked for.

Written by `bench/jax_on_engine/page.py` from what `bench/jax_on_engine/compare.py` found.

"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--release", action="append", nargs="+", required=True, metavar="NAME FILE",
        help="a release as it is to be called, and what compare.py found with it",
    )  # fmt: skip
    options = parser.parse_args()
    lines: list[str] = []
    for name, *files in options.release:
        outcomes = _read(files)
        if not outcomes:
            parser.error(f"{name}: no outcome in {', '.join(files)}")
        lines += _table(name, outcomes)
        lines += _differences(outcomes)
        if name == options.release[0][0]:
            lines += _primitives(outcomes)
    print(_INTRODUCTION + "\n".join(lines).rstrip())


if __name__ == "__main__":
    main()

"""The text of docs/measured/recall.md."""

from collections.abc import Iterable
from typing import Any

from case import Case, Tried

_Results = dict[str, dict[str, Any]]

_INTRODUCTION = """\
# Which reported breaks between releases of JAX are found

Breaks that users of JAX reported in public, each with a program of our own in
[bench/recall](../../bench/recall/recall.py) that runs on a CPU. *Reproduced*: the good release
gives what NumPy gives, and the bad one does not, dies, hangs or refuses. *Unprompted*: the nightly
run's sample of Vintage's own catalogue, exported by the good release and replayed on the bad one,
holds an artifact that passes on the good release and fails in the same way on the bad one; of a
refusal also one that the bad release no longer exports. *Archived*: an archive that keeps the
case's own program, as the good release exported it, finds the break on the bad one. A break in how
a release traces a function is not in an artifact of another release: then an archived artifact
goes on to work, as it should, and only an export by the bad release itself shows the break.

The kind of #39103, small matrices by many rows, entered the catalogue after the report. It holds
every size of the matrix from 2 to 8, not the reported one alone.

A number without a name is one of jax-ml/jax. Written by `bench/recall/recall.py` from cases/*.toml,
docs/measured/recall.json and speed.json.

"""


def _link(issue: str) -> str:
    owner, name, _, number = issue.removeprefix("https://github.com/").split("/")
    where = "" if name == "jax" else f"{owner}/{name} "
    return f"[{where}{number if len(number) > 8 else '#' + number}]({issue})"


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _table(titles: list[str], rows: list[list[object]]) -> list[str]:
    return [_row(titles), _row(["---"] * len(titles)), *map(_row, rows), ""]


def _step(results: _Results, case: Case, step: str) -> dict[str, Any] | None:
    return results.get(case.name, {}).get(step)


def _reproduced(results: _Results, case: Case) -> bool:
    return bool((_step(results, case, "reproduce") or {}).get("reproduced"))


def _unprompted(results: _Results, case: Case) -> str:
    found = _step(results, case, "catalogue")
    if not case.artifact:
        return "no artifact"
    if found is None:
        return "not asked yet"
    if found["failing_count"]:
        return f"yes: {found['failing_count']} of {found['tried']}"
    if found.get("not_exported"):
        return "yes: not exported"
    return f"no: {found['tried']} tried" if found["tried"] else "no: none of the kind"


def _archived(results: _Results, case: Case) -> str:
    found = _step(results, case, "archived")
    if not case.artifact:
        return "no artifact"
    if found is None:
        return "not asked yet"
    if found["found"]:
        return "yes"
    by_bad = found.get("exported_by_bad", {}).get("ended", "")
    if by_bad in ("refused", "crashed", "wrong"):
        return "at export only"
    return f"no: {found.get('bad', '')} on the bad release"


def _cases(results: _Results, cases: list[Case]) -> list[str]:
    rows: list[list[object]] = [
        [_link(case.issue), case.good, case.bad + (", fresh" if case.condition == "fresh" else ""),
         case.kind, case.shows + (f" Exported by {case.producer}." if case.producer else ""),
         _unprompted(results, case), _archived(results, case)]
        for case in cases
    ]  # fmt: skip
    titles = ["report", "good", "bad", "kind", "seen", "unprompted", "archived"]
    return _table(titles, rows)


def _is_yes(text: str) -> bool:
    return text.startswith("yes")


def _summary(results: _Results, groups: dict[str, list[Case]]) -> list[str]:
    rows: list[list[object]] = []
    for title, cases in groups.items():
        unprompted = [case for case in cases if _is_yes(_unprompted(results, case))]
        archived = [case for case in cases if _is_yes(_archived(results, case))]
        either = {case.name for case in unprompted + archived}
        at_export = [case for case in cases if _archived(results, case) == "at export only"]
        seen = sum(case.name not in either for case in at_export)
        asked = sum(_unprompted(results, case) != "not asked yet" for case in cases)
        rows.append([title, len(cases), asked, len(unprompted), len(either), seen,
                     len(cases) - len(either) - seen])  # fmt: skip
    titles = ["breaks", "reproduced", "asked", "found unprompted", "unprompted or archived",
              "at export only", "neither"]  # fmt: skip
    return _table(titles, rows)


def _found(results: _Results, cases: list[Case]) -> list[str]:
    lines = ["## Found unprompted, by these artifacts", ""]
    for case in cases:
        found = _step(results, case, "catalogue") or {}
        name, detail = next(iter(found.get("failing", {}).items()), ("", ""))
        if name:
            lines.append(f"- {_link(case.issue)}: `{name}`: {detail}")
        elif found.get("not_exported"):
            missing = ", ".join(f"`{each}`" for each in found["not_exported"])
            lines.append(f"- {_link(case.issue)}: jax {case.bad} no longer exports {missing}")
    return [*lines, ""] if len(lines) > 2 else []


def _entry(case: Case) -> str:
    return f"{_link(case.issue)} (`{case.primitives[0]}`)"


def _to_do(results: _Results, cases: list[Case]) -> list[str]:
    missed = [
        case for case in cases
        if case.artifact and _step(results, case, "catalogue") is not None
        and not _is_yes(_unprompted(results, case))
    ]  # fmt: skip
    kinds = [case for case in missed if _is_yes(_archived(results, case))]
    traced = [case for case in missed if _archived(results, case) == "at export only"]
    return [
        "## To do", "",
        "### Kinds that the catalogue lacks", "",
        "An artifact of the kind finds the break. A copy of the report is no kind.", "",
        ", ".join(map(_entry, kinds)) + ".", "",
        "### Breaks of tracing", "",
        "An artifact of another release does not hold them. Vintage exports with each release, so "
        "it can compare: a function that one release exports and the next refuses, and a function "
        "whose golden is another one in the next release. The catalogue needs the kinds as well.",
        "", ", ".join(map(_entry, traced)) + ".", "",
    ]  # fmt: skip


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms"


def _slower_functions(case: Case, speed: dict[str, Any]) -> str:
    """Whether the measured neighbours show it: functions of its primitives, slower in the release
    that brought it."""
    for pair in speed["pairs"]:
        if (pair["before"], pair["after"]) != (case.good, case.bad):
            continue
        found = [change for change in pair["changes"]
                 if change["class"] == "slower" and change["quantity"] == "run"
                 and change["primitive"] in case.primitives]  # fmt: skip
        if not found:
            tried = sum(pair["artifacts_of"].get(each, 0) for each in case.primitives)
            return f"no: {tried} tried"
        most = max(found, key=lambda change: float(change["value"]))
        name = most["function"].removesuffix("/cpu")
        times = f"{most['value']:,.0f}" if most["value"] >= 100 else f"{most['value']:.3g}"
        return f"yes: {len(found)} function{'s' * (len(found) > 1)}, `{name}` {times} times"
    return "not asked: the two were not measured beside each other"


def _slow(results: _Results, cases: list[Case], speed: dict[str, Any]) -> list[str]:
    rows: list[list[object]] = []
    for case in cases:
        found = _step(results, case, "reproduce") or {}
        good, bad = found["good"], found["bad"]
        rows.append([_link(case.issue), case.good, case.bad, case.shows, case.size,
                     f"{_seconds(good['run'])} → {_seconds(bad['run'])}", f"{found['ratio']:.3g}",
                     _slower_functions(case, speed)])  # fmt: skip
    titles = ["report", "good", "bad", "seen", "size", "runs in", "times", "unprompted"]
    unprompted = sum(_is_yes(str(row[-1])) for row in rows)
    return [
        "## Slowdowns", "",
        "Minima over three rounds in which the releases take turns; the machine had other work. "
        "*Unprompted*: of the size axis, which [speed.md](speed.md) measured on the same two "
        f"releases, functions of the case's primitives became slower. {unprompted} of {len(rows)} "
        "are found; that the cause is the same was not looked at.", "", *_table(titles, rows),
    ]  # fmt: skip


def _tried(tried: list[Tried]) -> list[str]:
    rows: list[list[object]] = [
        [_link(each.issue), each.good, each.bad, each.why] for each in tried
    ]
    return [
        "## Not reproduced here",
        "",
        *_table(["report", "good", "bad", "why"], rows),
    ]


def page(cases: list[Case], tried: list[Tried], results: _Results, speed: dict[str, Any]) -> str:
    """`speed` are the data of docs/measured/speed.md."""
    seen = [case for case in cases if _reproduced(results, case)]
    unseen = [case for case in cases if not _reproduced(results, case)]
    slow = [case for case in seen if case.kind == "slow"]
    broke = [case for case in seen if case.kind != "slow" and not case.mended]
    mended = [case for case in seen if case.kind != "slow" and case.mended]
    lines = _summary(results, {
        "broken by a later release": broke, "broken in 0.4.30 already, and mended since": mended,
    })  # fmt: skip
    lines += [f"{len(slow)} slowdowns are reproduced as well.", ""]
    if unseen:
        lines += ["Not reproduced by this run: " + ", ".join(case.name for case in unseen), ""]
    lines += ["## Broken by a later release", "", *_cases(results, broke)]
    lines += ["## Broken in 0.4.30 already, and mended since", "",
              "No release from 0.4.30 to the bad one works. Users of the bad one see the break, "
              "and an artifact of a newer release may fail there.", "",
              *_cases(results, mended)]  # fmt: skip
    lines += _found(results, broke + mended) + _to_do(results, broke + mended)
    lines += _slow(results, slow, speed) + _tried(tried)
    return _INTRODUCTION + "\n".join(lines).rstrip() + "\n"

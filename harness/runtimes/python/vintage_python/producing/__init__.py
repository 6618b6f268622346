"""The common part of the producers: their program, the choice of cases, and a journal with a line
for each artifact, so that a producer goes on where it was.

    DIR/produced.jsonl    {"name", "status": "exported" | "refused" | "unimplemented", …}

An artifact is first "started": one that stays so ended its process, and is not tried again
unless that is asked for.

Several processes append to one file; a line is written at once.
"""

import argparse
import fnmatch
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from vintage_python.failure import EXIT_HOLDS, EXIT_NOTHING_RAN, UsageFailure, run_program
from vintage_python.framework import Framework
from vintage_python.programs import add_release, module_of, program_parser
from vintage_python.progress import result, write_lines_to
from vintage_python.standard_streams import keep_standard_output

FILE = "produced.jsonl"
_REASON_WIDTH = 90
_FILTERS = ("name", "primitive", "variant")

CaseLike = TypeVar("CaseLike")  # With these fields.


def produce_program(framework: Framework, arguments: Sequence[str]) -> int:
    """The whole program `produce` of a framework. Its module has DOES, how a sentence about it
    begins; EACH, what it makes; cases(options); and produce(options, arguments, output), which
    gives an exit status, or None where this process is one of several and another one reports."""
    parser = program_parser(framework, "produce", "")
    add_release(parser)
    parser.add_argument("--out", type=Path, required=True, help="where the artifacts are written")
    parser.add_argument(
        "--filter", nargs="+", default=[], metavar="FIELD=PATTERN",
        help="name, primitive or variant, with * and ?; each given field must match one of its "
             "patterns")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="the I-th of N parts")
    parser.add_argument("--retry", action="store_true", help="try again what was refused")
    only_names = parser.add_argument("--list", action="store_true")
    parser.add_argument("--format", choices=("text", "json", "lines"), default="text")
    module = module_of(framework, "produce", parser)
    parser.description = (f"{module.DOES} with the {framework.title} of this interpreter, each as "
                          "a folder that vintage import reads.")  # fmt: skip
    only_names.help = f"only name the {module.EACH}"
    options = parser.parse_args(arguments)

    def run() -> int:
        # Before a framework is loaded, which takes seconds.
        if options.jobs < 1:
            raise UsageFailure("--jobs is at least 1")
        patterns_of(options.filter)
        part_of(options.shard)
        with keep_standard_output() as stdout:
            if options.format == "lines":
                write_lines_to(stdout.fileno())
            if options.list:
                stdout.write("".join(f"{case.name}\n" for case in module.cases(options)).encode())
                return EXIT_HOLDS
            status: int | None = module.produce(options, list(arguments), stdout.fileno())
            if status is None:
                return EXIT_HOLDS
            made = _report(options.out, options.format, framework.title, stdout)
        return status or (EXIT_HOLDS if made else EXIT_NOTHING_RAN)

    return run_program(parser.prog, run)


def chosen(cases: Sequence[CaseLike], options: argparse.Namespace) -> list[CaseLike]:
    """Those that fit the filters, and are of the part that is asked for."""
    part, parts = part_of(options.shard)
    return matching(cases, patterns_of(options.filter))[part::parts]


def patterns_of(filters: Sequence[str]) -> dict[str, list[str]]:
    """`primitive=add*` and the like, by field."""
    patterns: dict[str, list[str]] = {}
    for text in filters:
        field, sign, pattern = text.partition("=")
        if not sign or field not in _FILTERS:
            raise UsageFailure(f"--filter {text}: {', '.join(_FILTERS)} are known, as in "
                               "primitive=add*")  # fmt: skip
        patterns.setdefault(field, []).append(pattern)
    return patterns


def matching(cases: Sequence[CaseLike], patterns: Mapping[str, Sequence[str]]) -> list[CaseLike]:
    """Those that one pattern of each field fits."""
    return [
        case
        for case in cases
        if all(
            any(fnmatch.fnmatchcase(getattr(case, field), pattern) for pattern in several)
            for field, several in patterns.items()
        )
    ]


def part_of(text: str) -> tuple[int, int]:
    """`1/4` is the first of four parts: (0, 4)."""
    first, _, last = text.partition("/")
    if not (first.isdigit() and last.isdigit() and 1 <= int(first) <= int(last)):
        raise UsageFailure(f"--shard {text}: 1/4 is the first of four parts")
    return int(first) - 1, int(last)


class Journal:
    def __init__(self, folder: Path, retry: bool = False) -> None:
        """`retry`: without what was refused."""
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / FILE
        self.lines: dict[str, dict[str, Any]] = {}
        if self._path.exists():
            for text in self._path.read_text(encoding="utf-8").splitlines():
                try:
                    line = json.loads(text)
                except ValueError:
                    continue  # Cut off when a run was interrupted: done again.
                self.lines[line["name"]] = line
        for line in self.lines.values():
            if line["status"] == "started":
                line |= {"status": "refused", "reason": "export: the process ended at it"}
        if retry:
            self.lines = {k: v for k, v in self.lines.items() if v["status"] != "refused"}

    def add(self, artifact: dict[str, Any], status: str, reason: str = "", **more: str) -> None:
        """`artifact`: its name, primitive, variant, platforms and mode."""
        line = artifact | {"status": status, "reason": reason} | more
        self.lines[line["name"]] = line
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, (json.dumps(line) + "\n").encode())
        finally:
            os.close(descriptor)


def summary(lines: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Counts, and of what could not be exported: why, how often, and an example."""
    counts = Counter(line["status"] for line in lines.values())
    reasons: dict[tuple[str, str], list[str]] = {}
    for line in lines.values():
        if line["status"] == "refused":
            key = (line["primitive"], line["reason"])
            reasons.setdefault(key, []).append(line["name"])
    table = [
        {"primitive": primitive, "reason": reason, "count": len(names), "example": names[0]}
        for (primitive, reason), names in sorted(reasons.items())
    ]
    without = sum(1 for line in lines.values() if line.get("golden") == "none")
    fields = ("platforms", "variant", "mode", "status")
    kinds = Counter(
        tuple("+".join(line[f]) if f == "platforms" else line[f] for f in fields)
        for line in lines.values()
    )
    return {
        "kinds": [
            dict(zip(fields, kind, strict=True)) | {"count": count}
            for kind, count in sorted(kinds.items())
        ],
        "exported": counts["exported"],
        "without_golden": without,
        "unimplemented": counts["unimplemented"],
        "refused": counts["refused"],
        "reasons": table,
    }


def table_of(whole: dict[str, Any], framework: str) -> str:
    """A summary as text."""
    lines = [
        f"{whole['exported']} exported, {whole['without_golden']} of them without a golden; "
        f"{whole['unimplemented']} that {framework} does not implement; {whole['refused']} refused"
    ]
    for row in whole["reasons"]:
        reason = row["reason"][:_REASON_WIDTH]
        lines.append(f"  {row['count']:5}  {row['primitive']:24} {reason}  ({row['example']})")
    return "\n".join(lines) + "\n"


def _report(folder: Path, form: str, framework: str, stdout: BinaryIO) -> bool:
    """Says what the folder's journal holds, in not_exported.json as well; whether it holds any."""
    lines = Journal(folder).lines
    whole = summary(lines)
    text = json.dumps(whole, indent=1) + "\n"
    (folder / "not_exported.json").write_text(text, encoding="utf-8")
    if form == "lines":
        made = [each for each in lines.values() if each["status"] == "exported"]
        folders = [{"name": each["name"], "folder": each["folder"]} for each in made]
        result(whole | {"artifacts": folders})
    else:
        stdout.write((text if form == "json" else table_of(whole, framework)).encode())
    return bool(lines)

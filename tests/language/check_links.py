#!/usr/bin/env python3
"""Links of documents, and documents that sources name: each leads to something.

    tests/language/check_links.py

A relative link of a .md file names a file of the tree, and its anchor a heading or a mark there.
Where another file names docs/….md (or .json, .sh, .py) that file exists, and so does each source
file that a document names: pages named headers that were gone. docs/README.md, the index, links to
each page of the four shelves. Prints "file:line: what", and ends with 1 where it printed any.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs" / "README.md"
SHELVES = ("tutorial", "howto", "reference", "explanation")

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`]*`")
MENTION = re.compile(r"(?<![\w.-])docs/[\w./-]+\.(?:md|json|sh|py|png|yml|yaml)\b")
SOURCE = re.compile(
    r"(?<![\w./-])(?:archive|bench|cmake|golden|harness|primitives|reports|tests)/[\w./-]+"
    r"\.(?:cpp|h|inc|td|py|fbs|json|mlir|txt)\b"
)
# A name in it stands for any: FAMILY_ops.td, rules/FILE.cpp; A/reports/… is in an archive.
PLACEHOLDER = re.compile(r"FAMILY|FILE|NAME|/reports/")
# Files of StableHLO's repository ("there"), a placeholder, and rules that a test invents.
ELSEWHERE = re.compile(r"docs/\w+\.md there|https?://\S+|docs/gate/(?:ID|kept-rule|a-rule)\.md")


def files() -> list[Path]:
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    return [path for name in listed if (path := ROOT / name).is_file()]


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Lines outside of code blocks."""
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


@cache
def anchors(path: Path) -> set[str]:
    """As GitHub derives them: a repeated heading gets a number."""
    found: set[str] = set()
    for _, line in prose(path):
        found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
        if heading := re.match(r"#+ +(.*?) *#*$", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            count = sum(
                re.fullmatch(rf"{re.escape(anchor)}(-\d+)?", one) is not None for one in found
            )
            found.add(f"{anchor}-{count}" if anchor in found else anchor)
    return found


def broken_links(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in prose(path):
        for target in LINK.findall(CODE.sub("", line)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            there = (path.parent / name).resolve() if name else path
            if not there.exists():
                yield number, f"the link {target} leads to nothing"
            elif anchor and there.suffix == ".md" and anchor not in anchors(there):
                yield number, f"the link {target}: {there.name} has no such heading"


def broken_mentions(path: Path) -> Iterator[tuple[int, str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return
    for number, line in enumerate(lines, 1):
        for name in MENTION.findall(ELSEWHERE.sub("", line)):
            if not (ROOT / name).exists():
                yield number, f"{name} does not exist"


def broken_sources(path: Path) -> Iterator[tuple[int, str]]:
    """Source files that a document, or the description of the service, names and that are gone."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for name in SOURCE.findall(line):
            if not PLACEHOLDER.search(name) and not (ROOT / name).exists():
                yield number, f"{name} does not exist"


def not_in_index() -> Iterator[tuple[int, str]]:
    linked = {(INDEX.parent / target).resolve() for target in LINK.findall(INDEX.read_text())}
    for shelf in SHELVES:
        for page in sorted((INDEX.parent / shelf).glob("*.md")):
            if page not in linked:
                yield 1, f"the index lacks {shelf}/{page.name}"


def main() -> int:
    found = [(INDEX, *one) for one in not_in_index()]
    links = sources = 0
    for path in files():
        if path == Path(__file__).resolve():
            continue
        if path.suffix == ".md":
            links += sum(len(LINK.findall(CODE.sub("", line))) for _, line in prose(path))
            found += [(path, *one) for one in broken_links(path)]
        if path.suffix == ".md" or path.name == "openapi.json":
            found += [(path, *one) for one in broken_sources(path)]
        found += [(path, *one) for one in broken_mentions(path)]
        sources += 1
    for path, number, what in found:
        print(f"{path.relative_to(ROOT)}:{number}: {what}")
    print(f"{links} links, {sources} files; {len(found)} lead to nothing", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

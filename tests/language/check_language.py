#!/usr/bin/env python3
"""Sentences of comments, messages and documents that a reader has to read twice.

    tests/language/check_language.py [--count] [PATH ...]
    tests/language/check_language.py --sample 30    # so many sentences at random, to be read

A sentence begins with its subject, and no relative clause is one ("What waits is …"). Some words
have a plainer one. Prints "file:line: what: the sentence", and ends with 1 where it printed any.
Without paths: all files that git knows, but those of EXEMPT.
"""

import argparse
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMENT = {".cpp": "//", ".h": "//", ".td": "//", ".js": "//", ".inc": "//", ".py": "#",
           ".sh": "#", ".cmake": "#", ".toml": "#", ".txt": "#"}  # fmt: skip
# Its patterns would find themselves.
EXEMPT = ("tests/language/",)

PATTERNS = {
    "a relative clause as subject": re.compile(r"^(What|Who|Whoever|Whatever)\b[^?]*$"),
    "'thus'": re.compile(r"\bthus\b", re.IGNORECASE),
    "'of which'": re.compile(r"\bof which\b", re.IGNORECASE),
    "'told'": re.compile(r"\btold\b", re.IGNORECASE),
    "'the one of'": re.compile(r"\bthe ones? of\b", re.IGNORECASE),
    "'learnt'": re.compile(r"\blearnt\b", re.IGNORECASE),
    "'1' before a plural": re.compile(r"(?<![\d.,-])\b1 (days|artifacts|pairs|builds|files)\b"),
}
PLAIN_WORD = re.compile(r"[(\"'*]*(\{\}|\d+|[A-Za-z][a-z]*(['’/-][a-z]+)*)[)\"'*]*[.,:;!?]*[)\"']?")
SHOUTED = re.compile(r"\b(SELECT|FROM|WHERE)\b")
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z\"'`(])")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)


def paragraphs_of_comments(lines: list[str], mark: str) -> Iterator[tuple[int, str]]:
    """Neighbouring lines of comment as one text each, with the number of the first."""
    start = 0
    text: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        at = line.find(mark)
        is_comment = at >= 0 and (not line[:at].strip() or line[:at].endswith("  "))
        alone = is_comment and not line[:at].strip()
        if is_comment and (alone or not text):
            if not alone and text:
                yield start, " ".join(text)
                text = []
            if not text:
                start = number
            text.append(line[at + len(mark) :].strip(" /#"))
            if alone:
                continue
        if text:
            yield start, " ".join(text)
            text = []


def paragraphs_of_markdown(lines: list[str]) -> Iterator[tuple[int, str]]:
    start, fenced = 0, False
    text: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
        ends = not stripped or stripped[0] in "#|<`" or stripped.startswith(("- ", "* ")) or fenced
        if ends and text:
            yield start, " ".join(text)
            text = []
        if fenced or not stripped or stripped[0] in "#<`":
            continue
        if stripped[0] == "|":
            for cell in stripped.strip("|").split("|"):
                yield number, cell.strip()
            continue
        if not text:
            start = number
        text.append(stripped.removeprefix("- ").removeprefix("* "))


def texts(path: Path) -> Iterator[tuple[int, str]]:
    content = path.read_text(encoding="utf-8", errors="replace")
    lines = content.splitlines()
    if path.suffix == ".md":
        yield from paragraphs_of_markdown(lines)
        return
    if mark := COMMENT.get(path.suffix):
        yield from paragraphs_of_comments(lines, mark)
    if path.suffix == ".py":
        for found in DOCSTRING.finditer(content):
            for paragraph in re.split(r"\n\s*\n", found[1]):
                yield content.count("\n", 0, found.start()) + 1, " ".join(paragraph.split())
    if path.suffix in (".cpp", ".h") and ROOT / "tests" not in path.parents:
        for number, line in enumerate(lines, 1):
            for found in STRING.finditer(line):
                if " " in found[1]:
                    yield number, found[1]


def is_prose(sentence: str) -> bool:
    """Whether it has at least five words, most of them of letters: no table, code or SQL."""
    words = sentence.split()
    plain = [word for word in words if PLAIN_WORD.fullmatch(word)]
    return len(words) >= 5 and len(plain) >= 0.8 * len(words) and not SHOUTED.search(sentence)


def sample(paths: list[str], number: int) -> None:
    """Prints sentences, each as likely as any other."""
    sentences = [
        f"{name}:{line}: {sentence}"
        for name in paths
        if not name.startswith("docs/measured/")  # Written by programs, and mostly tables.
        for line, text in texts(ROOT / name)
        for sentence in SENTENCE_END.split(text)
        if is_prose(sentence)
    ]
    print("\n".join(random.sample(sentences, min(number, len(sentences)))))


def findings(path: Path) -> Iterator[tuple[int, str, str]]:
    for line, text in texts(path):
        for sentence in SENTENCE_END.split(text):
            for what, pattern in PATTERNS.items():
                if pattern.search(sentence):
                    yield line, what, sentence


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--count", action="store_true", help="only how many of each")
    parser.add_argument("--sample", type=int, metavar="N", help="print N sentences at random")
    arguments = parser.parse_args()
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", *map(str, arguments.paths)],
        capture_output=True, text=True, check=True,
    ).stdout.split("\n")  # fmt: skip
    listed = [
        name
        for name in listed
        if name and not name.startswith(EXEMPT) and Path(name).suffix in {*COMMENT, ".md"}
    ]
    if arguments.sample:
        sample(listed, arguments.sample)
        return 0
    counts: Counter[str] = Counter()
    for name in listed:
        path = ROOT / name
        for line, what, sentence in findings(path):
            counts[what] += 1
            if not arguments.count:
                print(f"{name}:{line}: {what}: {sentence[:160]}")
    for what, count in counts.items():
        print(f"{count} of {what}", file=sys.stderr)
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())

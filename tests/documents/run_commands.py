#!/usr/bin/env python3
"""Runs the command blocks of the documents.

    tests/documents/run_commands.py --check                   # every block is marked; nothing runs
    tests/documents/run_commands.py PROGRAMS [PAGE ...]       # PROGRAMS: the folder of vintage

The blocks are fenced as `sh`, or as `console`, where the lines behind "$ " are commands.
Those of a page run in order, in one new folder with docs/ in it. A block that cannot run says why
behind its language ("sh not-run: needs a GPU"); one that ends with another status than 0 says it
("console exits: 1"). Commands that make what a page starts from are in a comment that begins with
"before the commands". A block without a language must hold no commands. Ends with 1 where a block
is not marked or its commands fail.
"""

import argparse
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "README.md",
    "docs/tutorial/*.md",
    "docs/howto/*.md",
    "docs/reference/*.md",
    "docs/gate/*.md",
)
FENCE = re.compile(
    r"^```(\S*) *(.*)\n((?:(?!^```$).*\n)*)^```$|<!-- before the commands\n((?:(?!-->).*\n)*)-->",
    re.MULTILINE,
)
MARK = re.compile(r"not-run: (?P<reason>\S.*)|exits: (?P<status>\d+)|")
COMMAND = re.compile(r"^(\$ |(vintage|pip|python3?|make|apt-get|cmake|pytest|aws) )", re.MULTILINE)
ADDRESS = "127.0.0.1:8700"
SECONDS = 600  # For one block.
STILL_RUNNING = -1000


@dataclass
class Block:
    page: Path
    line: int
    commands: str
    status: int = 0
    reason: str = ""  # Why it does not run.

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path, wrong: list[str]) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        language, info, content, before = match.groups()
        block = Block(page, text.count("\n", 0, match.start()) + 1, before or content)
        if before is None and language not in ("sh", "console"):
            if not language and COMMAND.search(content):
                wrong.append(f"{block}: the block holds commands, and is not marked sh or console")
            continue
        mark = MARK.fullmatch(info or "")
        if mark is None:
            wrong.append(f"{block}: '{info}' is neither 'not-run: REASON' nor 'exits: STATUS'")
            continue
        block.reason, block.status = mark["reason"] or "", int(mark["status"] or 0)
        if language == "console":
            lines = re.findall(r"^\$ (.*(?:\\\n.*)*)$", content, re.MULTILINE)
            block.commands = "\n".join(lines)
        yield block


def free_address() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{one.getsockname()[1]}"


def run(block: Block, folder: Path, environment: dict[str, str], address: str) -> str | None:
    """The failure; None where the commands ended as they should."""
    output = folder / ".output"
    script = block.commands.replace(ADDRESS, address)
    with output.open("w") as out:
        process = subprocess.Popen(["bash", "-euc", script], cwd=folder, env=environment, stdout=out,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True)  # fmt: skip
        try:
            status = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            status = STILL_RUNNING
    # A service that the page ends in a later block goes on.
    if status != 0:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if status == STILL_RUNNING:
        return f"{block}: the commands run for more than {SECONDS} s"
    if status == block.status:
        return None
    said = output.read_text(errors="replace")[-2000:]
    return f"{block}: exit status {status}, and {block.status} was expected\n{script}\n{said}"


def run_page(page: list[Block], programs: Path) -> str | None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "docs").symlink_to(ROOT / "docs")
        environment = {
            **os.environ,
            "HOME": name,
            "XDG_STATE_HOME": f"{name}/.state",
            "PATH": f"{programs.resolve()}:{os.environ['PATH']}",
        }
        address = free_address()
        return next(
            (why for block in page if (why := run(block, folder, environment, address))), None
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="run nothing")
    parser.add_argument("programs", nargs="?", type=Path, help="the folder of vintage")
    parser.add_argument("pages", nargs="*", type=Path)
    options = parser.parse_args()
    if not options.check and not options.programs:
        parser.error("the folder of vintage is needed, as build/release/bin; or --check")
    pages = [page.resolve() for page in options.pages] or [
        page for pattern in PAGES for page in sorted(ROOT.glob(pattern))
    ]
    wrong: list[str] = []
    ran = marked = 0
    for path in pages:
        found = list(blocks(path, wrong))
        page = [block for block in found if not block.reason]
        marked += len(found) - len(page)
        if options.check or not page:
            continue
        began = time.monotonic()
        if why := run_page(page, options.programs):
            wrong.append(why)
        ran += len(page)
        print(f"{path.relative_to(ROOT)}: {len(page)} blocks, {time.monotonic() - began:.1f} s")
    print(f"{ran} blocks ran, {marked} say why they do not")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

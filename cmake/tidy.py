#!/usr/bin/env python3
"""clang-tidy over the files that are named, with the checks of .clang-tidy.

    cmake/tidy.py [--build build/release] FILE.cpp ...

It needs the build's generated headers. compile_commands.json gives folders and definitions, and not
one file's flags: the build joins sources and precompiles headers.
"""

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path


def shared_flags(commands: Path) -> list[str]:
    flags: dict[str, None] = {}
    for entry in json.loads(commands.read_text()):
        words = shlex.split(entry["command"])
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if word == "-isystem":
                flags["-isystem" + following] = None
            elif word.startswith(("-I", "-D")):
                flags[word] = None
    return list(flags)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    commands = options.build / "compile_commands.json"
    if not commands.is_file():
        print(f"{commands}: there is no such file; 'make check' builds first", file=sys.stderr)
        return 3
    call = ["clang-tidy", "--quiet", *options.files, "--", "-std=c++20", *shared_flags(commands)]
    return subprocess.run(call, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

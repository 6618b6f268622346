"""Text that libraries write to standard error, beside an exception or before a crash."""

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[4] / "harness/runtimes/python"


def run(body):
    program = (
        "import os, sys\n"
        f"sys.path.insert(0, {str(PACKAGE)!r})\n"
        "from vintage_python.standard_streams import StandardErrorKept\n"
        "os.write(2, b'before\\n')\n"
        "kept = StandardErrorKept()\n" + body
    )
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )


def test_it_is_kept_and_passed_on_in_order():
    done = run(
        "os.write(2, b'one\\n'); print('two', file=sys.stderr)\n"
        "first = kept.take()\n"
        "os.system('echo three >&2')\n"
        "print(repr(first), repr(kept.take()), repr(kept.take()))\n"
        "os.write(2, b'four\\n')\n"
    )
    assert done.stdout == r"'one\ntwo\n' 'three\n' ''" + "\n"
    assert done.stderr == "before\none\ntwo\nthree\nfour\n"


@pytest.mark.parametrize("end", ["os.abort()", "os.kill(os.getpid(), 9)", "os._exit(3)"])
def test_the_last_words_of_a_crash_are_not_lost(end):
    """The process emptied a pipe of its own, and a crash lost what was still in it."""
    done = run(f"os.write(2, b'taken\\n'); kept.take()\nos.write(2, b'last words\\n')\n{end}\n")
    assert done.returncode != 0
    assert done.stderr == "before\ntaken\nlast words\n"

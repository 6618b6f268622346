"""A worker that computed when its parent was killed went on for ever, and so did the compilers and
producers that Python programs start."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[4] / "harness/runtimes/python"
SECONDS = 20


def program(body):
    return [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(PACKAGE)!r})\n" + body]


def ended(process):
    limit = time.monotonic() + SECONDS
    while time.monotonic() < limit:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        if state == "Z":  # Nobody here takes the status of another's child.
            return True
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    return False


def test_a_child_ends_with_its_killed_parent():
    parent = subprocess.Popen(
        program(
            "import subprocess\n"
            "from vintage_python.lifetime import ends_with_this\n"
            "child = subprocess.Popen([sys.executable, '-c', 'while True: pass'],\n"
            "                         preexec_fn=ends_with_this())\n"
            "print(child.pid, flush=True)\n"
            "child.wait()\n"
        ),
        stdout=subprocess.PIPE,
        text=True,
    )
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    assert ended(child)


def test_a_worker_ends_when_nobody_reads_it():
    """Its shell is killed, and the worker gets no signal."""
    worker = subprocess.Popen(
        program(
            "import os\n"
            "from vintage_python.lifetime import end_when_nobody_reads\n"
            "end_when_nobody_reads(1)\n"
            "os.write(1, b'begins\\n')\n"
            "while True: pass\n"
        ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert worker.stdout.readline() == b"begins\n"
    worker.stdin.close()  # Requests may come from a file: their end says nothing.
    time.sleep(0.3)
    assert worker.poll() is None
    worker.stdout.close()
    assert worker.wait(SECONDS) == 3

"""Processes that end with the one that started them, whatever they execute then."""

import ctypes
import os
import select
import signal
import threading
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)  # Loaded here: a forked child may load nothing.
_NOBODY_READS = 3


def ends_with_this() -> Callable[[], None]:
    """For `preexec_fn` of a child: the kernel ends it with this process, or with the thread that
    starts it."""
    parent = os.getpid()

    def prepare() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(_NOBODY_READS)

    return prepare


def end_when_nobody_reads(descriptor: int) -> None:
    """Ends this process once the pipe's reader is gone: the parent's end closes it, also where a
    shell stands between the two."""
    reader = select.poll()
    reader.register(descriptor, 0)

    def watch() -> None:
        reader.poll()
        os._exit(_NOBODY_READS)

    threading.Thread(target=watch, daemon=True).start()

"""A pytest plugin, loaded by run_tests.py: a line of JSON when a test begins and when it ends.

VINTAGE_TESTS_TO is the file, which may hold lines of an earlier process: what began there is not
run again.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

_TO = Path(os.environ["VINTAGE_TESTS_TO"])
_WORST = ("passed", "skipped", "failed")
_running: dict[str, Any] = {}


def _write(line: dict[str, Any]) -> None:
    with _TO.open("a", encoding="utf-8") as to:
        to.write(json.dumps(line) + "\n")


def _name(item_name: str) -> str:
    return item_name.split("::", 1)[-1]


def pytest_collection_modifyitems(items: list[Any]) -> None:
    began = set()
    if _TO.exists():
        began = {json.loads(line)["test"] for line in _TO.read_text("utf-8").splitlines()}
    items[:] = [item for item in items if _name(item.nodeid) not in began]


def pytest_runtest_logstart(nodeid: str) -> None:
    _running.update(test=_name(nodeid), outcome="passed", detail="", began=time.monotonic())
    _write({"test": _name(nodeid)})


def _reason(report: Any) -> str:
    """The line of a failure that names it, or the reason of a skip."""
    if report.outcome == "skipped":
        return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    return " ".join(text.split())[:400]


def pytest_runtest_logreport(report: Any) -> None:
    if _WORST.index(report.outcome) > _WORST.index(_running["outcome"]):
        _running.update(outcome=report.outcome, detail=_reason(report))


def pytest_runtest_logfinish(nodeid: str) -> None:
    seconds = round(time.monotonic() - _running["began"], 3)
    _write({"test": _name(nodeid), "outcome": _running["outcome"],
            "detail": _running["detail"], "seconds": seconds})  # fmt: skip

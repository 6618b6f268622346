"""Measurements of an execution by a worker in Python."""

import time

from vintage_python.worker.meter import Meter
from vintage_python.worker.outcome import Progress


def test_nothing_is_measured_unasked() -> None:
    calls = []
    progress = Progress()
    assert progress.executed(lambda: calls.append(1) or 7) == 7
    assert calls == [1]


def test_a_short_run_is_repeated_as_often_as_asked() -> None:
    calls: list[int] = []
    meter = Meter(repetitions=5, seconds=10)
    result = Progress(meter=meter).executed(lambda: calls.append(1) or len(calls))
    assert result == 1  # The result of the first run.
    assert len(calls) == 6
    measured = meter.measured()
    assert measured is not None
    assert len(measured["runs"]) == 5
    assert measured["process_growth"] >= 0


# A first run of more than `seconds` was the only one and counted: what a release sets up in its
# first run of 40 ms made a program of 0.4 ms "97 times slower".
def test_a_long_first_run_is_no_run() -> None:
    calls: list[int] = []

    def run() -> None:
        calls.append(1)
        time.sleep(0.02 if len(calls) == 1 else 0)

    meter = Meter(repetitions=5, seconds=0.001)
    Progress(meter=meter).executed(run)
    measured = meter.measured()
    assert measured is not None
    assert len(calls) == 1 + len(measured["runs"]) >= 2
    assert measured["first_run"]["wall"] >= 0.02
    assert measured["first_run"] not in measured["runs"]


def test_no_run_begins_after_the_time_is_up() -> None:
    meter = Meter(repetitions=1000, seconds=0.03)
    Progress(meter=meter).executed(lambda: time.sleep(0.01))
    measured = meter.measured()
    assert measured is not None
    assert 1 <= len(measured["runs"]) <= 4
    assert all(run["wall"] >= 0.01 for run in measured["runs"])
    assert all(run["processor"] < run["wall"] for run in measured["runs"])


def test_two_programs_of_a_request_add_up() -> None:
    meter = Meter(repetitions=3, seconds=10)
    progress = Progress(meter=meter)
    for _ in range(2):
        with progress.timed("compile", "compile"):
            time.sleep(0.005)
        progress.executed(lambda: time.sleep(0.005))
    meter.report_memory(temporaries=1, code=9, arguments=1, outputs=1)
    meter.report_memory(temporaries=5, code=1, arguments=1, outputs=1)
    measured = meter.measured()
    assert measured is not None
    assert measured["compile"]["wall"] >= 0.01
    assert len(measured["runs"]) == 3
    assert all(run["wall"] >= 0.01 for run in measured["runs"])
    assert measured["compiler"]["temporaries"] == 5


def test_what_did_not_run_was_not_measured() -> None:
    assert Meter(repetitions=1, seconds=1).measured() is None

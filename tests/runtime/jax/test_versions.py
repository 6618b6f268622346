from datetime import date

import pytest

from vintage_python.environment.releases import parse_version
from vintage_python.environment.selection import Window, in_range, neighbours
from vintage_python.failure import UsageFailure

KNOWN = ["0.4.29", "0.4.30", "0.4.31", "0.9.0", "0.9.0.1", "0.12.0", "0.12.0.1"]


def test_an_end_of_a_range_stands_for_all_that_begins_with_it():
    assert in_range("0.4.30..0.12", KNOWN) == KNOWN[1:]
    assert in_range("0.4.30..0.9.0", KNOWN) == ["0.4.30", "0.4.31", "0.9.0", "0.9.0.1"]
    assert in_range("0.9..0.9", KNOWN) == ["0.9.0", "0.9.0.1"]
    assert in_range("0.12..", KNOWN) == ["0.12.0", "0.12.0.1"]
    assert in_range("..0.4.30", KNOWN) == ["0.4.29", "0.4.30"]


@pytest.mark.parametrize("text", ["0.8..0.4", "0.5..0.6", "0.13..", "..0.3", "0.x..0.5"])
def test_a_range_that_means_nothing_is_refused(text):
    with pytest.raises(UsageFailure):
        in_range(text, KNOWN)


@pytest.mark.parametrize("text", ["", "newest", "0.4.34.dev", "v0.8", "0..4"])
def test_what_is_no_release_is_refused(text):
    with pytest.raises(UsageFailure, match="is no release"):
        parse_version(text)


def test_neighbours_name_what_exists():
    assert neighbours("0.5.2", KNOWN) == "0.4.31 and 0.9.0"
    assert neighbours("0.13", KNOWN) == "0.12.0.1"


@pytest.mark.parametrize(
    ("released", "covered"),
    [("2026-11-22", True), ("2026-05-26", True), ("2026-05-25", False), ("2026-11-23", False)],
)
def test_the_window_covers_180_days(released, covered):
    window = Window(date(2026, 11, 22), backward_days=180, forward_days=21)
    assert window.covers(date.fromisoformat(released)) is covered


def test_the_longer_promise_decides():
    window = Window(date(2026, 11, 22), backward_days=0, forward_days=21)
    assert window.covers(date(2026, 11, 1))
    assert not window.covers(date(2026, 10, 31))

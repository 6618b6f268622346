"""Each view, used with a mouse: from the service and from files alike."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from conftest import NEWEST, Page, cell
from selenium.webdriver.support.ui import Select


def test_the_first_page_answers(page: Page) -> None:
    # The first page was the grid; the verdict stood on the sixth, in a list of runs.
    page.open()
    page.wait_text("h1", "Summary")
    assert "broken" in page.text(".view-head .badge")
    # The run's label was in the data, and not on the page.
    page.wait_text(".lead", "nightly ‘new-pin’ of 2026-10-22 01:00 UTC, 2,400 outcomes.")
    lines = page.texts("table.list tbody tr")
    cholesky = next(line for line in lines if line.startswith("cholesky"))
    assert NEWEST in cholesky
    assert "target not registered" in cholesky
    page.wait_text("main", "Against the run of ")
    page.click("table.list tbody a")
    page.wait_text(".panel h2", f"on {NEWEST}")
    page.driver.back()
    page.wait_text("h1", "Summary")
    page.click("table.list tbody td:nth-child(5) a")
    page.wait_text("h1", "_")
    page.wait_for(".message-block")


def test_grid_tells_the_story(page: Page) -> None:
    page.open("#/grid")
    # Cells that fail as declared, pass against a limitation, fail in part, and the rest.
    assert page.attribute(cell(f"schur on {NEWEST}"), "data-state") == "declared"
    assert page.attribute(cell(f"igamma on {NEWEST}"), "data-state") == "unexpected"
    assert page.attribute(cell(f"cholesky on {NEWEST}"), "data-state") == "part"
    assert page.attribute(cell(f"abs on {NEWEST}"), "data-state") == "pass"
    assert page.attribute(cell("fft on jax 0.4.35"), "data-state") == "broken"
    # Colour alone never shows a state.
    assert page.text(cell(f"schur on {NEWEST}")) == "•"
    assert page.text(cell(f"igamma on {NEWEST}")) == "!"
    assert page.attribute(cell(f"cholesky on {NEWEST}"), "aria-label") == (
        f"cholesky on {NEWEST}: 7 failed, 13 passed of 20"
    )
    page.wait_text(".summary", f"{NEWEST} of 2026-10-22")


def test_cell_leads_to_pairs_and_a_pair(page: Page) -> None:
    page.open("#/grid")
    page.click(cell(f"cholesky on {NEWEST}"))
    page.wait_text(".panel h2", f"cholesky on {NEWEST}")
    page.wait(lambda: page.count(".pairs li") == 20)
    page.wait_text(".panel p", "20 pairs")
    first = page.text(".pairs li")
    assert "error" in first
    assert "target not registered" in first
    # Those that failed come first.
    states = page.attributes(".pairs .badge", "data-state")
    assert states == ["fail"] * 7 + ["pass"] * 13
    page.click(".pairs li a")
    page.wait_text("h1", "cholesky_f32[21,8]/cpu")
    page.wait_text(".message-block", "No registered implementation")
    page.wait_text(".module-block", "stablehlo.custom_call @lapack_scholesky")
    commands = page.texts(".command code")
    assert "vintage replay --archive " in commands[0]
    assert f"--build '{NEWEST}'" in commands[0]
    assert "--platform cpu --mode graph" in commands[0]
    assert page.count("table.list tbody tr") == 19
    page.click(".back a")
    page.wait_text(".panel h2", f"cholesky on {NEWEST}")


def test_messages_of_consumers_stay_text(page: Page) -> None:
    page.open("#/grid")
    page.click(cell(f"cholesky on {NEWEST}"))
    page.wait_text(".pairs .message", "<img src=x onerror=alert(1)>")
    page.click(".pairs a")
    page.wait_text(".message-block", "</pre><script>alert(2)</script>")
    assert page.script("return document.querySelectorAll('main img, main script').length") == 0


def test_filters(page: Page) -> None:
    page.open("#/grid")
    page.wait_for(cell(f"abs on {NEWEST}"))
    rows = page.count(".cells tbody tr")
    assert rows > 100
    page.type("input.filter", "chol")
    page.wait(lambda: page.texts(".cells tbody th") == ["cholesky"])
    page.act("input.filter", lambda field: field.clear())
    page.type("input.filter", "no such primitive")
    page.wait(lambda: page.count(".cells tbody tr") == 0)
    page.type("input.filter", "\b" * 20)
    page.wait(lambda: page.count(".cells tbody tr") == rows)
    page.click(".toggle input")
    page.wait(lambda: 0 < page.count(".cells tbody tr") < rows)
    shown = page.texts(".cells tbody th")
    assert "cholesky" in shown
    assert "schur" not in shown  # It fails as declared.
    # The address holds the choice: a link shows the same.
    assert "failures=1" in page.driver.current_url
    page.driver.refresh()
    page.wait(lambda: page.texts(".cells tbody th") == shown)


def test_mode_changes_what_is_counted(page: Page) -> None:
    page.open("#/grid")
    before = page.text(".summary")
    page.wait_for(cell(f"abs on {NEWEST}"))
    page.wait(lambda: "2400" in page.text(".summary"))
    page.act('select:has(option[value="compiled"])',
             lambda one: Select(one).select_by_value("compiled"))  # fmt: skip
    page.wait(lambda: page.text(".summary") != before and "480" in page.text(".summary"))
    assert page.attribute(cell(f"abs on {NEWEST}: not tried"), "data-state") == "untried"


def test_windows_show_what_is_covered(page: Page) -> None:
    page.open("#/windows")
    page.wait(lambda: page.count(".timeline .row") == 20)
    row = 'g.row[aria-label^="jax 0.5.4:"]'
    # Five builds lie in its window; one of them was never run.
    page.wait(lambda: "4 of 5 builds" in (page.attribute(row, "aria-label") or ""))
    assert page.count(f"{row} .mark.untried") == 1
    assert page.count(f"{row} .span.window") == 1
    page.read(row, "one.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    page.wait_text(".timeline-detail h2", "jax 0.5.4")
    # The view was redrawn between two reads of one row, so the test reads it at one moment.
    lines = page.texts(".timeline-detail tbody tr")
    assert any("jax 0.5.8" in line and "+164 d" in line and "not tried" in line for line in lines)
    assert any("jax 0.5.5" in line and "+41 d" in line and "backward" in line for line in lines)


def test_matrix_marks_the_promise(page: Page) -> None:
    page.open("#/matrix")
    covered = cell("jax 0.5.2 on jax 0.5.5 (+123 d)")
    assert page.attribute(covered, "data-mark") == "backward"
    old = cell("jax 0.5.2 on jax 0.4.30")
    assert page.attribute(old, "data-state") == "fail"
    assert page.text(old) == "×"
    assert page.attribute(old, "data-mark") is None
    page.click(old)
    page.wait_text(".panel h2", "jax 0.5.2 on jax 0.4.30")
    page.wait_text(".panel p", "of 120 pairs")
    page.wait_text(".pairs li", "version not readable")


def test_targets_over_dates(page: Page) -> None:
    page.open("#/targets")
    page.wait_text(".summary", "20 targets of 20 releases, jax 0.4.30 to jax 0.5.9")
    label = page.attribute('g.row[aria-label^="lapack_scholesky · cpu"]', "aria-label")
    assert label is not None
    assert "registered before jax 0.4.30 until jax 0.5.3" in label
    page.type("input.filter", "svd")
    page.wait(lambda: page.count(".timeline .row") == 2)
    page.click(".toggle input")
    page.wait(lambda: page.count(".timeline .row") == 1)


def test_accuracy_is_drawn(page: Page) -> None:
    page.open("#/accuracy")
    page.wait_for(".plot canvas")
    assert page.read(".plot canvas", "one.width > 400 && one.height > 100")[0]
    page.type("input.filter", "erf_inv")
    page.wait(lambda: 0 < page.count("table.list tbody tr") < 5)
    page.click("table.list button")
    page.wait(lambda: page.count(".plot canvas") == 2)
    words = [one or "" for one in page.attributes(".plot", "aria-label")]
    assert any("4,194,304 ulps" in one for one in words)


def test_speed_ranks_changes_and_draws_courses(page: Page) -> None:
    page.open("#/speed")
    # Nothing changed between the newest two releases.
    page.wait_text(".summary", "5 artifacts on jax 0.5.9 of 2026-10-22 beside jax 0.5.7")
    page.wait_text("main", "Nothing of that kind")
    page.act("select", lambda one: Select(one).select_by_value("jax 0.5.5 beside jax 0.5.4"))
    page.wait_text(".summary", "1 slower or larger, 0 faster or smaller")
    (row,) = page.texts("table.list tbody tr")
    for words in ("slower", "loop_f32_n*/cpu", "run", "132", "1.0 → 2.0", "6.55 ms"):
        assert words in row
    assert "vintage run" in row
    page.click("table.list button")
    # The smallest that shows it; the others of the function can be chosen.
    page.wait_text("h2", "loop_f32_n4095/cpu")
    page.act("h2 + label select", lambda one: Select(one).select_by_value("loop_f32_n65537/cpu"))
    page.wait_text("h2", "loop_f32_n65537/cpu")
    page.wait(lambda: page.count(".plot canvas") == 3)
    run, compiling, memory = (one or "" for one in page.attributes(".plot", "aria-label"))
    assert "jax 0.5.4 → jax 0.5.5: 6.55 ms → 866 ms, 132 times (127 to 137, 12 rounds)" in run
    assert "jax 0.5.5 → jax 0.5.6: 866 ms → 6.55 ms, 0.00757 times" in run
    assert "50 ms → 50 ms" in compiling
    assert "512 KiB → 512 KiB, 1 times (exactly)" in memory
    assert page.read(".plot canvas", "one.width > 400 && one.height > 100") == [True] * 3


def test_speed_lists_all_that_was_measured(page: Page) -> None:
    page.open("#/speed?list=all&quantity=compile&pair=jax%200.5.4%20beside%20jax%200.5.3")
    page.wait(lambda: page.count("table.list") == 2)
    # The largest difference first.
    assert "product_f32" in page.texts("table.list tbody tr")[0]
    assert page.count("table.list:first-child tbody tr") == 4
    page.wait_text("table.list", "<b>error</b> in compile")
    page.type("input.filter", "loop")
    page.wait(lambda: page.count("table.list tbody tr") == 3)


def test_health_lists_findings(page: Page) -> None:
    page.open("#/health")
    page.wait_text(".card", "45,600")
    page.wait_text(".findings", "1 run has no end")
    page.wait_text(".findings", "20 outcomes say that the consumer broke")
    page.wait_text(".command code", "vintage fsck --archive")
    # The page did not name the time zone, and readers took the times for local ones.
    assert "Started (UTC)" in page.texts("table.list th")
    badges = [one.split()[-1] for one in page.texts("table.list .badge")]
    assert "broken" in badges
    assert "end" in badges


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (f"#/grid?build={quote(NEWEST)}&primitive=qr", f"qr on {NEWEST}"),
        (f"#/matrix?build={quote(NEWEST)}&producer={quote('jax 0.4.30')}", f"on {NEWEST}"),
        ("#/windows?producer=jax%200.4.31", "jax 0.4.31"),
        ("#/speed?name=product_f32%2Fcpu", "product_f32/cpu"),
    ],
)
def test_links_open_what_they_name(page: Page, view: str, words: str) -> None:
    page.open(view)
    page.wait_text("h2", words)


def test_an_unknown_view_leads_back(page: Page) -> None:
    page.open("#/nothing")
    page.wait_text("h1", "There is no such view")
    page.click("main a")
    page.wait_text("h1", "Primitives × builds")


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ("summary", "No run has answered yet"),
        ("grid", "Nothing was run yet"),
        ("windows", "No producer is archived yet"),
        ("matrix", "Producers × consumers"),
        ("targets", "The facts of no build are known"),
        ("accuracy", "No run of this archive measured it"),
        ("speed", "No two builds of this archive were measured beside each other"),
        ("health", "Nothing is amiss in the index"),
    ],
)
def test_an_empty_archive_says_what_to_do(empty: Page, view: str, words: str) -> None:
    empty.open(f"#/{view}")
    empty.wait_text("main", words)


def test_files_link_only_what_they_hold(opened: Page) -> None:
    opened.open("#/grid")
    opened.click(cell(f"abs on {NEWEST}"))
    opened.wait(lambda: opened.count(".pairs .pair") == 20)
    assert 0 < opened.count(".pairs a") < 20
    opened.open("#/pair?artifact=" + "0" * 64 + "&build=jax%200.5.9&platform=cpu&mode=graph")
    opened.expected_complaints = ["ERR_FILE_NOT_FOUND"]
    opened.wait_text("[role=alert]", "this report does not hold it")

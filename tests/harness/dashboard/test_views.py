"""Each view, as somebody uses it with a mouse: from the service and from files alike."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from conftest import NEWEST, Page
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select


def test_grid_tells_the_story(page: Page) -> None:
    page.open()
    # What a limitation declares, what it wrongly declares, what broke in part, and the rest.
    assert page.cell(f"schur on {NEWEST}").get_attribute("data-state") == "declared"
    assert page.cell(f"igamma on {NEWEST}").get_attribute("data-state") == "unexpected"
    assert page.cell(f"cholesky on {NEWEST}").get_attribute("data-state") == "part"
    assert page.cell(f"abs on {NEWEST}").get_attribute("data-state") == "pass"
    assert page.cell("fft on jax 0.4.35").get_attribute("data-state") == "broken"
    # Colour alone never shows a state.
    assert page.cell(f"schur on {NEWEST}").text == "•"
    assert page.cell(f"igamma on {NEWEST}").text == "!"
    assert page.cell(f"cholesky on {NEWEST}").get_attribute("aria-label") == (
        f"cholesky on {NEWEST}: 7 failed, 13 passed of 20"
    )
    page.wait_text(".summary", f"{NEWEST} of 2026-10-22")


def test_cell_leads_to_pairs_and_a_pair(page: Page) -> None:
    page.open()
    page.cell(f"cholesky on {NEWEST}").click()
    page.wait_text(".panel h2", f"cholesky on {NEWEST}")
    page.wait(lambda: len(page.all(".pairs li")) == 20)
    page.wait_text(".panel p", "20 pairs")
    first = page.all(".pairs li")[0]
    assert "error" in first.text
    assert "target not registered" in first.text
    # Those that failed come first.
    states = [one.get_attribute("data-state") for one in page.all(".pairs .badge")]
    assert states == ["fail"] * 7 + ["pass"] * 13
    first.find_element(By.CSS_SELECTOR, "a").click()
    page.wait_text("h1", "cholesky_f32[21,8]/cpu")
    page.wait_text(".message-block", "No registered implementation")
    page.wait_text(".module-block", "stablehlo.custom_call @lapack_scholesky")
    commands = [one.text for one in page.all(".command code")]
    assert "vintage replay --archive " in commands[0]
    assert f"--build '{NEWEST}'" in commands[0]
    assert "--platform cpu --mode graph" in commands[0]
    assert len(page.all("table.list tbody tr")) == 19
    page.one(".back a").click()
    page.wait_text(".panel h2", f"cholesky on {NEWEST}")


def test_messages_of_consumers_stay_text(page: Page) -> None:
    page.open()
    page.cell(f"cholesky on {NEWEST}").click()
    page.wait_text(".pairs .message", "<img src=x onerror=alert(1)>")
    page.all(".pairs a")[0].click()
    page.wait_text(".message-block", "</pre><script>alert(2)</script>")
    assert page.script("return document.querySelectorAll('main img, main script').length") == 0


def test_filters(page: Page) -> None:
    page.open()
    page.cell(f"abs on {NEWEST}")
    rows = len(page.all(".cells tbody tr"))
    assert rows > 100
    field = page.one("input.filter")
    field.send_keys("chol")
    page.wait(lambda: [one.text for one in page.all(".cells tbody th")] == ["cholesky"])
    field.clear()
    field.send_keys("no such primitive")
    page.wait(lambda: not page.all(".cells tbody tr"))
    field.send_keys("\b" * 20)
    page.wait(lambda: len(page.all(".cells tbody tr")) == rows)
    page.one(".toggle input").click()
    page.wait(lambda: 0 < len(page.all(".cells tbody tr")) < rows)
    shown = [one.text for one in page.all(".cells tbody th")]
    assert "cholesky" in shown
    assert "schur" not in shown  # It fails as declared.
    # The address holds the choice: a link shows the same.
    assert "failures=1" in page.driver.current_url
    page.driver.refresh()
    page.wait(lambda: [one.text for one in page.all(".cells tbody th")] == shown)


def test_mode_changes_what_is_counted(page: Page) -> None:
    page.open()
    before = page.text(".summary")
    page.cell(f"abs on {NEWEST}")
    page.wait(lambda: "2400" in page.text(".summary"))
    selects = page.all("select")
    Select(selects[1]).select_by_value("compiled")
    page.wait(lambda: page.text(".summary") != before and "480" in page.text(".summary"))
    assert page.cell(f"abs on {NEWEST}: not tried").get_attribute("data-state") == "untried"


def test_windows_show_what_is_covered(page: Page) -> None:
    page.open("#/windows")
    page.wait(lambda: len(page.all(".timeline .row")) == 20)
    row = 'g.row[aria-label^="jax 0.5.4:"]'
    # Five builds lie in its window; one of them was never run.
    page.wait(lambda: "4 of 5 builds" in (page.one(row).get_attribute("aria-label") or ""))
    assert len(page.all(f"{row} .mark.untried")) == 1
    assert len(page.all(f"{row} .span.window")) == 1
    page.script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))",
                page.one(row))  # fmt: skip
    page.wait_text(".timeline-detail h2", "jax 0.5.4")
    lines = [one.text for one in page.all(".timeline-detail tbody tr")]
    assert any("jax 0.5.8" in line and "+164 d" in line and "not tried" in line for line in lines)
    assert any("jax 0.5.5" in line and "+41 d" in line and "backward" in line for line in lines)


def test_matrix_marks_the_promise(page: Page) -> None:
    page.open("#/matrix")
    cell = page.cell("jax 0.5.2 on jax 0.5.5 (+123 d)")
    assert cell.get_attribute("data-mark") == "backward"
    old = page.cell("jax 0.5.2 on jax 0.4.30")
    assert old.get_attribute("data-state") == "fail"
    assert old.text == "×"
    assert old.get_attribute("data-mark") is None
    old.click()
    page.wait_text(".panel h2", "jax 0.5.2 on jax 0.4.30")
    page.wait_text(".panel p", "of 120 pairs")
    page.wait_text(".pairs li", "version not readable")


def test_targets_over_dates(page: Page) -> None:
    page.open("#/targets")
    page.wait_text(".summary", "20 targets of 20 releases, jax 0.4.30 to jax 0.5.9")
    label = page.one('g.row[aria-label^="lapack_scholesky · cpu"]').get_attribute("aria-label")
    assert label is not None
    assert "registered before jax 0.4.30 until jax 0.5.3" in label
    page.one("input.filter").send_keys("svd")
    page.wait(lambda: len(page.all(".timeline .row")) == 2)
    page.one(".toggle input").click()
    page.wait(lambda: len(page.all(".timeline .row")) == 1)


def test_accuracy_is_drawn(page: Page) -> None:
    page.open("#/accuracy")
    page.wait(lambda: bool(page.all(".plot canvas")))
    assert page.script("const c = arguments[0]; return c.width > 400 && c.height > 100",
                       page.one(".plot canvas"))  # fmt: skip
    page.one("input.filter").send_keys("erf_inv")
    page.wait(lambda: 0 < len(page.all("table.list tbody tr")) < 5)
    page.one("table.list button").click()
    page.wait(lambda: len(page.all(".plot canvas")) == 2)
    words = [one.get_attribute("aria-label") or "" for one in page.all(".plot")]
    assert any("4,194,304 ulps" in one for one in words)


def test_health_lists_findings(page: Page) -> None:
    page.open("#/health")
    page.wait_text(".card", "45,600")
    page.wait_text(".findings", "1 run has no end")
    page.wait_text(".findings", "20 outcomes say that the consumer broke")
    page.wait_text(".command code", "vintage fsck --archive")
    badges = [one.text.split()[-1] for one in page.all("table.list .badge")]
    assert "broken" in badges
    assert "end" in badges


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (f"#/grid?build={quote(NEWEST)}&primitive=qr", f"qr on {NEWEST}"),
        (f"#/matrix?build={quote(NEWEST)}&producer={quote('jax 0.4.30')}", f"on {NEWEST}"),
        ("#/windows?producer=jax%200.4.31", "jax 0.4.31"),
    ],
)
def test_links_open_what_they_name(page: Page, view: str, words: str) -> None:
    page.open(view)
    page.wait_text("h2", words)


def test_an_unknown_view_leads_back(page: Page) -> None:
    page.open("#/nothing")
    page.wait_text("h1", "There is no such view")
    page.one("main a").click()
    page.wait_text("h1", "Primitives × builds")


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ("grid", "Nothing was run yet"),
        ("windows", "No producer is archived yet"),
        ("matrix", "Producers × consumers"),
        ("targets", "The facts of no build are known"),
        ("accuracy", "No run of this archive measured it"),
        ("health", "Nothing is amiss in the index"),
    ],
)
def test_an_empty_archive_says_what_to_do(empty: Page, view: str, words: str) -> None:
    empty.open(f"#/{view}")
    empty.wait_text("main", words)


def test_files_link_only_what_they_hold(opened: Page) -> None:
    opened.open()
    opened.cell(f"abs on {NEWEST}").click()
    opened.wait(lambda: len(opened.all(".pairs .pair")) == 20)
    links = opened.all(".pairs a")
    assert 0 < len(links) < 20
    opened.open("#/pair?artifact=" + "0" * 64 + "&build=jax%200.5.9&platform=cpu&mode=graph")
    opened.expected_complaints = ["ERR_FILE_NOT_FOUND"]
    opened.wait_text("[role=alert]", "this report does not hold it")

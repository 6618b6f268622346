"""Hundreds of builds: neighbours of a product that look the same are one column."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import quote

import pytest
from conftest import Page, cell, pause_for_picture, run, serve, watched
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

NIGHT = "tf-nightly-2.22.0.dev"
NEWEST = f"{NIGHT}20260829"
HEADS = ".cells thead th[title]"
NIGHTS = [
    f"120 builds look the same, from {NIGHT}20251103 of 2025-11-03 to "
    f"{NIGHT}20260302 of 2026-03-02",
    f"{NIGHT}20260303, built 2026-03-03",
    f"79 builds look the same, from {NIGHT}20260304 of 2026-03-04 to {NIGHT}20260521 of 2026-05-21",
    f"100 builds look the same, from {NIGHT}20260522 of 2026-05-22 to {NEWEST} of 2026-08-29",
]
RELEASES = "30 builds look the same, from jax-0.6.0 of 2025-11-08 to jax-0.6.29 of 2026-08-25"


@pytest.fixture(scope="session")
def nights_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    archive = tmp_path_factory.mktemp("nights") / "archive"
    run("vintage_nights_archive", str(archive), "300")
    yield from serve(archive, "--anonymous", "read")


@pytest.fixture
def nights(driver: webdriver.Chrome, nights_service: str) -> Iterator[Page]:
    yield from watched(driver, nights_service)


def open_whole(page: Page, address: str) -> None:
    page.open(address)
    page.wait(lambda: page.count(".cell") > 0 and page.count(".cell.loading") == 0)


def test_neighbours_that_look_the_same_are_one_column(nights: Page) -> None:
    open_whole(nights, "#/grid")
    # Releases of JAX lie between the nights, and part nothing.
    assert nights.attributes(HEADS, "title") == [RELEASES, *NIGHTS]
    assert nights.count(".cells tbody tr") == 6
    assert nights.count(".cells .cell") == 6 * 5
    assert nights.attribute(cell(f"fft on {NIGHT}20260303"), "data-state") == "fail"
    assert nights.attribute(cell(f"fft on {NEWEST}"), "data-state") == "pass"
    assert nights.attribute(cell(f"svd on {NEWEST}"), "data-state") == "fail"
    assert nights.attribute(cell("svd on jax-0.6.29"), "data-state") == "pass"


def test_heads_name_days_and_years(nights: Page) -> None:
    open_whole(nights, "#/grid")
    assert nights.texts(".products td") == ["", "jax", "tf-nightly"]
    assert nights.texts(f"{HEADS} .upright") == [
        "0.6.29", "8 Nov 2025 – 25 Aug 2026",
        "2.22.0.dev20260302", "3 Nov 2025 – 2 Mar 2026",
        "2.22.0.dev20260303", "3 Mar",
        "2.22.0.dev20260521", "4 Mar – 21 May",
        "2.22.0.dev20260829", "22 May – 29 Aug",
    ]  # fmt: skip
    assert nights.texts(".cells .number") == ["×30", "×120", "", "×79", "×100"]
    assert nights.texts(".years td") == ["", "2026", "2026"]


def test_equality_is_that_of_what_is_shown(nights: Page) -> None:
    open_whole(nights, "#/grid")
    nights.type("input.filter", "svd")
    nights.wait(lambda: nights.attributes(HEADS, "title")[2:] == NIGHTS[3:])
    assert nights.texts(".cells .number") == ["×30", "×200", "×100"]
    nights.type("input.filter", "\b\b\babs")
    nights.wait(lambda: nights.texts(".cells .number") == ["×30", "×300"])
    # One column has no room for the name of its product above it.
    assert nights.texts(".products td") == ["", "jax", ""]
    assert NEWEST in nights.texts(f"{HEADS} .upright")
    # Only primitives that fail somewhere.
    open_whole(nights, "#/grid?failures=1")
    assert nights.texts(".cells tbody th") == ["fft", "svd"]
    assert nights.attributes(HEADS, "title") == [RELEASES, *NIGHTS]


def test_a_matrix_keeps_outlines_apart(nights: Page) -> None:
    open_whole(nights, "#/matrix")
    # The promise of the producer of 2025-11-03 ends after 180 days.
    words = [str(one) for one in nights.attributes(HEADS, "title")]
    assert len(words) == 2 + 5
    assert "to jax-0.6.17 of 2026-04-27" in words[0]
    assert f"{NIGHT}20260304 of 2026-03-04 to {NIGHT}20260502 of 2026-05-02" in words[4]
    covered = cell(f"jax-0.5.0 on {NIGHT}20260502")
    assert nights.attribute(covered, "data-mark") == "backward"
    assert nights.attribute(cell(f"jax-0.5.0 on {NIGHT}20260521"), "data-mark") is None


def test_a_column_opens_its_newest_build_and_offers_the_others(nights: Page) -> None:
    open_whole(nights, "#/grid")
    nights.click(cell(f"svd on {NIGHT}20260521"))
    nights.wait_text(".panel h2", f"svd on {NIGHT}20260521")
    assert nights.text(".panel .alike p") == NIGHTS[2]
    assert nights.count(".panel .alike option") == 79
    nights.act(".panel .alike select",
               lambda one: Select(one).select_by_value(f"{NIGHT}20260310"))  # fmt: skip
    nights.wait_text(".panel h2", f"svd on {NIGHT}20260310")
    nights.wait_text(".panel .pairs", "svd_f32[8]/cpu")
    assert quote(f"{NIGHT}20260310") in nights.driver.current_url
    chosen = nights.attribute(".cell[aria-selected]", "aria-label")
    assert str(chosen).startswith(f"svd on {NIGHT}20260521")
    # A link to a build within a column, once more loads find it there.
    nights.driver.refresh()
    nights.wait(lambda: nights.texts(".panel .alike p") == [NIGHTS[2]])
    nights.click(cell(f"fft on {NIGHT}20260303"))
    nights.wait_text(".panel h2", f"fft on {NIGHT}20260303")
    assert nights.count(".panel .alike *") == 0


def test_keys_move_between_columns(nights: Page) -> None:
    def label() -> str:
        return str(nights.script("return document.activeElement.getAttribute('aria-label') ?? ''"))

    open_whole(nights, "#/grid")
    assert nights.count('.cell[tabindex="0"]') == 1
    nights.script("document.querySelector('.cell[tabindex=\"0\"]').focus()")
    nights.press(Keys.HOME)
    assert label().startswith("abs on jax-0.6.29: ")
    nights.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert label().startswith(f"cholesky on {NIGHT}20260303: ")
    nights.press(Keys.ENTER)
    nights.wait_text(".panel h2", f"cholesky on {NIGHT}20260303")
    nights.press(Keys.ESCAPE)
    nights.wait(lambda: nights.count(".panel") == 0)
    assert label().startswith(f"cholesky on {NIGHT}20260303: ")
    nights.press(Keys.END)
    assert label().startswith(f"cholesky on {NEWEST}: ")


def test_columns_grow_as_builds_arrive(nights: Page) -> None:
    # The service holds back what the page asks for, until it is let go on.
    nights.open("#/health")
    nights.wait_text("h1", "Health")
    nights.script(
        """
        const ask = window.fetch;
        window.asked = [];
        window.heldBack = [];
        window.held = true;
        window.fetch = async (address, ...options) => {
          asked.push(address);
          if (held && asked.length > 40) await new Promise((release) => heldBack.push(release));
          return ask(address, ...options);
        };
        """
    )
    nights.script("location.hash = '/grid'")
    nights.wait(lambda: nights.script("return heldBack.length === 2"))
    # The newest first: 36 nights among 40 builds, and what is still to load.
    assert nights.script("return asked[0]").endswith(NEWEST)
    nights.wait(lambda: nights.texts(".cells .number") == ["×4", "×36"])
    assert nights.texts(".cells thead th:has(.waiting)") == [
        "26 builds to load …",
        "264 builds to load …",
    ]
    newest = cell(f"svd on {NEWEST}")
    nights.act(newest, lambda one: one.send_keys(Keys.ENTER))
    nights.wait_text(".panel .alike p", "36 builds look the same")
    nights.read(newest, "one.focus()")
    nights.script("held = false; heldBack.forEach((release) => release())")
    nights.wait(lambda: nights.count(".cell.loading") == 0)
    assert nights.attributes(HEADS, "title") == [RELEASES, *NIGHTS]
    nights.wait(lambda: nights.texts(".panel .alike p") == [NIGHTS[3]])
    # The cell is the same one, and it has the focus.
    assert nights.read(newest, "one === document.activeElement") == [True]


def test_until_leaves_out_newer_builds(nights: Page) -> None:
    open_whole(nights, f"#/grid?until={NIGHT}20260303")
    nights.wait_text(".summary", f"{NIGHT}20260303 of 2026-03-03")
    assert nights.attributes(HEADS, "title")[1:] == NIGHTS[:2]
    nights.click(".above-table button")
    nights.wait_text(".summary", f"{NEWEST} of 2026-08-29")


@pytest.mark.parametrize("view", ["grid", "matrix"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_heads_are_legible(nights: Page, view: str, width: int, scheme: str) -> None:
    nights.resize(width)
    nights.prefer(scheme)
    open_whole(nights, f"#/{view}")
    pause_for_picture(nights)
    assert nights.script("return document.documentElement.scrollWidth") <= width
    # The days are whole, and nothing of a head lies on another.
    assert nights.read(".cells .days", "one.scrollHeight <= one.clientHeight + 1").count(False) == 0
    boxes = nights.read(
        ".cells thead th .upright",
        "((box) => [box.left, box.right])(one.getBoundingClientRect())",
    )
    assert all(left[1] <= right[0] + 0.5 for left, right in pairwise(boxes))
    # The newest column is in sight.
    right = nights.read(HEADS, "one.getBoundingClientRect().right")[-1]
    assert right <= nights.read(".table-area", "one.getBoundingClientRect().right")[0] + 1

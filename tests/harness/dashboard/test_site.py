"""The site of a measured history: its answers, addresses, size, feed and badges."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from conftest import BINARIES, Page, pause_for_picture, watched
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from site_files import LAST_WITH_IT, MARKUP, OLD_TARGET, make_site, measured, report_site

ATOM = "{http://www.w3.org/2005/Atom}"
MOST_AT_START = 300_000


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def shown(driver: webdriver.Chrome, site: Path) -> Iterator[Page]:
    yield from watched(driver, f"file://{site}/index.html")


def data_of(site: Path, page: str) -> dict[str, list[dict[str, str]]]:
    text = (site / f"data/{page}.js").read_text().split(", ", 1)[1]
    data: dict[str, list[dict[str, str]]] = json.loads(text.rstrip().removesuffix(");"))
    return data


def breaks_of(site: Path) -> list[dict[str, str]]:
    return data_of(site, "history")["breaks"]


def test_three_questions_in_a_minute(shown: Page, site: Path) -> None:
    begun = time.monotonic()
    # Which release can I upgrade to with this model?
    shown.open()
    shown.click('.views a[data-view="upgrade"]')
    shown.type("#model", str(site.parent / "old.mlirbc"))
    shown.wait_text("h2.answer", f"Up to {LAST_WITH_IT}. On 0.6.0: {OLD_TARGET} is not registered")
    # Since when does eigh fail, and how?
    shown.click('.views a[data-view="search"]')
    shown.wait_for(".results a")
    shown.type("input.filter", "eigh")
    shown.wait_text(".results li:first-child", "crash in a fresh process since 0.4.30")
    # Which releases register a target?
    shown.act("input.filter", lambda field: field.clear())
    shown.type("input.filter", OLD_TARGET)
    shown.wait_text(".results li:first-child", f"until {LAST_WITH_IT}")
    shown.type("input.filter", Keys.ENTER)
    shown.wait_text("h1", OLD_TARGET)
    rows = shown.texts("section:last-child table.list tbody tr")
    registered = [row.split()[0] for row in rows if "not registered" not in row]
    order = [release["version"] for release in measured()["releases"]]
    assert sorted(registered) == sorted(order[: order.index(LAST_WITH_IT) + 1])
    assert time.monotonic() - begun < 60


def test_an_exported_names_its_needs(shown: Page, site: Path) -> None:
    shown.open("#/upgrade")
    shown.type("#model", str(site.parent / "kept/exported.bin"))
    shown.wait_text(".facts", "function cholesky")
    shown.wait_text(".facts", "lapack_spotrf_ffi")
    # It is in calling convention 10.
    rows = {row.split()[0]: row for row in shown.texts("section:nth-of-type(1) tbody tr")}
    for release in measured()["releases"]:
        early = release["calling_convention"] < 10
        assert ("calling convention 10" in rows[release["version"]]) == early
    shown.act("select", lambda one: Select(one).select_by_value("0.11.2"))
    shown.wait_text("p", "2026-08-27 to 2027-03-16")
    assert "promised backward" in next(
        row for row in shown.texts("tbody tr") if row.startswith("0.12.0.1")
    )


def test_a_file_that_is_no_model_gets_a_sentence(shown: Page, site: Path) -> None:
    shown.open("#/upgrade")
    shown.type("#model", str(site / "index.html"))
    shown.wait_text("[role=alert]", "an Exported of JAX, MLIR bytecode or a zip of one is expected")


def test_the_search_works_with_keys(shown: Page) -> None:
    shown.open("#/breaks")
    shown.wait_for("table.list")
    shown.press("1")
    shown.wait_for(".results a")
    assert shown.script("return document.activeElement.tagName") == "INPUT"
    shown.press("0.6.0", Keys.ARROW_DOWN)
    shown.wait_text(".results li:first-child", "release")
    shown.press(Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ENTER)
    shown.wait_text("h1", "JAX 0.6.0")
    shown.driver.back()
    shown.wait_text(".summary", "results")  # The address holds the text.


# The key 1 opened the search and, where the view was drawn before the character came, stood in its
# box: then "0.6.0" was a search for "10.6.0", which found nothing.
def test_a_key_for_a_view_types_nothing(shown: Page) -> None:
    shown.open("#/breaks")
    shown.wait_for("table.list")
    key = {"key": "1", "code": "Digit1", "windowsVirtualKeyCode": 49}
    shown.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "rawKeyDown", **key})
    shown.wait_for(".results a")
    shown.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "char", "text": "1", **key})
    assert shown.script("return document.activeElement.value") == ""


def test_words_of_a_message_are_found(shown: Page) -> None:
    shown.open("#/search?text=untyped%20custom%20lapack_zgeev")
    shown.wait_text(".results", "An error in stage compile of eig")
    shown.open("#/search?text=nothing%20like%20it")
    shown.wait_text(".results", "Nothing of the history names that")


# The site knew releases of JAX alone: it found nothing for the question, and no other product.
def test_since_when_does_eigh_fail_on_tensorflow(shown: Page) -> None:
    shown.open("#/search?text=since%20when%20does%20eigh%20fail%20on%20TensorFlow%3F")
    shown.wait_text(".results", "target not registered: eigh on tensorflow")
    shown.wait_text(".results", "since tensorflow-2.16.2 (2024-06-28), the oldest measured, on 6")
    shown.open("#/primitive/eigh")
    shown.wait_text("section table", "target not registered: eigh on tensorflow")
    shown.open("#/search?text=nothing%20like%20it")
    shown.wait_text(".results", "tensorflow-2.16.2 to tensorflow-2.21.0")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_a_failure_elsewhere_has_an_address(
    shown: Page, site: Path, width: int, scheme: str
) -> None:
    shown.resize(width)
    shown.prefer(scheme)
    one = next(found for found in data_of(site, "others")["failures"]
               if "lapack_sgesdd_ffi" in found["message"])  # fmt: skip
    shown.open("#/search?text=No%20FFI%20handler%20lapack_sgesdd_ffi%20tensorflow-nightly")
    shown.click(f'.results a[href="#/failure/{one["id"]}"]')
    shown.wait_text(".message-block", one["message"])
    shown.wait_text(".facts", "jax:svd_shape_float32_29_29")
    assert shown.script("return document.documentElement.scrollWidth <= innerWidth")
    for address in ("#/target/lapack_sgesdd_ffi", "#/breaks"):
        shown.open(address)
        shown.wait_text("section table", "target not registered: svd on tensorflow-nightly")
        assert shown.script("return document.documentElement.scrollWidth <= innerWidth")
    shown.open("#/failure/000000000000")
    shown.wait_text("h1", "The history has no failure 000000000000")


def test_each_break_has_an_address(shown: Page, site: Path) -> None:
    for one in breaks_of(site)[:3]:
        shown.open(f"#/break/{one['id']}")
        shown.wait_text(".message-block", one["message"])
        shown.wait_text(".command code", "vintage replay --archive A --id ")
    shown.open("#/break/000000000000")
    shown.wait_text("h1", "The history has no break 000000000000")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("#/release/0.6.0", "Artifacts on 0.6.0, by the release that exported them"),
        ("#/releases/0.5.0/0.6.0", "5 failed, 543 passed of 548"),
        ("#/target/lapack_zgeev", "An error in stage compile of eig"),
        ("#/primitive/eigh", "Days up to which all passes"),
        ("#/releases", "Producers × consumers"),
        ("#/release/0.0.1", "The history has no release 0.0.1"),
        ("#/target/%E0%A4%A", "The history has no target"),
    ],
)
def test_pages_fit_a_phone(shown: Page, address: str, words: str) -> None:
    shown.resize(400)
    shown.open(address)
    shown.wait_text("main", words)
    assert shown.script("return document.documentElement.scrollWidth <= innerWidth")


def test_trends_are_drawn(shown: Page) -> None:
    shown.open("#/releases")
    shown.wait_for(".plot canvas")
    assert shown.read(".plot canvas", "one.width > 400 && one.height > 100") == [True]
    assert "0.6.2 · promised, warm" in (shown.attribute(".plot", "aria-label") or "")
    shown.click('.cell[aria-label^="0.5.0 on 0.6.0"]')
    shown.wait_text("h1", "Artifacts of 0.5.0 on 0.6.0")


def test_texts_of_others_stay_text(shown: Page, site: Path) -> None:
    last = breaks_of(site)[-1]
    assert last["message"] == MARKUP
    shown.open(f"#/break/{last['id']}")
    shown.wait_text(".message-block", MARKUP)
    shown.wait_text(".facts", "javascript:alert(1)")
    assert shown.count("main img") == 0
    assert shown.count('a[href^="javascript"]') == 0


def test_the_start_is_small(shown: Page, site: Path) -> None:
    shown.requests()
    shown.open()
    shown.wait_for(".results a")
    pause_for_picture(shown)
    files = {one.split("?")[0].split("#")[0] for one in shown.requests() if one.startswith("file:")}
    size = sum(Path(one.removeprefix("file://")).stat().st_size for one in files)
    paints = shown.script("return performance.getEntriesByType('paint').map((e) => e.startTime)")
    print(f"{len(files)} files of {size} bytes at the start; first picture at {max(paints):.0f} ms")
    assert any(one.endswith("history.js") for one in files)
    assert size < MOST_AT_START


def test_the_feed_is_atom_with_ids_that_stay(site: Path, tmp_path: Path) -> None:
    def entries(folder: Path) -> dict[str, ET.Element]:
        feed = ET.parse(folder / "feed.xml").getroot()
        assert feed.tag == f"{ATOM}feed"
        for name in ("id", "title", "updated", "author"):
            assert feed.find(ATOM + name) is not None, name
        found = feed.findall(f"{ATOM}entry")
        for entry in found:
            for name in ("id", "title", "updated", "content"):
                assert entry.findtext(ATOM + name), name
        return {str(entry.findtext(f"{ATOM}id")): entry for entry in found}

    here = entries(site)
    assert len(here) == len(measured()["breaks"])
    there = entries(
        report_site(site.parent, tmp_path / "there", "--address", "https://example.org/jax")
    )
    assert list(there) == list(here)
    link = next(iter(there.values())).find(f"{ATOM}link")
    assert link is not None
    assert link.attrib["href"].startswith("https://example.org/jax/index.html#/break/")


def test_badges(site: Path) -> None:
    def title(name: str) -> str:
        svg = ET.parse(site / f"badge/{name}.svg").getroot()
        words = svg.findtext("{http://www.w3.org/2000/svg}title")
        assert svg.attrib["aria-label"] == words
        assert svg.attrib["role"] == "img"
        return str(words)

    assert title("solver").startswith("solver: holds until 20")
    assert title("jax-0.12.0.1") == "jax 0.12.0.1: no known break"
    assert title("jax-0.6.0") == "jax 0.6.0: 5 known breaks"


def test_the_workflow_writes_a_site(site: Path, tmp_path: Path) -> None:
    example = Path(__file__).resolve().parents[3] / "docs/examples/publish_site.yml"
    steps = yaml.safe_load(example.read_text())["jobs"]["publish"]["steps"]
    (script,) = [step["run"] for step in steps if step.get("name") == "write the site"]
    shutil.copy(site.parent / "history.json", tmp_path)
    shutil.copytree(site.parent / "facts", tmp_path / "facts")
    variables = {
        "PATH": f"{BINARIES.resolve()}{os.pathsep}{os.environ['PATH']}",
        "ARCHIVE": str(site.parent / "archive"),
        "ADDRESS": "https://example.org/jax/",
    }
    done = subprocess.run(["/bin/sh", "-ec", script], cwd=tmp_path, text=True, check=False,
                          capture_output=True, env={**os.environ, **variables})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "https://example.org/jax/feed.xml" in (tmp_path / "site/feed.xml").read_text()
    assert (tmp_path / "site/badge/solver.svg").exists()

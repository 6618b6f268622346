"""Shared by the browser's tests: an archive, its servers, and a monitored Chromium."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

BINARIES = Path(os.environ.get("VINTAGE_BINARY", "build/release/bin"))
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
# Chromium as root, without a display, and without network requests of its own.
ARGUMENTS = (
    "--headless=new --no-sandbox --disable-gpu --disable-background-networking "
    "--disable-component-update --disable-sync --no-first-run --disable-dev-shm-usage"
)
SECONDS = 60
OUTCOMES = 45_600  # 120 cases of each of twenty producers, on nineteen builds.
NEWEST = "jax 0.5.9"


def pytest_sessionstart() -> None:
    # ctest reads 77 as skipped; tests/allowed_skips.txt allows it.
    if CHROMIUM is None or DRIVER is None:
        pytest.exit("chromium and chromium-driver are missing (apt-get install)", returncode=77)


def run(*words: str) -> str:
    command = [str(BINARIES / words[0]), *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dashboard") / "archive"
    run("vintage_dashboard_archive", str(folder), str(OUTCOMES))
    return folder


@pytest.fixture(scope="session")
def report(archive: Path) -> str:
    """The dashboard as files; its address."""
    folder = archive.parent / "report"
    run("vintage", "report", "--archive", str(archive), "--html", str(folder), "--pairs", "300")
    return f"file://{folder}/index.html"


@pytest.fixture(scope="session")
def empty_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The files of an archive that holds nothing yet."""
    folder = tmp_path_factory.mktemp("empty")
    run("vintage_dashboard_archive", str(folder / "archive"), "none")
    run("vintage", "report", "--archive", str(folder / "archive"), "--html", str(folder / "report"))
    return f"file://{folder}/report/index.html"


@pytest.fixture(scope="session")
def token(archive: Path) -> str:
    text = run(
        "vintage", "token", "add", "reader", "--archive", str(archive), "--role", "read",
        "--format", "json",
    )  # fmt: skip
    return str(json.loads(text)["token"])


def serve(archive: Path, *options: str) -> Iterator[str]:
    command = [str(BINARIES / "vintage"), "serve", "--archive", str(archive)]
    command += ["--listen", "127.0.0.1:0", "--access-log", "none", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("listening on "), line
            yield line.removeprefix("listening on ").strip() + "/"
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def open_service(archive: Path) -> Iterator[str]:
    yield from serve(archive, "--anonymous", "read")


@pytest.fixture(scope="session")
def closed_service(archive: Path, token: str) -> Iterator[str]:
    yield from serve(archive)


def cell(words: str) -> str:
    """Selects the cell whose label begins with these words, once it is drawn."""
    return f'.cell[data-state][aria-label^="{words}"]'


@dataclass
class Page:
    """A browser's tab, with its log of requests and errors."""

    driver: webdriver.Chrome
    base: str
    expected_complaints: list[str] = field(default_factory=list)

    def open(self, address: str = "") -> None:
        # A page that differs only in the part behind # would not be loaded anew.
        self.driver.get("about:blank")
        self.driver.get(self.base + address)

    # A view may be redrawn at any time, and elements found before are stale then. So tests hold
    # selectors, not elements: reading happens at one moment, in the page, and an action is repeated
    # on the new element.
    def texts(self, selector: str) -> list[str]:
        """The visible text of each matching element."""
        return list(self.read(selector, "one.innerText"))

    def attributes(self, selector: str, name: str) -> list[str | None]:
        return list(self.read(selector, "one.getAttribute(arguments[1])", name))

    def count(self, selector: str) -> int:
        return len(self.read(selector, "1"))

    def read(self, selector: str, expression: str, *values: object) -> list[Any]:
        found: list[Any] = self.script(
            f"return [...document.querySelectorAll(arguments[0])].map((one) => {expression})",
            selector, *values,
        )  # fmt: skip
        return found

    def text(self, selector: str) -> str:
        """The text of the first matching element, once there is one."""
        return str(self.wait(lambda: self.texts(selector), selector)[0])

    def attribute(self, selector: str, name: str) -> str | None:
        """Of the first that fits, once there is one."""
        found: str | None = self.wait(lambda: self.attributes(selector, name), selector)[0]
        return found

    def click(self, selector: str) -> None:
        self.act(selector, lambda one: one.click())

    def type(self, selector: str, *keys: str) -> None:
        self.act(selector, lambda one: one.send_keys(*keys))

    def act(self, selector: str, deed: Callable[[WebElement], object]) -> None:
        """Acts on the first matching element, once there is one."""

        def done() -> bool:
            found = self.driver.find_elements(By.CSS_SELECTOR, selector)
            if found:
                deed(found[0])
            return bool(found)

        self.wait(done, selector)

    def wait(self, condition: Callable[[], object], what: str = "") -> Any:
        """Returns the condition's result, once it is true."""
        return WebDriverWait(self.driver, SECONDS, 0.05, [StaleElementReferenceException]).until(
            lambda _: condition(), what or "the condition never held"
        )

    def wait_for(self, selector: str) -> None:
        self.wait(lambda: self.count(selector) > 0, selector)

    def wait_text(self, selector: str, text: str) -> None:
        self.wait(lambda: any(text in one for one in self.texts(selector)), f"{text}: {selector}")

    def script(self, text: str, *values: object) -> Any:
        return self.driver.execute_script(text, *values)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def resize(self, width: int, height: int = 860) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def prefer(self, scheme: str) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )

    def requests(self) -> list[str]:
        """Addresses that were requested since the last call."""
        events = [
            json.loads(one["message"])["message"] for one in self.driver.get_log("performance")
        ]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def check(self) -> None:
        """Asserts that the console is empty and that no other host was contacted."""
        complaints = [one["message"] for one in self.driver.get_log("browser")]
        unexpected = [
            one for one in complaints if not any(part in one for part in self.expected_complaints)
        ]
        assert unexpected == []
        home = self.base.rsplit("/", 1)[0] + "/"
        assert [one for one in self.requests() if not one.startswith(home)] == []


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = Options()
    for argument in ARGUMENTS.split():
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(service=Service(DRIVER), options=options)
    yield browser
    browser.quit()


def watched(driver: webdriver.Chrome, base: str) -> Iterator[Page]:
    page = Page(driver, base)
    driver.get("about:blank")
    driver.get_log("browser")
    page.requests()
    page.resize(1280)
    page.prefer("light")
    page.open("#/grid")
    page.script("try { localStorage.clear(); sessionStorage.clear(); } catch { }")
    yield page
    page.check()


@pytest.fixture
def served(driver: webdriver.Chrome, open_service: str) -> Iterator[Page]:
    yield from watched(driver, open_service)


@pytest.fixture
def guarded(driver: webdriver.Chrome, closed_service: str) -> Iterator[Page]:
    yield from watched(driver, closed_service)


@pytest.fixture
def opened(driver: webdriver.Chrome, report: str) -> Iterator[Page]:
    yield from watched(driver, report)


@pytest.fixture
def empty(driver: webdriver.Chrome, empty_report: str) -> Iterator[Page]:
    yield from watched(driver, empty_report)


@pytest.fixture(params=["service", "files"])
def page(request: pytest.FixtureRequest, driver: webdriver.Chrome) -> Iterator[Page]:
    """The same page from both."""
    base = request.getfixturevalue("open_service" if request.param == "service" else "report")
    yield from watched(driver, base)


def pause_for_picture(page: Page) -> None:
    """Waits until two frames were drawn."""
    page.driver.execute_async_script(
        "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
    )

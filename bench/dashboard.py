#!/usr/bin/python3
"""Measures the dashboard on archives of twenty releases: what the service takes for each page of
data, and how long a real Chromium takes to the first picture and to the whole grid.

    bench/dashboard.py BUILD [OUTCOMES…]     BUILD holds bin/; 100000 and 1000000 outcomes

It needs Debian's chromium, chromium-driver and python3-selenium, and prints Markdown, which
bench/dashboard.md keeps.
"""

import platform
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ROUNDS = 5
NEWEST = "jax 0.5.9"
ARGUMENTS = (
    "--headless=new --no-sandbox --disable-gpu --disable-background-networking "
    "--disable-component-update --disable-sync --no-first-run --window-size=1280,860"
)
# Since the request of the page, by the page's own clock.
FIRST_PICTURE = "return performance.getEntriesByName('first-picture')[0]?.startTime ?? null"
GRID_COMPLETE = (
    "return document.querySelector('.cells tbody tr') && !document.querySelector('.cell.loading')"
    " ? performance.now() : null"
)
RECEIVED = (
    "return performance.getEntriesByType('resource').reduce((sum, one) =>"
    " sum + one.decodedBodySize, 0)"
)


def until(browser: webdriver.Chrome, script: str) -> float:
    """Waits until the script returns a value, and returns it."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        value = browser.execute_script(script)
        if value is not None:
            return float(value)
        time.sleep(0.005)
    raise SystemExit("the page showed nothing for a minute")


def measure_pages(url: str) -> list[str]:
    pages = {
        "overview": "overview",
        "column": "column?build=" + urllib.parse.quote(NEWEST),
        "matrix": "matrix?build=" + urllib.parse.quote(NEWEST),
        "pairs": f"pairs?build={urllib.parse.quote(NEWEST)}&primitive=cholesky",
        "targets": "targets",
        "health": "health",
    }
    lines = []
    for name, path in pages.items():
        times, size = [], 0
        for _ in range(ROUNDS):
            start = time.monotonic()
            with urllib.request.urlopen(f"{url}/v1/dashboard/{path}") as answer:
                size = len(answer.read())
            times.append(time.monotonic() - start)
        milliseconds = 1000 * statistics.median(times)
        lines.append(f"| `{name}` | {milliseconds:.0f} ms | {size / 1000:.1f} KB |")
    return lines


def measure_browser(url: str) -> list[str]:
    first, whole, received = [], [], 0.0
    for _ in range(ROUNDS):
        # A profile of its own: no cache from the round before.
        with tempfile.TemporaryDirectory() as profile:
            options = Options()
            for argument in ARGUMENTS.split():
                options.add_argument(argument)
            options.add_argument(f"--user-data-dir={profile}")
            browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
            try:
                browser.get(f"{url}#/grid")
                first.append(until(browser, FIRST_PICTURE))
                whole.append(until(browser, GRID_COMPLETE))
                received = browser.execute_script(RECEIVED)
            finally:
                browser.quit()
    return [
        f"| first picture in Chromium | {statistics.median(first):.0f} ms | |",
        f"| whole grid in it | {statistics.median(whole):.0f} ms | {received / 1000:.0f} KB |",
    ]


def measure(binaries: Path, outcomes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive = f"{folder}/archive"
        subprocess.run([binaries / "vintage_dashboard_archive", archive, str(outcomes)], check=True)
        index = (Path(archive) / "index.sqlite").stat().st_size
        serve = [binaries / "vintage", "serve", "--archive", archive, "--anonymous", "read"]
        serve += ["--listen", "127.0.0.1:0", "--access-log", "none"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as service:
            try:
                assert service.stdout is not None
                url = service.stdout.readline().removeprefix("listening on ").strip()
                print(f"\n## {outcomes:,} outcomes\n")
                print(f"20 builds, an index of {index / 1e6:.0f} MB.\n")
                print("| what | time | received |\n| --- | --- | --- |")
                print("\n".join(measure_pages(url) + measure_browser(url)))
            finally:
                service.terminate()


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    binaries = Path(sys.argv[1]) / "bin"
    day = datetime.now(UTC).date()
    print("# The dashboard, measured\n")
    print(f"Written by `bench/dashboard.py` on {day}, on {platform.machine()}: the median of")
    print(f"{ROUNDS} rounds; each round of Chromium starts with an empty profile.")
    for outcomes in [int(one) for one in sys.argv[2:]] or [100_000, 1_000_000]:
        measure(binaries, outcomes)


if __name__ == "__main__":
    main()

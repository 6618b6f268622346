"""A real Prometheus scrapes a running service, with a token and without."""

import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

VINTAGE = Path(os.environ.get("VINTAGE_BINARY", "")) / "vintage"


def vintage(*words):
    done = subprocess.run([VINTAGE, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The URL of a service, and a file with a token that may read."""
    for program in ("prometheus", "promtool"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing (Debian: prometheus)")
    if not VINTAGE.is_file():
        pytest.skip("VINTAGE_BINARY names no folder with the program")
    folder = tmp_path_factory.mktemp("service")
    archive = folder / "A"
    vintage("nightly", "--archive", archive, "--primitive", "neg")
    token = folder / "token"
    token.write_text(
        vintage("token", "add", "p", "--role", "read", "--archive", archive).split()[0]
    )
    server = subprocess.Popen(
        [VINTAGE, "serve", "--archive", archive, "--listen", "127.0.0.1:0", "--access-log", "none"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield server.stdout.readline().removeprefix("listening on ").strip(), token
    finally:
        server.terminate()
        assert server.wait(timeout=60) == 0


@pytest.fixture(scope="module")
def prometheus(service, tmp_path_factory):
    """Asks a Prometheus that scrapes the service once a second."""
    url, token = service
    folder = tmp_path_factory.mktemp("prometheus")
    target = url.removeprefix("http://")

    def job(name, **more):
        return {"job_name": name, "static_configs": [{"targets": [target]}], **more}

    (folder / "prometheus.yml").write_text(json.dumps({  # JSON is YAML.
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
        "scrape_configs": [job("archive", authorization={"credentials_file": str(token)}),
                           job("stranger")],
    }))  # fmt: skip
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{probe.getsockname()[1]}"
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml",
             f"--storage.tsdb.path={folder}/data", f"--web.listen-address={place}"],
            stdout=log, stderr=log,
        )  # fmt: skip

    def ask(path, **words):
        query = urllib.parse.urlencode(words)
        with urllib.request.urlopen(f"http://{place}/api/v1/{path}?{query}") as answer:
            return json.load(answer)["data"]

    def settled():
        """The targets, once each was scraped."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            try:
                targets = ask("targets")["activeTargets"]
                if len(targets) == 2 and all(one["health"] != "unknown" for one in targets):
                    return {one["labels"]["job"]: one for one in targets}
            except OSError:
                pass
            time.sleep(0.3)
        pytest.fail((folder / "log").read_text())

    try:
        yield ask, settled()
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_a_token_is_all_that_a_scrape_takes(prometheus):
    _, targets = prometheus
    assert (targets["archive"]["health"], targets["archive"]["lastError"]) == ("up", "")
    assert targets["stranger"]["health"] == "down"
    assert "401" in targets["stranger"]["lastError"]


def metrics_text(service):
    url, token = service
    asked = urllib.request.Request(
        f"{url}/metrics", headers={"Authorization": f"Bearer {token.read_text()}"}
    )
    with urllib.request.urlopen(asked) as answer:
        return answer.read()


def test_prometheus_has_each_metric_with_its_help(service, prometheus):
    ask, _ = prometheus
    known = {entry["metric"]: entry for entry in ask("targets/metadata")}
    stated = dict(re.findall(r"^# TYPE (vintage_\w+) (\w+)$", metrics_text(service).decode(),
                             re.MULTILINE))  # fmt: skip
    assert len(stated) > 8
    assert {name: known[name]["type"] for name in stated} == stated
    assert all(known[name]["help"] for name in stated)
    deadline = time.monotonic() + 60
    counted = []
    while not counted and time.monotonic() < deadline:  # The scrape before counts in the next.
        counted = ask(
            "query", query='vintage_http_requests_total{operation="metrics",status="2xx"} > 1'
        )["result"]
        time.sleep(0.5)
    assert len(counted) == 1


def test_the_text_is_as_prometheus_wants_it(service):
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=metrics_text(service), capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr

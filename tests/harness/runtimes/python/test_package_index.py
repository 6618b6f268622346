"""The files of a project on a package index; a server of our own stands in for it."""

import base64
import json
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from vintage_python.environment.releases import File, files_on_index
from vintage_python.failure import Failure

FILES = [
    {"filename": "jax-1.0-py3-none-any.whl", "upload-time": "2026-03-04T05:06:07.89Z"},
    {
        "filename": "jax-1.1-py3-none-any.whl",
        "upload-time": "2026-03-05T05:06:07Z",
        "yanked": "bad",
    },
    {"filename": "jax-1.2-py3-none-any.whl", "yanked": False},
    {"filename": "jax-1.3-py3-none-any.whl", "yanked": True},
]


@contextmanager
def index(body, status=200):
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, dict(self.headers)))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}/simple", asked
    finally:
        server.shutdown()
        server.server_close()


def test_the_files_have_their_days_and_say_why_they_were_withdrawn(monkeypatch):
    """Withdrawn files were passed over: their release "did not exist", or changed its day."""
    with index(json.dumps({"files": FILES})) as (place, asked):
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"http://{place}/")
        files = files_on_index("jax")
    assert files == [
        File("jax-1.0-py3-none-any.whl", date(2026, 3, 4)),
        File("jax-1.1-py3-none-any.whl", date(2026, 3, 5), "bad"),
        File("jax-1.2-py3-none-any.whl"),
        File("jax-1.3-py3-none-any.whl", None, ""),
    ]
    ((path, headers),) = asked
    assert path == "/simple/jax/"
    assert headers["Accept"] == "application/vnd.pypi.simple.v1+json"
    assert "Authorization" not in headers


def test_an_index_may_have_a_name_and_want_a_password(monkeypatch):
    with index(json.dumps({"files": []})) as (place, asked):
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"company=http://me:p%40ss@{place}")
        assert files_on_index("jax") == []
    ((_, headers),) = asked
    assert base64.b64decode(headers["Authorization"].removeprefix("Basic ")) == b"me:p@ss"


def test_a_project_that_the_index_does_not_know_has_no_files(monkeypatch):
    with index("", status=404) as (place, _):
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"http://{place}")
        assert files_on_index("no-such-project") == []


@pytest.mark.parametrize(
    ("body", "status"), [("", 500), ("<html></html>", 200), ("{}", 200), ("", 200)]
)
def test_an_index_without_an_answer_is_named(monkeypatch, body, status):
    with index(body, status) as (place, _):
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"http://{place}")
        with pytest.raises(Failure, match=r"the package index cannot be read: .*--wheels DIR"):
            files_on_index("jax")


def test_an_index_that_is_not_there_is_named(monkeypatch):
    with index("") as (place, _):
        pass
    monkeypatch.setenv("UV_DEFAULT_INDEX", f"http://{place}")
    with pytest.raises(Failure, match="the package index cannot be read"):
        files_on_index("jax")

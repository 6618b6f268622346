"""pytest --vintage-archive DIR: archives the exports of passing tests, and runs archived ones.

While a test runs, the plugin notes its calls of jax.export.export. Once the test has passed, each
export is archived under the test's name, with its arguments and its outputs for them. Artifacts
that the archive already held run on the installed JAX, each as a test of its own; the test fails if
the artifact no longer runs, or returns other values.
"""

import functools
import hashlib
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from vintage.check import Report, check
from vintage.model import Saved, fits, producer, real_export, save
from vintage.program import VintageError, run

# The word in a scope that leaves out artifacts without a golden to compare with.
_GOLDEN = "golden"
_ARCHIVE = pytest.StashKey["TestArchive | None"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("vintage", "exported programs that are kept (vintage-archive)")
    group.addoption(
        "--vintage-archive",
        metavar="DIR",
        help="Archive exports of passing tests here, and run archived ones on the installed JAX",
    )
    group.addoption(
        "--vintage-build", metavar="BUILD", help="Run archived exports on this build instead"
    )
    group.addoption(
        "--vintage-scope",
        metavar="WORD",
        action="append",
        help="Run only exports for this platform, or (golden) only those with a golden; repeatable",
    )
    group.addoption(
        "--vintage-no-save", action="store_true", help="Only run archived exports; add none"
    )
    group.addoption(
        "--vintage-speed",
        metavar="RATIO",
        type=float,
        help="Also fail what runs this many times as long as on the JAX that exported it, or on "
        "--vintage-beside",
    )
    group.addoption(
        "--vintage-beside", metavar="BUILD", help="With --vintage-speed: the registered build"
    )
    parser.addini("vintage_archive", "The default of --vintage-archive")


class TestArchive:
    """The archive of a session: notes exports, archives them, and runs archived artifacts."""

    __test__ = False

    def __init__(
        self, folder: Path, build: str | None, scope: Sequence[str], saves: bool,
        speed: float | None = None, beside: str | None = None,
    ) -> None:  # fmt: skip
        self.folder = folder
        self.build = build
        self.scope = scope
        self.saves = saves
        self.speed, self.beside = speed, beside
        self.exports = self.new = self.ran = 0
        self.is_new = not folder.is_dir()
        self._ids: dict[str, str] | None = None
        self._noted: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
        self._report: Report | None = None
        self._patch = pytest.MonkeyPatch()

    def listen(self) -> None:
        """Makes jax.export.export note its results from now on."""
        from jax import export

        real = real_export()

        @functools.wraps(real)
        def noting(*how: Any, **options: Any) -> Callable[..., Any]:
            maker = real(*how, **options)

            @functools.wraps(maker)
            def make(*args: Any, **kwargs: Any) -> Any:
                exported = maker(*args, **kwargs)
                self._noted.append((exported, args, kwargs))
                return exported

            return make

        self._patch.setattr(export, "export", noting)

    def stop(self) -> None:
        self._patch.undo()

    def save(self, function: Any, *args: Any, name: str, **options: Any) -> Saved:
        kept = save(function, *args, archive=self.folder, name=name, **options)
        self.new += kept.new
        if self._ids is not None:
            self._ids[kept.name] = kept.id
        return kept

    def forget(self) -> None:
        self._noted.clear()

    def save_noted(self, name: str) -> None:
        noted, self._noted = self._noted, []
        if not self.saves:
            return
        for number, (exported, args, kwargs) in enumerate(noted):
            label = name if len(noted) == 1 else f"{name}#{number}"
            digest = hashlib.sha256(exported.serialize()).hexdigest()
            # A model that changed is another artifact: users still have the old one.
            if self._known(label) not in (None, digest):
                label = f"{label}@{digest[:8]}"
            self.exports += 1
            # With other arguments it is the same artifact; its first golden stays.
            if self._known(label) is None:
                # A test calls with static arguments too.
                if fits(exported, args, kwargs):
                    self.save(exported, *args, name=label, **kwargs)
                else:
                    self.save(exported, name=label)

    def _known(self, name: str) -> str | None:
        """The id of this JAX's artifact with a name."""
        if self._ids is None:
            mine = producer()
            listed = [one for one in self.artifacts() if one["producer"] == mine]
            self._ids = {str(one["name"]): str(one["id"]) for one in listed}
        return self._ids.get(name)

    def artifacts(self) -> list[dict[str, Any]]:
        if not self.folder.is_dir():
            return []
        return list(run("list", "--archive", str(self.folder)))

    def has_in_scope(self, artifact: dict[str, Any]) -> bool:
        platforms = set(self.scope) - {_GOLDEN}
        if platforms and not platforms & set(artifact["platforms"]):
            return False
        return bool(artifact["golden"]) or _GOLDEN not in self.scope

    def report(self, artifacts: list[str]) -> Report:
        """The outcomes of all artifacts, computed when the first one is needed."""
        if self._report is None:
            self._report = check(
                self.folder, self.build, artifacts=artifacts, scope=self.scope, speed=self.speed,
                beside=self.beside,
            )  # fmt: skip
        return self._report


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("--vintage-archive") or config.getini("vintage_archive")
    archive = None
    if folder:
        archive = TestArchive(
            config.invocation_params.dir / str(folder),
            config.getoption("--vintage-build"),
            config.getoption("--vintage-scope") or (),
            not config.getoption("--vintage-no-save"),
            config.getoption("--vintage-speed"),
            config.getoption("--vintage-beside"),
        )
        archive.listen()
    config.stash[_ARCHIVE] = archive


def pytest_unconfigure(config: pytest.Config) -> None:
    archive = config.stash.get(_ARCHIVE, None)
    if archive:
        archive.stop()


@pytest.fixture
def vintage_archive(request: pytest.FixtureRequest) -> TestArchive:
    """The archive of --vintage-archive, for saving by hand."""
    archive: TestArchive | None = request.config.stash[_ARCHIVE]
    if archive is None:
        pytest.skip("no archive: --vintage-archive DIR, or vintage_archive in pytest's settings")
    return archive


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    archive = item.config.stash[_ARCHIVE]
    if archive is None or isinstance(item, KeptArtifact):
        return (yield)
    archive.forget()
    outcome = yield  # A failing test raises here: its exports are not archived.
    archive.save_noted(item.nodeid)
    return outcome


def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    archive = config.stash[_ARCHIVE]
    if archive is None:
        return
    if not archive.saves and not archive.folder.is_dir():
        raise pytest.UsageError(
            f"{archive.folder}: there is no such archive; --vintage-no-save needs one"
        )
    kept = [one for one in archive.artifacts() if archive.has_in_scope(one)]
    if not archive.saves and not kept:
        raise pytest.UsageError(
            f"{archive.folder}: the archive has no artifact in scope: nothing to run"
        )
    ids = sorted({str(one["id"]) for one in kept})
    for one in kept:
        items.append(KeptArtifact.from_parent(session, archive=archive, kept=one, ids=ids))


class KeptArtifact(pytest.Item):
    """An archived artifact on the installed JAX."""

    def __init__(
        self, *, archive: TestArchive, kept: dict[str, Any], ids: list[str], **rest: Any
    ) -> None:
        super().__init__(name=f"vintage[{kept['name']} of {kept['producer']}]", **rest)
        self.archive, self.kept, self.ids = archive, kept, ids

    def runtest(self) -> None:
        report = self.archive.report(self.ids)
        mine = [
            pair
            for pair in report.pairs
            if (pair.name, pair.producer) == (self.kept["name"], self.kept["producer"])
        ]
        if not mine:
            skips = [one for one in report.skipped if one.name == self.kept["name"]]
            if skips and all(one.declared for one in skips):
                pytest.skip(skips[0].reason)
            if skips:
                raise DoesNotRunError(
                    f"it was not run on {report.build}: {skips[0].reason}; --vintage-scope "
                    "leaves out other platforms, or artifacts without a golden"
                )
            said = "\n  ".join(report.reasons)
            raise DoesNotRunError(f"it was not run on {report.build}: {report.verdict}\n  {said}")
        self.archive.ran += 1
        for pair in mine:
            if pair.failed:
                raise DoesNotRunError(f"{pair}\non {report.build}; again:\n  {pair.command}")
            for one in report.slower:
                if one.artifact == pair.artifact:
                    raise DoesNotRunError(f"{one}\non {report.build}; again:\n  {one.command}")
            for unknown in report.speed_unknown:
                if unknown.name == pair.name:
                    raise DoesNotRunError(f"its speed is not known: {unknown.reason}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, (DoesNotRunError, VintageError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.archive.folder, None, self.name


class DoesNotRunError(Exception):
    """An archived artifact fails on the build."""


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    archive = config.stash[_ARCHIVE]
    if archive is None:
        return
    made = ", a new archive" if archive.is_new else ""
    terminalreporter.write_line(
        f"vintage: {archive.exports} exports noted, {archive.new} artifacts new in "
        f"{archive.folder}{made}; {archive.ran} kept artifacts run"
    )

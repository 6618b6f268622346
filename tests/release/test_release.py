#!/usr/bin/env python3
"""cmake/release.sh in a small repository of its own: what it writes, and what it refuses."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "cmake/release.sh"
CHANGES = """# Changes

## Not released

### Added

- A verb.

## 0.1.0

The first.
"""


class Release(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "cmake").mkdir()
        (self.root / "harness/python_package").mkdir(parents=True)
        shutil.copy(SCRIPT, self.root / "cmake/release.sh")
        self.write("CMakeLists.txt", "project(vintage VERSION 0.1.0 LANGUAGES CXX)\n")
        self.write("harness/python_package/pyproject.toml", 'version = "0.1.0"\n')
        self.write("CHANGELOG.md", CHANGES)
        self.git("init", "-q")
        self.git("config", "user.name", "Somebody")
        self.git("config", "user.email", "somebody@example.org")
        self.git("add", ".")
        self.git("commit", "-qm", "All")

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def git(self, *words: str) -> str:
        run = subprocess.run(
            ("git", *words), cwd=self.root, capture_output=True, text=True, check=True
        )
        return run.stdout

    def release(self, *words: str) -> subprocess.CompletedProcess[str]:
        script = self.root / "cmake/release.sh"
        return subprocess.run(
            (script, "--without-packages", *words), capture_output=True, text=True, check=False
        )

    def test_writes_the_version_the_changes_and_the_tag(self) -> None:
        done = self.release("0.2.0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("VERSION 0.2.0", self.read("CMakeLists.txt"))
        self.assertIn('"0.2.0"', self.read("harness/python_package/pyproject.toml"))
        self.assertRegex(
            self.read("CHANGELOG.md"),
            r"## Not released\n\n## 0\.2\.0, \d{4}-\d\d-\d\d\n\n### Added",
        )
        self.assertEqual(self.git("status", "--porcelain"), "")
        message = self.git("tag", "-l", "--format=%(contents)", "v0.2.0")
        self.assertIn("### Added\n\n- A verb.", message)
        self.assertNotIn("The first.", message)

    def test_notes_hold_one_release_only(self) -> None:
        self.assertEqual(self.release("0.2.0").returncode, 0)
        self.write(
            "CHANGELOG.md", self.read("CHANGELOG.md").replace("released\n", "released\n\n- B.\n", 1)
        )
        self.git("commit", "-qam", "B")
        self.assertEqual(self.release("0.10.0").returncode, 0)
        message = self.git("tag", "-l", "--format=%(contents)", "v0.10.0")
        self.assertIn("- B.", message)
        self.assertNotIn("A verb", message)

    def test_refuses_and_changes_nothing(self) -> None:
        before = self.git("rev-parse", "HEAD")
        for version in ("0.1.0", "0.0.9", "2", "v0.2.0", "0.2.0-rc1"):
            with self.subTest(version):
                self.assertEqual(self.release(version).returncode, 2)
        self.assertEqual(self.release().returncode, 2)
        self.write("new", "")
        refused = self.release("0.2.0")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("has changes", refused.stderr)
        (self.root / "new").unlink()
        self.write("CHANGELOG.md", CHANGES.replace("### Added\n\n- A verb.\n", ""))
        self.git("commit", "-qam", "Nothing to say")
        refused = self.release("0.2.0")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("Not released", refused.stderr)
        self.assertEqual(self.git("tag"), "")
        self.assertEqual(self.git("rev-parse", "HEAD^"), before)


if __name__ == "__main__":
    unittest.main()

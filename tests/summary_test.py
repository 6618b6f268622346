#!/usr/bin/env python3
"""The summary of a run of ctest, held against runs as ctest writes them."""

import contextlib
import io
import os
import pathlib
import tempfile
import unittest
import unittest.mock

import summary

RUN = """<testsuite><testcase name="room.Suite" time="{time}" status="{status}">
<system-out>{output}</system-out></testcase></testsuite>"""
PASSED = "[ RUN      ] Suite.A\n[       OK ] Suite.A (12 ms)\n"
SKIPPED = "[ RUN      ] Suite.B\nb.cpp:3: Skipped\nno corpus\n\n[  SKIPPED ] Suite.B (0 ms)\n"
FAILED = "[ RUN      ] Suite.C\nc.cpp:3: Failure\n[  FAILED  ] Suite.C (1 ms)\n"
WITH_PARAMETER = (
    "[ RUN      ] Suite.D/x\nd.cpp:3: Failure\n"
    "[  FAILED  ] Suite.D/x, where GetParam() = 2 (1 ms)\n"
)
CRASHED = "[ RUN      ] Suite.E\nSegmentation fault"


class Summary(unittest.TestCase):
    def run_on(self, output, status="run", allowed="", ci="", time=1, lanes_more=""):
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder, "tests.xml")
            results.write_text(RUN.format(output=output, status=status, time=time))
            skips = pathlib.Path(folder, "allowed_skips.txt")
            skips.write_text(allowed)
            lanes = pathlib.Path(folder, "lanes.txt")
            lanes.write_text("# Comments.\nslow room.Slow* each\n" + lanes_more)
            said = io.StringIO()
            with (
                unittest.mock.patch.object(summary, "ALLOWED", skips),
                unittest.mock.patch.object(summary, "LANES", lanes),
                unittest.mock.patch.dict(os.environ, {"CI": ci}),
                contextlib.redirect_stdout(said),
            ):
                return summary.main(results), said.getvalue()

    def test_counts_what_passed(self):
        status, said = self.run_on(PASSED)
        self.assertEqual(status, 0)
        self.assertIn("1 tests in 1 suites: 1 passed", said)

    def test_names_a_skip_and_its_reason(self):
        status, said = self.run_on(PASSED + SKIPPED)
        self.assertEqual(status, 0)
        self.assertIn("room.Suite.B: no corpus (on no list)", said)

    def test_in_ci_a_skip_needs_a_line(self):
        self.assertEqual(self.run_on(PASSED + SKIPPED, ci="true")[0], 1)
        status, said = self.run_on(PASSED + SKIPPED, ci="true", allowed="room.Suite.* only here\n")
        self.assertEqual(status, 0)
        self.assertIn("(allowed: only here)", said)

    def test_names_what_failed_and_what_crashed(self):
        for output in (FAILED, WITH_PARAMETER, CRASHED):
            status, said = self.run_on(PASSED + output, status="fail")
            self.assertEqual(status, 1)
            self.assertIn("  room." + output.split()[3], said)
        self.assertIn("1 crashed", said)

    def test_reads_what_pytest_says(self):
        said = self.run_on(
            "tests/x/test_a.py::test_b PASSED   [ 50%]\n"
            "tests/x/test_a.py::test_c[1] SKIPPED (no network)  [100%]\n"
        )[1]
        self.assertIn("room.test_a.test_c[1]: no network", said)
        self.assertIn("2 tests in 1 suites: 1 passed, 1 skipped", said)

    def test_a_suite_that_fails_without_a_test_counts(self):
        status, said = self.run_on(PASSED, status="fail")
        self.assertEqual(status, 1)
        self.assertIn("  room.Suite\n", said)

    def test_names_a_slow_suite_of_the_fast_lane(self):
        self.assertIn("room.Suite took 9.0 s", self.run_on(PASSED, time=9)[1])
        self.assertNotIn("took", self.run_on(PASSED, time=9, lanes_more="slow room.Su*\n")[1])


if __name__ == "__main__":
    unittest.main()

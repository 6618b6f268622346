#!/usr/bin/env python3
"""Says what came of a run of ctest: counts, failed, skipped and slow tests by name.

    tests/summary.py RESULTS.xml

RESULTS.xml is what ctest --output-junit wrote. A test of ctest is a suite of
GoogleTest; its output names the tests. Ends with status 1 where a test failed or,
with CI=true, where one was skipped that tests/allowed_skips.txt does not allow.
"""

import fnmatch
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

# A suite of the lane `fast` that takes longer belongs into another.
FAST_SUITE_SECONDS = 3.0
ALLOWED = pathlib.Path(__file__).parent / "allowed_skips.txt"
LANES = pathlib.Path(__file__).parent / "lanes.txt"
PYTEST = re.compile(r"^\S*?([^/ ]+)\.py::(\S+) (PASSED|FAILED|SKIPPED|ERROR)(?: \((.*)\))?")
MARK = re.compile(r"^\[ +(RUN|OK|FAILED|SKIPPED) +\] ([^ ,]+?)(?:,.*)?(?: \((\d+) ms\))?$")


class Case:
    def __init__(self, name, outcome="crashed", seconds=0.0, said=""):
        self.name, self.outcome, self.seconds, self.said = name, outcome, seconds, said


def cases_of_googletest(prefix, output):
    """Each test that a suite's output names; one that began and never ended crashed."""
    case, said = None, []
    for line in output.splitlines():
        mark = MARK.match(line)
        if mark and mark[1] == "RUN":
            if case:
                yield case
            case, said = Case(prefix + "." + mark[2]), []
        elif mark and case and case.name == prefix + "." + mark[2]:
            case.outcome = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}[mark[1]]
            case.seconds = int(mark[3] or 0) / 1000
            case.said = " ".join(text for text in said if not text.endswith(": Skipped")).strip()
            yield case
            case = None
        else:
            said.append(line)
    if case:
        yield case


def cases_of_pytest(prefix, output):
    for line in output.splitlines():
        if found := PYTEST.match(line):
            outcome = {"PASSED": "passed", "SKIPPED": "skipped"}.get(found[3], "failed")
            yield Case(f"{prefix}.{found[1]}.{found[2]}", outcome, 0.0, found[4] or "")


def cases_of(test):
    """The tests that one <testcase> of ctest stands for."""
    name, status = test.get("name"), test.get("status")
    output = test.findtext("system-out") or ""
    prefix = name.split(".")[0]
    cases = [*cases_of_googletest(prefix, output), *cases_of_pytest(prefix, output)]
    ended_badly = status == "fail" and not any(c.outcome in ("failed", "crashed") for c in cases)
    if ended_badly or not cases:
        outcome = {"run": "passed", "fail": "failed"}.get(status, "skipped")
        cases.append(Case(name, outcome, float(test.get("time") or 0), output.strip()[-200:]))
    return cases


def lines_of(path):
    """The words of each line, the last with all that follows."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]


def lane_of(name):
    fitting = (
        lane for lane, pattern in lines_of(LANES) if fnmatch.fnmatchcase(name, pattern.split()[0])
    )
    return next(fitting, "fast")


def main(path):
    tests = list(xml.etree.ElementTree.parse(path).getroot().iter("testcase"))
    cases = [case for test in tests for case in cases_of(test)]
    by_outcome = {
        outcome: [case for case in cases if case.outcome == outcome]
        for outcome in ("passed", "failed", "crashed", "skipped")
    }

    slowest = sorted(cases, key=lambda case: -case.seconds)[:5]
    print("\nThe slowest: " + ", ".join(f"{case.name} {case.seconds:.1f} s" for case in slowest))
    for test in tests:
        seconds = float(test.get("time") or 0)
        if seconds > FAST_SUITE_SECONDS and lane_of(test.get("name")) == "fast":
            print(
                f"Slow for the lane 'fast': {test.get('name')} took {seconds:.1f} s; name it in "
                f"{LANES.name} where it always does"
            )

    allowed = lines_of(ALLOWED)
    unexpected = []
    if by_outcome["skipped"]:
        print(f"\n{len(by_outcome['skipped'])} skipped:")
    for case in by_outcome["skipped"]:
        reason = next(
            (reason for pattern, reason in allowed if fnmatch.fnmatchcase(case.name, pattern)), None
        )
        if reason is None:
            unexpected.append(case)
        print(
            f"  {case.name}: {case.said or 'no reason'}"
            + (f" (allowed: {reason})" if reason else " (on no list)")
        )
    for outcome in ("failed", "crashed"):
        if by_outcome[outcome]:
            print(f"\n{len(by_outcome[outcome])} {outcome}:")
        for case in by_outcome[outcome]:
            print(f"  {case.name}")

    counts = ", ".join(f"{len(some)} {outcome}" for outcome, some in by_outcome.items() if some)
    print(f"\n{len(cases)} tests in {len(tests)} suites: {counts}")
    broken = bool(by_outcome["failed"] or by_outcome["crashed"]) or not tests
    if not tests:
        print("Nothing ran.")
    if unexpected and os.environ.get("CI") == "true":
        print(
            f"In CI each skip needs a line with a reason in {ALLOWED.name}: "
            f"{len(unexpected)} have none."
        )
        broken = True
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

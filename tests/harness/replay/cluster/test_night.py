"""A night whose executions a cluster takes over reports what one machine reports."""

import json
import shutil

import pytest
from conftest import BINARIES

PARTS = 6
NIGHT = ("--primitive", "add", "sin", "--platform", "cpu", "--mode", "graph", "eager",
         "--today", "2026-11-02", "--format", "json")  # fmt: skip
# Fields that differ between runs, or between one machine and a cluster.
TIMES = ("run", "command_line", "started", "seconds", "phases")


def report(done):
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    for field in TIMES:
        del answer[field]
    for pair in answer["pairs"]:
        del pair["seconds"]
    return answer


@pytest.fixture
def expected(archive, vintage):
    """The report of one machine about a copy, under the archive's own name."""
    copy = archive.with_name("kept")
    shutil.copytree(archive, copy)
    answer = report(vintage("nightly", "--archive", archive, *NIGHT))
    shutil.rmtree(archive)
    copy.rename(archive)
    assert len(answer["pairs"]) > 200
    assert answer["accuracy"]
    return answer


def test_the_parts_report_what_one_machine_reports(cluster, archive, expected, vintage):
    answer = report(vintage("nightly", "--archive", archive, *NIGHT, "--slurm", PARTS))
    assert answer == expected
    assert list((archive / "cluster").iterdir()) == []
    # The outcomes are the night's own, so that its tables are made from them.
    assert (archive / "reports" / "2026-11-02" / "limitations.md").is_file()


@pytest.fixture
def here_only(tmp_path):
    """A worker that starts on this machine and in no task of the cluster."""
    worker = tmp_path / "worker"
    worker.write_text('#!/bin/sh\n[ -z "$SLURM_ARRAY_TASK_ID" ] || exit 7\n'
                      f'exec {BINARIES / "vintage-worker"} "$@"\n')  # fmt: skip
    worker.chmod(0o755)
    return worker


def test_what_a_broken_consumer_did_before_stands_for_nothing(cluster, archive, vintage, here_only):
    """Outcomes of an earlier night must not stand for those that a consumer no longer gives."""
    added = vintage("builds", "add", "--archive", archive, "--name", "lame", "--date", "2026-11-01",
                    "--", here_only)  # fmt: skip
    assert added.returncode == 0, added.stderr
    here = json.loads(vintage("nightly", "--archive", archive, *NIGHT).stdout)
    assert any(pair["build"] == "lame" for pair in here["pairs"])
    done = vintage("nightly", "--archive", archive, *NIGHT, "--slurm", 2)
    assert done.returncode == 3, done.stderr
    there = json.loads(done.stdout)
    assert there["verdict"] == "cannot tell"
    assert [pair for pair in there["pairs"] if pair["build"] == "lame"] == []
    assert len([text for text in there["breakages"] if "lame" in text]) == 1, there["breakages"]


def test_a_night_whose_own_engine_starts_in_no_task(cluster, archive, vintage, here_only):
    done = vintage("nightly", "--archive", archive, *NIGHT, "--worker", here_only, "--slurm", 2,
                   "--attempts", 2)  # fmt: skip
    assert done.returncode == 3
    assert "was submitted 2 times and wrote no result" in done.stderr
    assert "status 7" in done.stderr


def test_a_part_by_itself(archive, vintage, tmp_path):
    own, answer = tmp_path / "part", tmp_path / "part.json"
    done = vintage("nightly", "--archive", archive, *NIGHT, "--no-export", "--shard", "2/3",
                   "--apart", own, "--out", answer)  # fmt: skip
    assert done.returncode in (0, 3), done.stderr
    part = json.loads(answer.read_text())
    assert part["kind"] == "nightly part"
    whole = vintage("list", "--archive", archive, "--count")
    kept = vintage("list", "--archive", own, "--count")
    assert 0 < int(kept.stdout.split()[0]) < int(whole.stdout.split()[0])


def test_wrong_calls(archive, vintage, tmp_path):
    for words in (("--shard", "1/2"), ("--no-export", "--shard", "1/2"),
                  ("--no-export", "--shard", "3/2", "--apart", tmp_path / "p", "--out", "o"),
                  ("--no-export", "--shard", "1/2", "--apart", tmp_path / "p", "--out", "o",
                   "--slurm", 2),
                  ("--partition", "main")):  # fmt: skip
        assert vintage("nightly", "--archive", archive, *words).returncode == 2, words

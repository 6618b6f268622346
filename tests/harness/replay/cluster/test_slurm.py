"""Windows in parts on a real cluster give the report of one machine, whatever the cluster loses."""

import json
import shutil
import subprocess

import pytest
from conftest import BINARIES
from local_slurm import NODES

PARTS = 12
DAY = ("--today", "2026-11-02", "--scope", "cpu", "backward", "--rerun")


@pytest.fixture
def expected(archive, vintage):
    """The report of one machine about a copy, under the archive's own name."""
    copy = archive.with_name("kept")
    shutil.copytree(archive, copy)
    done = vintage("window", "--archive", archive, *DAY, "--format", "json")
    assert done.returncode == 0, done.stderr
    shutil.rmtree(archive)
    copy.rename(archive)
    assert json.loads(done.stdout)["ran"] > 100
    return done.stdout


def jobs(cluster):
    """How many jobs this cluster has had."""
    text = cluster.ask("scontrol", "show", "job", "--oneliner")
    return len({word for word in text.split() if word.startswith("ArrayJobId=")})


def start(cluster, archive, *more):
    command = [BINARIES / "vintage", "window", "--archive", archive, *DAY, "--slurm", str(PARTS),
               "--format", "json", *more]  # fmt: skip
    return subprocess.Popen(command, env=cluster.environment, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)  # fmt: skip


def waiting(cluster):
    return cluster.ask("squeue", "-h", "-r", "-t", "PENDING", "-o", "%i").split()


def running_on(cluster, node):
    return cluster.ask("squeue", "-h", "-r", "-t", "RUNNING", "-w", node, "-o", "%i").split()


def test_the_parts_say_what_one_machine_says(cluster, archive, expected, vintage):
    done = vintage("window", "--archive", archive, *DAY, "--slurm", PARTS, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected
    # The archive has what they recorded, and nothing is left of the parts.
    assert list((archive / "cluster").iterdir()) == []
    again = vintage("window", "--archive", archive, *DAY[:-1], "--plan", "--format", "json")
    assert json.loads(again.stdout)["to_run"] == 0


def test_tasks_that_are_cancelled_are_submitted_again(cluster, archive, expected):
    before = jobs(cluster)
    window = start(cluster, archive)
    cluster.wait_for(lambda: len(waiting(cluster)) >= PARTS - 2 * NODES)
    cluster.ask("scancel", *waiting(cluster)[-2:])
    out, err = window.communicate()
    assert window.returncode == 0, err
    assert out == expected
    assert jobs(cluster) - before >= 2


def test_a_node_that_is_lost_loses_nothing(cluster, archive, expected):
    window = start(cluster, archive)
    cluster.wait_for(lambda: running_on(cluster, "n2"))
    cluster.nodes[1].kill()
    cluster.nodes[1].wait()
    cluster.ask("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=killed by a test")
    out, err = window.communicate()
    cluster.nodes[1] = cluster.start_node(2)
    cluster.ask("scontrol", "update", "NodeName=n2", "State=RESUME")
    assert window.returncode == 0, err
    assert out == expected


def test_a_call_that_was_broken_off_goes_on(cluster, archive, expected):
    before = jobs(cluster)
    window = start(cluster, archive)
    cluster.wait_for(lambda: jobs(cluster) > before)
    cluster.wait_for(lambda: list(archive.glob("cluster/*/submitted.json")))
    window.kill()
    window.communicate()
    out, err = start(cluster, archive).communicate()
    assert out == expected, err
    assert jobs(cluster) - before == 1


def test_what_the_scheduler_refuses_is_said(archive, vintage):
    done = vintage("window", "--archive", archive, *DAY, "--slurm", 2, "--partition", "nowhere")
    assert done.returncode == 3
    assert "sbatch refuses the job" in done.stderr
    assert "invalid partition" in done.stderr.lower()


def test_a_part_that_always_fails_is_named_with_what_it_printed(archive, vintage):
    done = vintage("window", "--archive", archive, *DAY, "--slurm", 2, "--attempts", 2,
                   "--consumer", "nobody")  # fmt: skip
    assert done.returncode == 3
    assert "of 2 was submitted 2 times and wrote no result" in done.stderr
    assert "nobody" in done.stderr


def test_wrong_calls(archive, vintage):
    for words in (("--slurm", 2, "--shard", "1/2"), ("--slurm", 2, "--plan"), ("--slurm", 0),
                  ("--partition", "main"), ("--apart", "x")):  # fmt: skip
        assert vintage("window", "--archive", archive, *words).returncode == 2, words

"""A comparison that took everything for the same would show an engine without a fault."""

SAME = {
    "15 epsilons",
    "15 epsilons of float64",
    "a small element beside a large one",
    "two NaNs",
    "a denormal for zero",
    "equal keys in another order",
    "places of equal values",
}


def test_what_counts_as_the_same(newest):
    done = newest.run("comparisons.py")
    assert done.returncode == 0, done.stderr
    found = dict(line.rsplit(": ", 1) for line in done.stdout.splitlines())
    assert len(found) == 22
    assert {name for name, said in found.items() if said == "same"} == SAME

"""The common part of the producers: the choice of cases, and the journal."""

from dataclasses import dataclass

import pytest

from vintage_python.failure import UsageFailure
from vintage_python.producing import Journal, matching, part_of, patterns_of, summary, table_of


@dataclass(frozen=True)
class Case:
    name: str
    primitive: str
    variant: str = "static"


CASES = [Case("a_f32", "add"), Case("a_bf16", "add_any"), Case("b", "mul", "poly")]


def chosen(*filters):
    return [case.name for case in matching(CASES, patterns_of(filters))]


def test_each_given_field_has_to_fit_one_of_its_patterns():
    assert chosen() == ["a_f32", "a_bf16", "b"]
    assert chosen("primitive=add*") == ["a_f32", "a_bf16"]
    assert chosen("primitive=add", "primitive=mul") == ["a_f32", "b"]
    assert chosen("primitive=add*", "name=*16") == ["a_bf16"]
    assert chosen("variant=vjp") == []


@pytest.mark.parametrize("text", ["primitive", "dtype=f32", "=x"])
def test_a_filter_that_names_no_field_is_refused(text):
    with pytest.raises(UsageFailure, match="name, primitive, variant"):
        patterns_of([text])


def test_a_part_is_one_of_several():
    assert part_of("1/1") == (0, 1)
    assert part_of("2/3") == (1, 3)
    for text in ("0/3", "4/3", "1", "a/b", "1/0"):
        with pytest.raises(UsageFailure, match="1/4 is the first of four parts"):
            part_of(text)


def test_what_ended_its_process_counts_as_refused(tmp_path):
    line = {"primitive": "add", "variant": "static", "platforms": ["cpu"], "mode": "default"}
    journal = Journal(tmp_path)
    journal.add(line | {"name": "a"}, "started")
    journal.add(line | {"name": "b"}, "exported", golden="recorded")
    whole = summary(Journal(tmp_path).lines)
    assert (whole["exported"], whole["refused"]) == (1, 1)
    assert "the process ended at it" in table_of(whole, "TensorFlow")

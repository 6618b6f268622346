"""Runs the examples of a page of JAX's documentation, each code block after the one before it.

Prints what each printed, as JSON: [{"line", "source", "want", "got", "right"}].
"""

import doctest
import json
import pathlib
import sys
import textwrap

import jax.numpy as jnp
import numpy as np

import jax

PAGE = pathlib.Path(sys.argv[1])
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Runner(doctest.DocTestRunner):
    def __init__(self):
        super().__init__(verbose=False, optionflags=FLAGS)
        self.examples = []

    def note(self, example, got, right):
        if got.startswith("Traceback"):
            got = "raises\n"  # The trace names files, and the runtime says why in its own words.
        self.examples.append({"line": example.lineno + 1, "source": example.source,
                              "want": example.want, "got": got, "right": right})  # fmt: skip

    def report_success(self, out, test, example, got):
        self.note(example, got, True)

    def report_failure(self, out, test, example, got):
        self.note(example, got, False)

    def report_unexpected_exception(self, out, test, example, exc_info):
        self.note(example, "raises\n", False)


def examples_of(page):
    """The page with all but its code blocks left empty, so that lines keep their numbers."""
    lines, inside = [], False
    for line in page.read_text().splitlines():
        if line.strip().startswith("```"):
            inside = line.strip() != "```" if not inside else False
            lines.append("")
        else:
            lines.append(line if inside else "")
    return textwrap.dedent("\n".join(lines)) + "\n"


# The page's own prelude, which its rendered form does not show.
names = {"jax": jax, "jnp": jnp, "np": np}
runner = Runner()
runner.run(doctest.DocTestParser().get_doctest(examples_of(PAGE), names, PAGE.name, str(PAGE), 0))
print(json.dumps(runner.examples))

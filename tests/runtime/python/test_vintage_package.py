"""vintage.save, load and check with real JAX; the page docs/howto/python.md."""

import pytest
from conftest import PACKAGE, REPOSITORY, run

RELEASES = ["0.4.30", "0.10.2"]

ROUND_TRIP = """
import jax, jax.numpy as jnp, numpy as np, vintage

def model(state, key, unused, scale):
    noise = jax.random.normal(key, (3,))
    return {"half": (state["x"] * scale).astype(jnp.bfloat16), "flag": state["x"] > 0}, noise

# 0.4.30 serializes no typed keys.
key = (jax.random.key if jax.__version_info__ > (0, 5) else jax.random.PRNGKey)(7)
arguments = ({"x": jnp.arange(3.0), "n": np.int8(2)}, key, jnp.ones((2, 2)))
kept = vintage.save(model, *arguments, scale=2.0, archive="A", name="mine")
assert kept.new and kept.outputs_from == "given", kept
assert not vintage.save(model, *arguments, scale=2.0, archive="A", name="mine").new
again = vintage.load("mine", archive="A")
assert again.id == kept.id and again.producer == f"jax {jax.__version__}"
assert [array.dtype.name for array in again.outputs] == ["bool", "bfloat16", "float32"], again
assert again.outputs[1].tolist() == [0, 2, 4]
found, noise = again.call(*arguments, scale=2.0)
assert np.array_equal(noise, again.outputs[2]) and again.inputs[2].dtype == "uint32"
args, kwargs = again.arguments
assert np.array_equal(again.call(*args, **kwargs)[1], noise)
report = vintage.check("A")
assert report.verdict == "holds" and len(report.pairs) == 1, report
assert report.build == f"jax-{jax.__version__}", report
"""

SHAPES = """
import jax, jax.numpy as jnp, vintage
from jax import export
shape = jax.ShapeDtypeStruct(export.symbolic_shape("b, 3"), jnp.float32)
exported = export.export(jax.jit(lambda x: x.sum(axis=0)))(shape)
kept = vintage.save(exported, shape, archive="A", name="sum")
assert kept.inputs_from.startswith("made here, with b = "), kept
assert "engine" in kept.outputs_from
vintage.check("A").raise_for_failures()
"""

WRONG = """
import vintage
try:
    vintage.save(3, archive="A", build_date="2025-01-01")
except TypeError as error:
    assert "neither a jax.export.Exported nor a function" in str(error)
else:
    raise SystemExit("a number was kept")
# Values that the program does not take gave way to made ones without a word.
import jax, jax.numpy as jnp
from jax import export
static = jax.jit(lambda x, n: x.reshape(n), static_argnums=1)
exported = export.export(static)(jnp.ones(4), (2, 2))
for function, arguments in ((static, (jnp.ones(4), (2, 2))), (exported, (jnp.ones(4), 3))):
    try:
        vintage.save(function, *arguments, archive="A", build_date="2025-01-01")
    except TypeError as error:
        assert "the exported program takes 1" in str(error), error
    else:
        raise SystemExit("arguments were dropped")
for build in ("engine", None):
    try:
        vintage.check("nowhere", build)
    except vintage.VintageError as error:
        assert error.status == 2 and "there is no such folder" in str(error), (error.status, error)
    else:
        raise SystemExit("an archive that is not there was checked")
"""


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("program", [ROUND_TRIP, SHAPES, WRONG], ids=["all", "shapes", "wrong"])
def test_what_is_saved_is_given_back_and_checked(in_python, release, program):
    done = in_python(release, "-c", program)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_examples_of_the_page_are_what_happens(in_python):
    page = REPOSITORY / "docs/howto/python.md"
    check = (
        "import doctest, sys; failed, tried = doctest.testfile(sys.argv[1], module_relative=False, "
        "optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL); "
        "sys.exit(failed or tried < 10)"
    )
    done = in_python(RELEASES[-1], "-c", check, page)
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_the_program_it_says_what_to_install(in_python):
    done = in_python(RELEASES[0], "-m", "vintage.command", "--version", PATH="/nowhere")
    assert done.returncode == 3
    assert "install a wheel that holds it" in done.stderr


def test_the_command_becomes_the_program(in_python):
    done = in_python(RELEASES[0], "-m", "vintage.command", "list")
    assert done.returncode == 2
    assert "--archive" in done.stderr
    assert in_python(RELEASES[0], "-m", "vintage.command", "--version").returncode == 0


def test_the_package_is_typed(in_python, python_with, tmp_path):
    checker = ("-m", "mypy", "--cache-dir", tmp_path / "cache", "--config-file")
    checked = run([python_with(RELEASES[-1]), *checker, PACKAGE / "pyproject.toml"], cwd=PACKAGE)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    # And its users see the types.
    (tmp_path / "user.py").write_text("import vintage\nx: int = vintage.check('A').verdict\n")
    user = in_python(RELEASES[-1], *checker[:-1], "user.py", MYPYPATH=str(PACKAGE))
    assert 'expression has type "str", variable has type "int"' in user.stdout, user.stdout

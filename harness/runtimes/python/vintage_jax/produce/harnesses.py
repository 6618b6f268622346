"""JAX's own primitive harnesses as cases."""

import importlib
import importlib.util
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from vintage_jax.produce.case import Case, Prepared
from vintage_python.failure import Failure

_MODULE = "jax._src.internal_test_util.test_harnesses"
_FILE = Path("jax/_src/internal_test_util/test_harnesses.py")


def load_harnesses(file: Path | None, environment: Path | None) -> tuple[ModuleType, str]:
    """The module that holds them, and where it is from: the release itself, a file that was
    named, or the nearest release that lies beside this one."""
    if file is None:
        try:
            return importlib.import_module(_MODULE), "the release"
        except ModuleNotFoundError as problem:
            if problem.name not in (_MODULE, _MODULE.rpartition(".")[0]):
                raise Failure(f"JAX's harnesses need {problem.name}, which is missing") from problem
        file = _neighbour(environment)
    specification = importlib.util.spec_from_file_location("vintage_neighbour_harnesses", file)
    if specification is None or specification.loader is None or not file.is_file():
        raise Failure(f"{file} is no file of JAX's harnesses (test_harnesses.py)")
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except Exception as problem:
        raise Failure(f"{file} does not load in this release: {problem}") from problem
    return module, str(file)


def _neighbour(environment: Path | None) -> Path:
    from vintage_jax.release import JAX
    from vintage_python.environment.record import read_environment
    from vintage_python.environment.releases import Version, parse_version

    hint = (
        "the wheel of this release has no harnesses; name another release's test_harnesses.py "
        "with --harness-file, or make an environment of a neighbouring release"
    )
    if environment is None:
        raise Failure(hint)
    own = parse_version(read_environment(JAX, environment)["release"])
    found: list[tuple[Version, Path]] = []
    for record in environment.resolve().parent.glob("*/environment.json"):
        neighbour = read_environment(JAX, record.parent)
        for path in record.parent.glob(f"lib/python3*/site-packages/{_FILE}"):
            found.append((parse_version(neighbour["release"]), path))
    if not found:
        raise Failure(hint)
    # The newest of those before it, else the oldest of those after.
    before = [each for each in found if each[0] < own]
    return max(before)[1] if before else min(found)[1]


def harness_cases(module: ModuleType) -> Iterator[Case]:
    # JAX makes its harnesses from sets, in another order in each process; a sample of them is
    # to be the same in each.
    for harness in sorted(module.all_harnesses, key=lambda harness: str(harness.fullname)):
        yield Case(
            name=f"jax:{harness.fullname}",
            # The group is the primitive's name but for a few spellings.
            primitive=str(harness.group_name).replace("-", "_"),
            prepare=partial(_prepare, harness),
            harness=harness.fullname,
            unimplemented=partial(_unimplemented, harness),
        )


def _unimplemented(harness: Any, platform: str) -> bool:
    device = {"cuda": "gpu", "rocm": "gpu"}.get(platform, platform)
    return not harness.filter(device)


def _prepare(harness: Any) -> Prepared:
    import numpy as np

    arguments = harness.dyn_args_maker(np.random.RandomState(0))
    return Prepared(harness.dyn_fun, tuple(arguments))

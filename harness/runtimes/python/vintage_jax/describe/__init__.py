"""Asks the JAX of this interpreter what it is (docs/gate/registry.md)."""

import argparse
import re
from pathlib import Path
from typing import Any

from vintage_jax import release
from vintage_jax.describe.targets import registered_targets
from vintage_jax.produce.case import PLATFORMS
from vintage_python.environment.record import read_environment
from vintage_python.failure import Failure
from vintage_python.programs import Options, day_of, described


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jax-released", default="", help="the day of jax, if another")
    parser.add_argument("--environment", type=Path, help="whose record names those days")
    parser.add_argument(
        "--emitted", action="store_true",
        help="also lower JAX's harnesses for each platform in each mode, to see which targets they "
             "call; takes minutes")  # fmt: skip
    parser.add_argument(
        "--dialects", action="store_true",
        help="also name the operations, types and attributes of StableHLO, VHLO, CHLO and Shardy "
             "that it knows (docs/howto/following_stablehlo.md)")  # fmt: skip
    parser.add_argument(
        "--platform", nargs="+", choices=PLATFORMS, default=list(PLATFORMS),
        help="with --emitted: only for these; of the others nothing is known then")  # fmt: skip
    parser.add_argument("--harness-file", type=Path, help="another release's test_harnesses.py")


def describe(options: Options) -> dict[str, Any]:
    released, jax_released = options.released, options.jax_released
    record: dict[str, Any] = {}
    if options.environment:
        record = read_environment(release.JAX, options.environment)
        released = record["runtime"]["released"]
        jax_released = jax_released or record.get("jax_released", "")
    day_of(jax_released, "--jax-released")
    if options.emitted and record:
        from vintage_jax.describe.plugins import add_plugins

        add_plugins(options.platform, record)
    runtime = _release(released)
    if options.emitted:
        runtime["exporter_released"] = jax_released or runtime["released"]
        runtime |= _emitted(options)
    if options.dialects:
        from vintage_jax.describe.dialects import dialects

        runtime["dialects"] = dialects()
    return runtime


def _emitted(options: Options) -> dict[str, Any]:
    from vintage_jax.describe.emission.cases import emission_cases
    from vintage_jax.describe.emission.collect import Emission

    cases, source = emission_cases(options.harness_file, options.environment)
    emission = Emission(options.platform)
    emission.collect(cases)
    _, registries = registered_targets()
    return emission.described() | {"registries": registries, "harnesses_of": source}


def nightly_day() -> str:
    """When jaxlib was built, where its version says it: that of a nightly build does. Times of
    installed files say when they were installed."""
    import jaxlib.version

    match = re.search(r"\.dev(20\d\d)(\d\d)(\d\d)", jaxlib.version.__version__)
    return "-".join(match.groups()) if match else ""


def _serialization(exported: Any) -> dict[str, Any]:
    """Nothing where the release has no serialized form of an Exported yet."""
    newest = release.newest_serialization()
    if newest == 0:
        return {}
    data = release.serialize(exported, 0)
    versions: dict[str, Any] = {
        "oldest": release.oldest_serialization(newest),
        "newest": newest,
        "default": newest,
        "number": release.written_serialization(data),
    }
    if not release.refuses_newer_serialization(data):
        versions["refuses_newer"] = False
    return {"serialization": versions}


def _release(released: str) -> dict[str, Any]:
    jax = release.load_jax()
    import jaxlib
    import numpy
    from jax._src import lib
    from jax._src.lib import xla_client
    from jaxlib.mlir.dialects import stablehlo

    if not jax.devices("cpu"):  # XLA's registry is complete after the first use.
        raise Failure("this JAX has no device of the CPU")
    oldest, newest = release.calling_conventions()
    export = release.export_module().export
    exported = export(jax.jit(lambda x: x))(numpy.zeros(2, numpy.float32))
    built = nightly_day()
    day = released or built
    if not day:
        raise Failure(
            f"nothing says when jaxlib {jaxlib.__version__} was built; say it with "
            "--released YYYY-MM-DD (vintage builds add: --date)"
        )
    packages: dict[str, Any] = {"jax": jax.__version__, "jaxlib": jaxlib.__version__}
    minimum = getattr(jax.version, "_minimum_jaxlib_version", "")
    if minimum:
        packages["minimum_jaxlib"] = minimum
    extension = getattr(lib, "jaxlib_extension_version", getattr(xla_client, "_version", None))
    if extension is not None:
        packages["extension_version"] = extension
    targets, _ = registered_targets()
    return described(
        release.JAX, jax.__version__, day,
        build_date=min(built or day, day),
        targets=targets,
        stable_targets=[{"name": name} for name in release.guaranteed_targets()],
        calling_convention={
            "oldest": oldest, "newest": newest, "default": release.calling_convention_of(exported)
        },
        **_serialization(exported),
        stablehlo={
            "oldest": stablehlo.get_minimum_version(),
            "newest": stablehlo.get_current_version(),
            "target": release.stablehlo_of(exported.mlir_module_serialized),
        },
        packages=packages,
    )  # fmt: skip

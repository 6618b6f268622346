"""The command line of `fetch`: plugins' wheels, unpacked among all packages."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from vintage_python.environment.command import add_choice_options, make_releases
from vintage_python.failure import UsageFailure, run_program
from vintage_python.framework import Framework

_PROGRAM = "vintage_pjrt fetch"


def plugin_package(project: str) -> Framework:
    """The releases of a package are those of a plugin."""
    folder = Path(__file__).resolve().parent
    return Framework(project, project, folder, project, example="0.0.1, 0.8..0.12", alone=True)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM, description="Unpacks plugins' wheels and says where their libraries lie."
    )
    parser.add_argument(
        "package", metavar="PACKAGE==VERSION", help="also a range of versions, 0.0.30..0.0.52"
    )
    parser.add_argument("--again", type=Path, metavar="PLACE", help="by its recipe")
    add_choice_options(parser, plugin_package("plugin"))
    options = parser.parse_args(arguments)
    options.lock = options.python = None

    def run() -> int:
        project, _, version = options.package.partition("==")
        if not project or not (version or options.again):
            raise UsageFailure(
                f"'{options.package}' is no PACKAGE==VERSION; xla-cpu-pjrt==0.0.1 is, and "
                "libtpu==0.0.30.. for a range"
            )
        options.releases = [version]
        return make_releases(plugin_package(project), options)

    return run_program(_PROGRAM, run)

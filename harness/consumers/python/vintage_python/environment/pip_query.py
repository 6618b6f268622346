"""Runs inside an interpreter that has pip: asks pip's own index, with pip's own
settings, certificates and credentials, for the files of some projects.

    python pip_query.py PROJECT…    prints {"PROJECT": [file…]}

It is started by its path and imports nothing of this package.
"""

import json
import sys
from typing import Any


def main() -> int:
    from pip._internal.commands import create_command

    # Private to pip, and there since pip 18: what else knows its settings and credentials?
    command: Any = create_command("download")
    options, _ = command.parse_args([])
    session = command._build_session(options)
    indexes = [] if options.no_index else [options.index_url, *options.extra_index_urls]
    found: dict[str, list[object]] = {}
    for project in sys.argv[1:]:
        files = []
        for index in indexes:
            answer = session.get(
                f"{index.rstrip('/')}/{project}/",
                headers={"Accept": "application/vnd.pypi.simple.v1+json"},
            )
            if answer.status_code == 404:
                continue
            answer.raise_for_status()
            if "json" not in answer.headers.get("Content-Type", ""):
                raise SystemExit(f"the index answers for {project} without its JSON form")
            files += answer.json()["files"]
        found[project] = files
    json.dump(found, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())

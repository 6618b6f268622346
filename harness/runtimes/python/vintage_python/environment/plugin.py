"""PJRT plugins among packages."""

import os
from pathlib import Path

from vintage_python.failure import Failure

_ENTRY = b"\0GetPjrtApi\0"  # As a library's table of names holds what it exports.


def library_in(content: Path) -> Path:
    """The one library of a package that is a PJRT plugin."""
    files = (Path(folder) / name for folder, _, names in os.walk(content) for name in names)
    libraries = sorted(path for path in files if ".so" in path.name)
    found = [path for path in libraries if _ENTRY in path.read_bytes()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Failure(f"{content}: no library in this package exports GetPjrtApi")
    names = ", ".join(str(path.relative_to(content)) for path in found)
    raise Failure(
        f"{content}: several libraries export GetPjrtApi; name one of them as a file: {names}"
    )

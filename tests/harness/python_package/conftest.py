"""The package as it lies in the repository, with the program that was built."""

import os
import sys
from pathlib import Path

BINARIES = Path(os.environ.get("VINTAGE_BINARY", "build/release/bin")).resolve()
PACKAGE = Path(__file__).resolve().parents[3] / "harness/python_package"
STAND_IN = Path(__file__).resolve().parent / "stand_in"

sys.path.insert(0, str(PACKAGE))
os.environ["PATH"] = f"{BINARIES}{os.pathsep}{os.environ['PATH']}"

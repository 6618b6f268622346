"""Tests of the code that all consumers share, without any of their frameworks."""

import importlib.util
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "harness/runtimes/python"))

if importlib.util.find_spec("numpy") is None:
    collect_ignore = [
        f"test_{what}.py"
        for what in (
            "exported",
            "main_type",
            "saved_model",
            "seeded_inputs",
            "tensorflow_messages",
            "unregistered_types",
        )
    ]

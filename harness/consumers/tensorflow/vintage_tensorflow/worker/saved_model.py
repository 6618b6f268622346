"""Runs the signature of a SavedModel."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vintage_python.worker.elements import Array
from vintage_python.worker.outcome import Progress, UnsupportedError
from vintage_tensorflow.saved_model import SIGNATURE, unpack
from vintage_tensorflow.worker.call_module import tensor


def run_saved_model(
    artifact: bytes, inputs: Sequence[Array], mode: str, progress: Progress
) -> list[Array]:
    import tensorflow as tf

    if mode == "eager":
        raise UnsupportedError("a SavedModel holds graphs, which have no mode eager")
    with progress.timed("load", "load"), tempfile.TemporaryDirectory() as folder:
        loaded = tf.saved_model.load(str(unpack(artifact, Path(folder))))
        signature = _signature(loaded)
        names = sorted(signature.structured_input_signature[1])
        if len(names) != len(inputs):
            raise ValueError(
                f"{len(inputs)} inputs came, and the signature {SIGNATURE} takes {', '.join(names)}"
            )
        arguments = [tensor(each) for each in inputs]

    def call(*tensors: Any) -> list[Any]:
        outputs = signature(**dict(zip(names, tensors, strict=True)))
        return [outputs[name] for name in sorted(outputs)]

    function = tf.function(call, autograph=False, jit_compile=mode == "compiled")
    with progress.timed("verify", "compile"):
        runs = function.get_concrete_function(*arguments)
    with progress.timed("compile" if mode == "compiled" else "run", "run"):
        return [each.numpy() for each in runs(*arguments)]


def _signature(loaded: Any) -> Any:
    """The one that serves; where a model has another one only, that."""
    signatures = dict(loaded.signatures)
    if SIGNATURE in signatures:
        return signatures[SIGNATURE]
    if len(signatures) == 1:
        return next(iter(signatures.values()))
    raise ValueError(
        f"the SavedModel has the signatures {', '.join(sorted(signatures)) or 'of nothing'}; "
        f"{SIGNATURE} is called"
    )

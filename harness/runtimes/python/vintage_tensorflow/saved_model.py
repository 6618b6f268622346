"""A SavedModel's folder as one file, and its signature as it runs (docs/howto/runtimes.md).

The file is a tar of the folder's files, sorted by name. The same model gives the same bytes:
no times, no owners, and not `fingerprint.pb`, which holds a number drawn at random.
"""

from __future__ import annotations

import base64
import binascii
import io
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from vintage_python.worker.elements import Array
from vintage_python.worker.outcome import Progress, UnsupportedError
from vintage_tensorflow.worker.call_module import tensor

MODEL = "saved_model.pb"
SIGNATURE = "serving_default"  # Which of a model's functions an artifact is.
_FINGERPRINT = "fingerprint.pb"
_TAR_MAGIC, _TAR_MAGIC_OFFSET = b"ustar", 257
_MOST_BYTES = 2 << 30  # The most bytes to unpack.


def pack(folder: Path) -> bytes:
    """The file of a SavedModel's folder."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(folder).as_posix()
            if name == _FINGERPRINT:
                continue
            member = tarfile.TarInfo(name)
            member.size, member.mode = path.stat().st_size, 0o644
            with path.open("rb") as file:
                archive.addfile(member, file)
    return packed.getvalue()


def unpack(artifact: bytes, folder: Path) -> Path:
    """Writes the files below `folder`; the place of the model's folder among them.

    An UnsupportedError says what the bytes are instead."""
    with tarfile.open(fileobj=io.BytesIO(_tar_of(artifact)), mode="r:") as archive:
        left = _MOST_BYTES
        for member in archive:
            if not member.isfile():
                continue
            name = PurePosixPath(member.name)
            left -= member.size
            if name.is_absolute() or ".." in name.parts:
                raise ValueError(f"the SavedModel's file {member.name} lies outside its folder")
            if left < 0:
                raise ValueError(f"the SavedModel has more than {_MOST_BYTES} bytes")
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            content = archive.extractfile(member)
            place.write_bytes(content.read() if content else b"")
    models = sorted(folder.rglob(MODEL))
    if not models:
        raise ValueError(f"the tar file holds no {MODEL}")
    return models[0].parent


def _tar_of(artifact: bytes) -> bytes:
    """A tar file as it is, or in base64, as jax2tf's tests kept one."""
    if _is_tar(artifact):
        return artifact
    try:
        decoded = base64.b64decode(artifact, validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    if _is_tar(decoded):
        return decoded
    raise UnsupportedError(
        f"{len(artifact)} bytes that are no tar file of a SavedModel's folder (a bare GraphDef has "
        "no signature to call)"
    )


def _is_tar(data: bytes) -> bool:
    return data[_TAR_MAGIC_OFFSET : _TAR_MAGIC_OFFSET + len(_TAR_MAGIC)] == _TAR_MAGIC


def run_saved_model(
    artifact: bytes, inputs: Sequence[Array], mode: str, progress: Progress
) -> list[Array]:
    import tensorflow as tf

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

    runs: Any = call
    if mode != "eager":
        function = tf.function(call, autograph=False, jit_compile=mode == "compiled")
        with progress.timed("verify", "compile"):
            runs = function.get_concrete_function(*arguments)
    with progress.timed("compile" if mode == "compiled" else "run", "run"):
        return progress.executed(lambda: [each.numpy() for each in runs(*arguments)])


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

"""Models: export, archive with their outputs, and load."""

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from vintage.check import installed_day
from vintage.program import run


@dataclass(frozen=True)
class Saved:
    """The archived artifact that `save` returns."""

    id: str
    name: str
    producer: str
    build_date: str
    new: bool
    """False: the archive already had the same artifact."""
    inputs_from: str
    outputs_from: str


def save(
    function: Any,
    *args: Any,
    archive: str | os.PathLike[str],
    name: str | None = None,
    build_date: str | None = None,
    primitive: str | None = None,
    platforms: Sequence[str] | None = None,
    vjp_order: int = 0,
    **kwargs: Any,
) -> Saved:
    """Archives a program with its inputs and its present outputs.

    `function` is a jax.export.Exported, a jitted function, or one to be jitted; the latter two are
    exported for `args` and `kwargs`, for `platforms` if given. If the arguments are arrays, the
    program runs on them and the outputs are archived. If they are only shapes, Vintage generates
    inputs and its engine computes the outputs; the golden then says so.

    `vjp_order` derivatives are included. `build_date` is the day on which the exporting JAX was
    released; by default that of the installed JAX, which is registered as a build of the archive.

    >>> kept = vintage.save(jax.jit(model), x, archive="models", name="model")
    """
    exported = _exported(function, args, kwargs, platforms)
    day = build_date or installed_day(archive)
    with tempfile.TemporaryDirectory(prefix="vintage-") as folder:
        file = Path(folder) / "exported.bin"
        file.write_bytes(exported.serialize(vjp_order=vjp_order))
        command = ["put", str(file), "--archive", os.fspath(archive), "--build-date", day]
        command += ["--name", name or str(exported.fun_name)]
        command += ["--producer", producer()]
        if primitive:
            command += ["--primitive", primitive]
        command += _goldens(exported, args, kwargs, Path(folder))
        kept = run(*command)
    return Saved(**{one: kept[one] for one in Saved.__dataclass_fields__})


def _exported(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], platforms: Sequence[str] | None
) -> Any:
    import jax
    from jax import export

    if isinstance(function, export.Exported):
        return function
    if not callable(function):
        raise TypeError(f"{function!r} is neither a jax.export.Exported nor a function")
    jitted = function if hasattr(function, "trace") else jax.jit(function)
    maker: Callable[..., Any] = real_export()
    return maker(jitted, platforms=platforms)(*args, **kwargs)


def real_export() -> Callable[..., Any]:
    """jax.export.export itself, without the notes of the pytest plugin."""
    from jax import export

    maker: Callable[..., Any] = getattr(export.export, "__wrapped__", export.export)
    return maker


def producer() -> str:
    """The name of this interpreter's JAX as a producer."""
    import jax

    return f"jax {jax.__version__}"


def _goldens(
    exported: Any, args: tuple[Any, ...], kwargs: dict[str, Any], folder: Path
) -> list[str]:
    """The options of `put` for inputs and outputs; none if it cannot run here."""
    import jax

    inputs = _leaves((args, kwargs))
    if not all(map(_has_value, inputs)) or (exported.in_avals and not inputs):
        return []
    if not fits(exported, args, kwargs):
        raise TypeError(
            f"the arguments hold {len(inputs)} values, and the exported program takes "
            f"{len(exported.in_avals)}: give it those, and bind the static arguments of a function "
            "before it is jitted (functools.partial)"
        )
    options = _write(folder / "inputs.npz", inputs, exported.in_avals, "--inputs")
    if jax.default_backend() not in exported.platforms:
        return options
    outputs = _leaves(exported.call(*args, **kwargs))
    return options + _write(folder / "outputs.npz", outputs, exported.out_avals, "--outputs")


def fits(exported: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the program takes all of these arguments: it has no static ones."""
    return len(_leaves((args, kwargs))) == len(exported.in_avals)


def _write(file: Path, values: list[Any], types: Iterable[Any], option: str) -> list[str]:
    import numpy

    if not values:
        return []
    numpy.savez(file, *(_as_array(*each) for each in zip(values, types, strict=True)))
    return [option, str(file)]


@dataclass(frozen=True)
class Model:
    """One artifact in an archive."""

    id: str
    name: str
    producer: str
    build_date: str
    serialized: bytes = field(repr=False)
    inputs: list[Any] = field(repr=False)
    outputs: list[Any] = field(repr=False)
    """Its producer's results for `inputs`, as NumPy arrays; empty without a golden."""

    @cached_property
    def exported(self) -> Any:
        """As the installed JAX reads it: a jax.export.Exported."""
        from jax import export

        return export.deserialize(bytearray(self.serialized))

    @property
    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """`inputs` in the program's own tree: args and kwargs of `call`, with typed keys."""
        import jax

        leaves = map(_as_argument, self.inputs, self.exported.in_avals)
        args, kwargs = jax.tree_util.tree_unflatten(self.exported.in_tree, list(leaves))
        return args, kwargs

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return self.exported.call(*args, **kwargs)


def load(what: str, *, archive: str | os.PathLike[str]) -> Model:
    """An archived model, by its name, its id, or the beginning of its id.

    >>> vintage.load("model", archive="models").call(x)
    """
    with tempfile.TemporaryDirectory(prefix="vintage-") as parent:
        folder = Path(parent) / "model"
        run("get", what, "--archive", os.fspath(archive), "-o", str(folder))
        facts = json.loads((folder / "model.json").read_text())
        artifact, golden = facts["artifact"], facts.get("golden", {})
        file = next(
            folder / name
            for name in ("exported.bin", "module.mlirbc", "saved_model.bin")
            if (folder / name).exists()
        )
        return Model(
            artifact["id"],
            artifact["name"],
            artifact["producer"],
            artifact["build_date"],
            file.read_bytes(),
            _read(folder / "inputs.npz", golden.get("inputs", [])),
            _read(folder / "outputs.npz", golden.get("outputs", [])),
        )


def _read(file: Path, names: list[str]) -> list[Any]:
    import numpy

    if not names:
        return []
    with numpy.load(file) as arrays:
        return [_typed(arrays[f"arr_{i}"], name) for i, name in enumerate(names)]


def _leaves(tree: Any) -> list[Any]:
    import jax

    return list(jax.tree_util.tree_leaves(tree))


def _has_value(value: Any) -> bool:
    """Whether it is more than a shape and a type (jax.ShapeDtypeStruct)."""
    return hasattr(value, "__array__") or not hasattr(value, "dtype")


def _is_key(dtype: Any) -> bool:
    import jax

    return dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key)


def _as_argument(array: Any, kind: Any) -> Any:
    """An archived array as the program's argument: the bits of a key as a key."""
    import jax

    if not _is_key(kind.dtype):
        return array
    return jax.random.wrap_key_data(array, impl=kind.dtype._impl.name)


def _as_array(value: Any, kind: Any) -> Any:
    """A value as a NumPy array of the artifact's type."""
    import jax
    import numpy

    dtype = getattr(kind, "dtype", None)
    if _is_key(dtype):
        return numpy.asarray(jax.random.key_data(value))
    if dtype == jax.dtypes.float0:
        return numpy.zeros(numpy.shape(value), dtype=bool)
    return numpy.asarray(value) if dtype is None else numpy.asarray(value).astype(dtype)


def _typed(array: Any, name: str) -> Any:
    """Gives an array that NumPy read as raw bytes its real dtype (bfloat16, …)."""
    if array.dtype.kind != "V" and array.dtype.name == name:
        return array
    import ml_dtypes
    import numpy

    kind = getattr(ml_dtypes, name, None)
    if kind is None or numpy.dtype(kind).itemsize != array.dtype.itemsize:
        return array
    return array.view(kind)

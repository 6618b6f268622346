"""Artifacts whose pytrees have types of the exporter's own, read without JAX.

The worker refused them: "Cannot deserialize a PyTreeDef containing an unregistered type", of the
class unknown. No user is refused who registers the type, and none loses anything by it.
"""

import io
import types

import pytest

from vintage_jax import release
from vintage_python.worker.server import Consumer, read_frame, serve, write_frame

LEAF, TUPLE, CUSTOM = 0, 2, 5


def node(kind, *children, name=""):
    """As the generated reader of the flatbuffer shows one."""
    return types.SimpleNamespace(
        Kind=lambda: kind,
        ChildrenLength=lambda: len(children),
        Children=lambda index: children[index],
        CustomName=name.encode,
    )


@pytest.fixture
def jax_reader(monkeypatch):
    """JAX's module, whose reader calls itself by its global name, and the types that it knows."""
    module = types.ModuleType("serialization")
    registry = {"known.Type": None}

    def original(tree, *leaves):
        children = [module._deserialize_pytreedef_to_pytree(tree.Children(i), *leaves)
                    for i in range(tree.ChildrenLength())]  # fmt: skip
        if tree.Kind() == LEAF:
            return next(*leaves) if leaves else 0.0
        if tree.Kind() == TUPLE:
            return tuple(children)
        name = tree.CustomName().decode()
        if name not in registry:
            raise ValueError(f"containing an unregistered type `{name}`")
        return (name, *children)

    module._deserialize_pytreedef_to_pytree = original
    exports = types.SimpleNamespace(deserialization_registry=registry)
    monkeypatch.setattr(release, "serialization_module", lambda: module)
    monkeypatch.setattr(release, "export_module", lambda: exports)
    return module


def test_a_type_that_nobody_registered_is_read_as_a_tuple(jax_reader):
    leaf = node(LEAF)
    tree = node(TUPLE, leaf, node(CUSTOM, leaf, node(CUSTOM, leaf, name="known.Type"),
                                  node(CUSTOM, leaf, name="my.State"), name="my.State"),
                node(CUSTOM, name="my.Empty"))  # fmt: skip
    with pytest.raises(ValueError, match="unregistered type"):
        jax_reader._deserialize_pytreedef_to_pytree(tree)
    with release.unregistered_types_as_tuples() as met:
        found = jax_reader._deserialize_pytreedef_to_pytree(tree)
        # Since 0.12 leaves come from an iterator.
        numbered = jax_reader._deserialize_pytreedef_to_pytree(tree, iter(range(9)))
    assert found == (0.0, (0.0, ("known.Type", 0.0), (0.0,)), ())
    assert numbered == (0, (1, ("known.Type", 2), (3,)), ())
    assert met == ["my.State", "my.Empty"]
    with pytest.raises(ValueError, match="unregistered type"):
        jax_reader._deserialize_pytreedef_to_pytree(tree)


def test_a_release_without_that_reader_is_left_alone(jax_reader):
    del jax_reader._deserialize_pytreedef_to_pytree
    with release.unregistered_types_as_tuples() as met:
        assert not met
    assert not hasattr(jax_reader, "_deserialize_pytreedef_to_pytree")


@pytest.mark.parametrize(("problem", "outcome", "detail"), [
    (None, "ran", "loaded without its tree"),
    (ValueError("no"), "error", "ValueError: no\nloaded without its tree"),
])  # fmt: skip
def test_what_was_done_otherwise_is_said(problem, outcome, detail):
    class Noting(Consumer):
        def outputs(self, request, progress):
            progress.notes.append("loaded without its tree")
            if problem:
                raise problem
            return []

    source, sink = io.BytesIO(), io.BytesIO()
    request = {"type": "execute", "id": 1, "format": "exported", "platform": "cpu", "inputs": []}
    write_frame(source, request, [b""])
    source.seek(0)
    runtime = {"name": "test", "runtime_version": "1", "released": "2026-01-01",
               "platforms": ["cpu"], "modes": [], "targets": []}  # fmt: skip
    serve(source, sink, runtime, Noting(), "", ["exported"])
    sink.seek(0)
    read_frame(sink)
    reply = read_frame(sink).header
    assert (reply["outcome"], reply["detail"]) == (outcome, detail)

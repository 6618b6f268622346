"""Models of Keras on JAX, as its `export` saves them, for batches of any size. Each process writes
other bytes: Keras saves variables in the order of their addresses."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from vintage_jax.produce.models.with_keras import NETWORKS, network
from vintage_jax.produce.seeded_case import DTYPES
from vintage_tensorflow.produce.model import Exporting, numbers


def _save(name: str, folder: Path) -> None:
    made = network(name)
    for place, variable in enumerate(made.trainable_variables):
        variable.assign(numbers(str(place), *variable.shape, scale=0.25))
    made.export(str(folder), format="tf_saved_model", verbose=False)


def _model(name: str) -> Exporting:
    _, inputs = NETWORKS[name]
    array = inputs.input.elements(DTYPES[inputs.dtype], inputs.shape)
    return Exporting(partial(_save, name), (array,))


def models() -> Iterator[tuple[str, Callable[[], Exporting]]]:
    for name in NETWORKS:
        yield name, partial(_model, name)

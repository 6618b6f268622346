"""Models of PyTorch that torchax turns into functions of JAX."""

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from vintage_jax.describe.plugins import stand_in_for_vendor
from vintage_jax.produce.case import Case
from vintage_jax.produce.models.model import Model, cases_of_models, data, tokens, weights
from vintage_jax.produce.seeded_case import DTYPES, Seeded


def load_torch() -> Any:
    """The package index has PyTorch linked to 2 GB of CUDA's libraries, which no CPU uses."""
    found = importlib.util.find_spec("torch")
    if found and found.origin and importlib.util.find_spec("nvidia") is None:
        stand_in_for_vendor("torch", Path(found.origin).parent)
    return importlib.import_module("torch")


def _dense(nn: Any) -> Any:
    return nn.Sequential(
        nn.Linear(8, 16), nn.GELU(), nn.Dropout(), nn.LayerNorm(16), nn.Linear(16, 3), nn.Softmax(1)
    )


def _convolutions(nn: Any) -> Any:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, stride=2, groups=4), nn.GroupNorm(4, 16), nn.SiLU(), nn.Dropout2d(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10),
    )  # fmt: skip


def _encoder(nn: Any) -> Any:
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    return nn.Sequential(nn.Embedding(40, 32), layer, nn.Linear(32, 40))


def _recurrent(nn: Any) -> Any:
    return nn.LSTM(5, 12, batch_first=True)


NETWORKS: dict[str, tuple[Callable[[Any], Any], Seeded]] = {
    "dense": (_dense, data(4, 8)),
    "convolutions": (_convolutions, data(3, 3, 12, 12)),
    "encoder": (_encoder, tokens(3, 14, most=39)),
    "recurrent": (_recurrent, data(3, 20, 5)),
}


def _made(name: str) -> Model:
    """A function of the parameters and the inputs; buffers are constants in it."""
    torch = load_torch()
    torchax = importlib.import_module("torchax")
    build, inputs = NETWORKS[name]
    example = torch.from_numpy(np.zeros(inputs.shape, DTYPES[inputs.dtype]))
    batch = ({0: torch.export.Dim("b")},)
    program = torch.export.export(build(torch.nn).eval(), (example,), dynamic_shapes=batch)
    convert = importlib.import_module("torchax.export").exported_program_to_jax
    names, states, function = convert(program, export_raw=True)
    states = torchax.default_env().t2j_copy(states)
    places = [i for i, each in enumerate(names) if each in program.graph_signature.parameters]
    w = [weights(*states[place].shape, seed=seed) for seed, place in enumerate(places, 1)]

    def call(w: Any, x: Any) -> Any:
        given = dict(zip(places, w, strict=True))
        return function([given.get(i, state) for i, state in enumerate(states)], (x,))

    return call, (w, inputs)


_MODELS = {name: partial(_made, name) for name in NETWORKS}


def cases(prefix: str) -> Iterator[Case]:
    return cases_of_models(_MODELS, prefix, any_batch=tuple(_MODELS))

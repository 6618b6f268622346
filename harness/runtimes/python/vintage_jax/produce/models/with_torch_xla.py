"""Models of PyTorch that torch-xla exports itself."""

import importlib
import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from vintage_jax.produce.case import Case, Made, Prepared
from vintage_jax.produce.models.model import weights
from vintage_jax.produce.models.with_torchax import NETWORKS, load_torch
from vintage_jax.produce.seeded_case import DTYPES, prepared, seeded


def _seeded_state(tensors: dict[str, Any]) -> dict[str, Any]:
    """By their names, parameters and buffers; no variance is negative."""
    return {
        name: seeded("f32", *tensor.shape, seed=seed, low=64, high=128, exponent=-6)
        if name.endswith("running_var")
        else weights(*tensor.shape, seed=seed)
        for seed, (name, tensor) in enumerate(tensors.items(), 1)
    }


def _prepare(name: str) -> Prepared:
    torch = load_torch()
    os.environ["PJRT_DEVICE"] = "CPU"
    convert = importlib.import_module("torch_xla.stablehlo").exported_program_to_stablehlo
    build, example = NETWORKS[name]
    network = build(torch.nn).eval()
    tensors = {k: v for k, v in network.state_dict().items() if v.dtype == torch.float32}
    state = _seeded_state(tensors)
    for key, tensor in tensors.items():
        tensor.copy_(torch.from_numpy(state[key].input.elements(np.float32, tensor.shape)))
    x = torch.from_numpy(example.input.elements(np.dtype(DTYPES[example.dtype]), example.shape))
    # Its main takes the state in an order of its own, and the input somewhere among it.
    (function,) = convert(torch.export.export(network, (x,)))._bundle.stablehlo_funcs
    arguments = tuple(state.get(each.name, example) for each in function.meta.input_locations)
    with torch.no_grad():
        made = Made(function.bytecode, [network(x).numpy()], f"torch {torch.__version__} on cpu")
    return prepared(made, arguments)


def cases(prefix: str) -> Iterator[Case]:
    for name in ("dense", "convolutions", "encoder"):
        prepare = partial(_prepare, name)
        yield Case(f"{prefix}{name}", "model", prepare, platforms=(("cpu",),))

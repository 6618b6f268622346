"""How a model becomes a case, and the layers that several models have."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from vintage_jax.produce.case import Case, Prepared
from vintage_jax.produce.seeded_case import Seeded, prepared, seeded

# A function and its arguments.
Model = tuple[Callable[..., Any], tuple[Any, ...]]


def weights(*shape: int, seed: int, dtype: str = "f32") -> Seeded:
    """From -0.25 to 0.25."""
    return seeded(dtype, *shape, seed=seed, low=-64, high=64, exponent=-8)


def data(*shape: int, seed: int = 1, dtype: str = "f32") -> Seeded:
    """From -2 to 2."""
    return seeded(dtype, *shape, seed=seed, low=-64, high=64, exponent=-5)


def tokens(*shape: int, most: int, seed: int = 1) -> Seeded:
    return seeded("i32", *shape, seed=seed, low=0, high=most)


def normed(x: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def attention(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """Over the last but one dimension; what the mask leaves out is False."""
    scores = q @ jnp.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = jnp.where(mask, scores, -1e9)
    return jax.nn.softmax(scores, axis=-1) @ v


def block_weights(width: int, seed: int, dtype: str = "f32") -> dict[str, Seeded]:
    return {
        "in": weights(width, 3 * width, seed=seed, dtype=dtype),
        "out": weights(width, width, seed=seed + 1, dtype=dtype),
        "up": weights(width, 2 * width, seed=seed + 2, dtype=dtype),
        "down": weights(2 * width, width, seed=seed + 3, dtype=dtype),
    }


def block(w: Any, x: Any, heads: int, causal: bool = False) -> Any:
    """A block of a transformer."""
    batch, length, width = x.shape
    split = (normed(x) @ w["in"]).reshape(batch, length, 3, heads, width // heads)
    q, k, v = (split[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
    mask = jnp.tril(jnp.ones((length, length), bool)) if causal else None
    mixed = attention(q, k, v, mask).transpose(0, 2, 1, 3).reshape(x.shape)
    x = x + mixed @ w["out"]
    return x + jax.nn.gelu(normed(x) @ w["up"]) @ w["down"]


def convolved(x: Any, kernel: Any, stride: int = 1) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=numbers)


def cross_entropy(logits: Any, labels: Any) -> Any:
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1)
    return -chosen.mean()


def descended(loss: Callable[..., Any], w: Any, *rest: Any, rate: float = 0.1) -> Any:
    """One step of gradient descent: the loss and the new weights."""
    value, gradient = jax.value_and_grad(loss)(w, *rest)
    return value, jax.tree_util.tree_map(
        lambda a, g: a - jnp.asarray(rate, a.dtype) * g, w, gradient
    )


def _prepare(make: Callable[[], Model]) -> Prepared:
    function, arguments = make()
    return prepared(function, arguments)


def _prepare_for_any_batch(make: Callable[[], Model]) -> Prepared:
    """The arguments behind the weights have a batch of any size."""
    from jax import export

    made = _prepare(make)
    fixed, *batched = (jax.tree_util.tree_map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), one)
                       for one in made.arguments)  # fmt: skip
    (batch,) = export.symbolic_shape("b")
    any_size = [jax.ShapeDtypeStruct((batch, *one.shape[1:]), one.dtype) for one in batched]
    return replace(made, specifications=(fixed, *any_size))


def cases_of_models(
    models: Mapping[str, Callable[[], Model]], prefix: str = "model:", any_batch: Sequence[str] = ()
) -> Iterator[Case]:
    """`any_batch`: those that are made a second time, for batches of any size."""
    cpu = (("cpu",),)
    for name, make in models.items():
        yield Case(f"{prefix}{name}", "model", partial(_prepare, make), platforms=cpu)
    for name in any_batch:
        prepare = partial(_prepare_for_any_batch, models[name])
        yield Case(f"{prefix}{name}_of_any_batch", "model", prepare, "poly", platforms=cpu)

"""Where results lie whose sharding nobody stated: by function the slices by device, as JSON."""

import json

import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import jax

mesh = Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ("x", "y"))
A = np.arange(64, dtype=np.float32).reshape(8, 8) / 64
B = np.arange(256, dtype=np.float32).reshape(4, 8, 8) / 256
ROWS, COLUMNS, BOTH, DEEP = P("x", None), P(None, "y"), P("x", "y"), P("x", None, "y")

CASES = {
    "sine": (jnp.sin, [(A, BOTH)]),
    "sum_of_two": (lambda a, b: a + b, [(A, ROWS), (A, ROWS)]),
    "sum_with_whole": (lambda a, b: a + b, [(A, BOTH), (A, P())]),
    "compared": (lambda a, b: a < b, [(A, ROWS), (A, ROWS)]),
    "transposed": (lambda a: a.T, [(A, BOTH)]),
    "transposed_3": (lambda b: b.transpose(2, 0, 1), [(B, DEEP)]),
    "sum_of_rows": (lambda a: a.sum(0), [(A, BOTH)]),
    "sum_of_columns": (lambda a: a.sum(1), [(A, BOTH)]),
    "sum_of_all": (jnp.sum, [(A, BOTH)]),
    "largest": (lambda a: a.argmax(1), [(A, BOTH)]),
    "product": (lambda a, b: a @ b, [(A, ROWS), (A, COLUMNS)]),
    "product_along_split": (lambda a, b: a @ b, [(A, COLUMNS), (A, P("y", None))]),
    "batched_product": (lambda a, b: a @ b, [(B, P("x")), (B, P("x"))]),
    "repeated": (lambda a: jnp.broadcast_to(a, (3, 8, 8)), [(A, BOTH)]),
    "scaled": (lambda a: a * 2.0 + 1.0, [(A, BOTH)]),
    "flattened": (lambda a: a.reshape(64), [(A, ROWS)]),
    "unflattened": (lambda a: a.reshape(2, 4, 8), [(A, ROWS)]),
    "with_a_one": (lambda a: a[:, None, :], [(A, BOTH)]),
    "columns_cut": (lambda a: a[:, :3], [(A, ROWS)]),
    "joined": (lambda a, b: jnp.concatenate([a, b], 1), [(A, ROWS), (A, ROWS)]),
    "sorted": (lambda a: jnp.sort(a, 1), [(A, ROWS)]),
    "summed_up": (lambda a: jnp.cumsum(a, 1), [(A, ROWS)]),
    "softmax": (jax.nn.softmax, [(A, ROWS)]),
    "loop": (lambda a: jax.lax.fori_loop(0, 3, lambda i, c: c * 2 + i, a), [(A, BOTH)]),
    "called": (lambda a: jax.jit(jnp.cos)(a) + 1, [(A, BOTH)]),
    "layer": (lambda w, v: jnp.tanh(v @ w), [(A, COLUMNS), (A, ROWS)]),
    "gradient": (jax.grad(lambda a: (a * a).sum()), [(A, BOTH)]),
    "constrained": (
        lambda a: jax.lax.with_sharding_constraint(a * 2, NamedSharding(mesh, COLUMNS)) + 1,
        [(A, P())],
    ),
    "updated": (lambda a: a.at[:, 0].set(0.0), [(A, ROWS)]),
    "padded": (lambda a: jnp.pad(a, ((0, 0), (1, 1))), [(A, ROWS)]),
    "chosen": (lambda a: jnp.where(a > 0.5, a, 0.0), [(A, BOTH)]),
}


def lies(function, arguments):
    placed = [jax.device_put(value, NamedSharding(mesh, spec)) for value, spec in arguments]
    result = jax.jit(function)(*placed)
    expected = jax.jit(function)(*(value for value, _ in arguments))
    np.testing.assert_allclose(result, expected, rtol=2e-6)
    pieces = {shard.device.id: str(shard.index) for shard in result.addressable_shards}
    return [pieces[device] for device in sorted(pieces)]


print(json.dumps({name: lies(*case) for name, case in CASES.items()}))

"""Loops: scans with small carries, updates of a buffer, carries of many arrays."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from vintage_jax.produce.case import Case
from vintage_jax.produce.seeded_case import Seeded, seeded
from vintage_jax.produce.sized.idiom import FEW, FEW_FLOATS, Idiom, Sizes, cases_of_idioms, wide

_SCANS: Sizes = {
    "f32": (1, 255, 8193, 65537), "f64": (16385,), "bf16": (255,), "i32": (4095,)
}  # fmt: skip
_BUFFERS: Sizes = {"f32": (1, 255, 65537, 1_000_000), "f64": (16385,), "i32": (8193,)}
_TURNS = 40


def _vector(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n),)


def _digits(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n, low=0, high=9),)


def _rows(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, n, 3, low=0, high=9),)


def _leaves(n: int, dtype: str) -> tuple[Seeded, ...]:
    return (seeded(dtype, 24, n),)


def _buffer_and_updates(n: int, dtype: str) -> tuple[Seeded, ...]:
    return seeded(dtype, n), seeded(dtype, _TURNS, min(3, n), seed=2)


def _step(carry: Any, x: Any) -> Any:
    """Remainders stay exact, and depend on each element before them."""
    digest, largest = carry
    digest = (digest * 5 + x) % 97
    return (digest, jnp.maximum(largest, digest - x)), digest


def _scan(x: Any, **options: Any) -> Any:
    x = wide(x)
    zero = jnp.zeros((), x.dtype)
    (digest, largest), digests = lax.scan(_step, (zero, zero), x, **options)
    return digest, largest, digests


def _scan_of_matrices(x: Any) -> Any:
    turn = jnp.array([[1, 2, 0], [0, 1, 3], [1, 0, 1]], x.dtype)

    def step(carry: Any, row: Any) -> Any:
        carry = (turn @ carry + row[:, None]) % 31
        return carry, carry.sum()

    return lax.scan(step, jnp.eye(3, dtype=x.dtype), x)


def _mapped(x: Any) -> Any:
    return lax.map(lambda row: lax.cond(row[0] > row[1], jnp.sum, jnp.max, row), wide(x))


def _set_in_turn(x: Any) -> Any:
    """Each element from the one before."""

    def body(i: Any, buffer: Any) -> Any:
        return buffer.at[i].set((buffer[i - 1] * 3 + buffer[i]) % 89)

    return lax.fori_loop(1, x.size, body, wide(x))


def _overlapping_updates(buffer: Any, updates: Any) -> Any:
    buffer, updates = wide(buffer), wide(updates)

    def body(i: Any, buffer: Any) -> Any:
        start = (i * 7919) % buffer.size
        window = lax.dynamic_slice(buffer, (start,), updates.shape[1:])
        return lax.dynamic_update_slice(buffer, window + updates[i], (start,))

    done = lax.fori_loop(0, _TURNS, body, buffer)
    return done.sum(), done[-3:], (done * (jnp.arange(done.size) % 3)).sum()


def _stacked(x: Any) -> Any:
    """Results collected by hand, as those do who avoid a scan."""

    def body(i: Any, carry: Any) -> Any:
        total, results = carry
        total = total + wide(x)
        return total, results.at[i].set(total.sum().astype(total.dtype))

    start = jnp.zeros_like(wide(x)), jnp.zeros(_TURNS, wide(x).dtype)
    return lax.fori_loop(0, _TURNS, body, start)[1]


def _many_leaves(x: Any) -> Any:
    leaves = {f"leaf_{i}": row for i, row in enumerate(wide(x))}

    def body(_: Any, carry: Any) -> Any:
        names = sorted(carry)
        turned = zip(names, names[1:] + names[:1], strict=True)
        return {name: (carry[name] + 2 * carry[other]) % 53 for name, other in turned}

    return sum(lax.fori_loop(0, 6, body, leaves).values())


def _until(x: Any) -> Any:
    def goes_on(carry: Any) -> Any:
        return (carry[0] < carry[2].size) & (carry[1] < 1000)

    def body(carry: Any) -> Any:
        i, total, values = carry
        return i + 1, total + values[i], values

    return lax.while_loop(goes_on, body, (0, jnp.zeros((), x.dtype), x))[:2]


def _vmapped_while(x: Any) -> Any:
    def steps(start: Any) -> Any:
        return lax.while_loop(
            lambda c: c[0] > 1,
            lambda c: (jnp.where(c[0] % 2 == 0, c[0] // 2, c[0] - 1), c[1] + 1),
            (start * 97 + 3, 0),
        )[1]

    return jax.vmap(steps)(x)


_IDIOMS = (
    Idiom("scan_small_carry", "scan", _scan, _digits, _SCANS),
    Idiom("scan_reversed", "scan", lambda x: _scan(x, reverse=True), _digits, FEW),
    Idiom("scan_of_matrices", "scan", _scan_of_matrices, _rows, FEW),
    Idiom("mapped_conditions", "cond", _mapped, _rows, FEW_FLOATS),
    Idiom("set_in_turn", "scatter", _set_in_turn, _digits, FEW),
    Idiom("overlapping_updates", "dynamic_update_slice", _overlapping_updates, _buffer_and_updates,
          _BUFFERS),
    Idiom("stacked_by_hand", "scatter", _stacked, _vector,
          {"f32": (255, 32769), "f64": (16385,), "i32": (65537,)}),
    Idiom("many_leaves", "while", _many_leaves, _leaves, {"f32": (1, 255, 4095, 8193),
          "f64": (4095,), "i32": (255,)}),
    Idiom("loop_until", "while", _until, _digits, {"f32": (7, 16385), "i32": (255,)}),
    Idiom("vmapped_while", "while", _vmapped_while, _digits, {"i32": (7, 4095, 32769)}),
)  # fmt: skip


def cases() -> Iterator[Case]:
    return cases_of_idioms(_IDIOMS)

"""Programs that became slow from one release to the next, at sizes of a second at most."""

from typing import Any

import numpy as np

from program import Program


def element_written_in_a_loop() -> Program:
    import jax

    n = 30_000
    start = np.zeros(n, np.float32)

    def function(start: Any) -> Any:
        def step(i: Any, values: Any) -> Any:
            return values.at[i + 1].set(values[i] * np.float32(0.5) + 1)

        return jax.lax.fori_loop(0, n - 1, step, start)

    return Program(function, (start,))


def _copied_at_random(index: Any, values: Any, limit: Any) -> Any:
    """The value at a place that a random number below the limit names."""
    import jax

    return values[jax.random.randint(jax.random.PRNGKey(index), (), 0, limit)]


def element_copied_at_random_in_a_loop() -> Program:
    import jax

    def function(values: Any) -> Any:
        def step(state: Any) -> Any:
            index, values = state
            return index + 1, values.at[index].set(_copied_at_random(index, values, 2))

        return jax.lax.while_loop(lambda state: state[0] < values.shape[0], step, (0, values))[1]

    return Program(function, (np.zeros(20_000, np.float32),))


def tangents_of_a_batched_scan() -> Program:
    import jax
    import jax.numpy as jnp

    n = 5_000

    def scanned(values: Any) -> Any:
        def step(state: Any, _: Any) -> Any:
            index, values = state
            new = 2 * jnp.tanh(_copied_at_random(index, values, index + 1))
            return (index + 1, values.at[index].set(new)), None

        return jax.lax.scan(step, (0, values), None, length=n)[0][1]

    def tangent(values: Any) -> Any:
        return jax.linearize(scanned, values)[1](jnp.ones_like(values))

    return Program(jax.vmap(tangent), (np.zeros((2, n), np.float32),))


def rotations_scanned_in_f64() -> Program:
    import jax
    import jax.numpy as jnp

    rates = np.random.RandomState(0).randn(20_000, 3) * 1e-2

    def step(attitude: Any, rate: Any) -> Any:
        x, y, z = rate
        turn = jnp.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return attitude @ (jnp.eye(3) + turn + turn @ turn / 2), attitude[0, 0]

    return Program(lambda rates: jax.lax.scan(step, jnp.eye(3), rates), (rates,))


def numbers_gathered_in_a_loop() -> Program:
    import jax
    import jax.numpy as jnp

    numbers = np.arange(200_000, dtype=np.int32)

    def function(numbers: Any) -> Any:
        def step(state: Any) -> Any:
            largest, index = state
            return jnp.maximum(largest, numbers[index]), index + 1

        zero = jnp.int32(0)
        return jax.lax.while_loop(lambda s: s[0] < numbers.shape[0] - 1, step, (zero, zero))

    return Program(function, (numbers,))


def _membrane(count: int) -> Any:
    """Steps of a ring of neurons with three gates each (Hodgkin and Huxley)."""
    import jax
    import jax.numpy as jnp

    def gate(x: Any, opening: Any, closing: Any) -> Any:
        decay = jnp.exp(-0.025 * (opening + closing))
        return x * decay + opening / (opening + closing) * (1 - decay)

    def rate(v: Any, scale: float, shift: float) -> Any:
        return scale * (v + shift) / (1 - jnp.exp(-(v + shift) / 10))

    def step(state: Any, _: Any) -> Any:
        v, m, h, n = state
        m = gate(m, rate(v, 0.1, 40.1), 4 * jnp.exp(-(v + 65) / 18))
        h = gate(h, 0.07 * jnp.exp(-(v + 65) / 20), 1 / (1 + jnp.exp(-(v + 35) / 10)))
        n = gate(n, rate(v, 0.01, 55.1), 0.125 * jnp.exp(-(v + 65) / 80))
        flow = 120 * m**3 * h * (v - 50) + 36 * n**4 * (v + 77) + 0.3 * (v + 54.4)
        return (v + 0.025 * (10 - flow + jnp.roll(v, 1) - v), m, h, n), v[0]

    def function(v: Any) -> Any:
        start = v, jnp.full_like(v, 0.05), jnp.full_like(v, 0.6), jnp.full_like(v, 0.3)
        return jax.lax.scan(step, start, None, length=count)[1].sum()

    return function


def gradient_of_a_neuron_model() -> Program:
    import jax

    return Program(jax.grad(_membrane(10_000)), (np.full(20, -65.0),))


def masses_of_a_robot() -> Program:
    """Frames of a chain of joints, each a small product after the last one."""
    import jax.numpy as jnp

    joints = 35

    def function(angles: Any) -> Any:
        frames = [jnp.eye(4)]
        for angle in angles:
            c, s = jnp.cos(angle), jnp.sin(angle)
            link = jnp.array([[1.0, 0, 0, 0.1], [0, 1.0, 0, 0], [0, 0, 1.0, 0.2], [0, 0, 0, 1.0]])
            link = link.at[0, 0].set(c).at[0, 1].set(-s).at[1, 0].set(s).at[1, 1].set(c)
            frames.append(frames[-1] @ link)
        stacked = jnp.stack(frames[1:])
        axes, places = stacked[:, :3, 2], stacked[:, :3, 3]
        moves = jnp.cross(axes[:, None], places[None] - places[:, None])
        moves = moves * jnp.triu(jnp.ones((joints, joints)))[..., None]
        return jnp.einsum("ikx,jkx->ij", moves, moves)

    return Program(function, (np.linspace(0, 1, joints),))


def gradient_of_many_scalars() -> Program:
    import jax
    import jax.numpy as jnp

    nodes = 40

    def step(state: Any, signal: Any) -> Any:
        new = []
        for node, value in enumerate(state):
            mean = jnp.tanh(0.9 * value + 0.1 * signal + 0.05 * state[node - 1])
            new.append(mean / (1 + jnp.exp(-mean)))
        return new, sum(new)

    def function(weight: Any, signals: Any) -> Any:
        start = [weight * (node + 1) / nodes for node in range(nodes)]
        return jax.lax.scan(step, start, signals)[1].sum()

    signals = np.linspace(0, 1, 300, dtype=np.float32)
    return Program(jax.grad(function), (np.float32(0.5), signals))


def gradient_of_an_orbit() -> Program:
    import jax
    import jax.numpy as jnp

    masses = np.array([1, 1e-3, 3e-4])
    places = np.array([[0, 0, 0], [1, 0, 0], [0, 1.6, 0]])
    speeds = np.array([[0, 0, 0], [0, 1, 0], [-0.79, 0, 0]])

    def pull(x: Any) -> Any:
        away = x[None] - x[:, None]
        cube = (jnp.sum(away * away, -1) + 1e-9) ** 1.5
        return jnp.sum(masses[None, :, None] * away / cube[..., None], 1)

    def function(x: Any, v: Any) -> Any:
        def step(state: Any, _: Any) -> Any:
            x, v = state
            half = x + 0.005 * v
            v = v + 0.01 * pull(half)
            return (half + 0.005 * v, v), half[1, 0]

        return jax.lax.scan(step, (x, v), None, length=1000)[1].sum()

    return Program(jax.grad(function), (places, speeds))


def squares_of_differences() -> Program:
    import jax.numpy as jnp

    cube = np.random.RandomState(0).rand(160, 160, 160).astype(np.float32)
    return Program(
        lambda x: sum(jnp.sum(jnp.square(jnp.diff(x, axis=axis))) for axis in range(3)), (cube,)
    )


def sums_of_segments_in_a_batch() -> Program:
    import jax

    random = np.random.RandomState(0)
    values = random.rand(4000, 256).astype(np.float32)
    places = np.sort(random.randint(0, 2000, 4000)).astype(np.int32)

    def total(values: Any, places: Any) -> Any:
        return jax.ops.segment_sum(values, places, num_segments=2000)

    return Program(jax.vmap(total, in_axes=(1, None), out_axes=1), (values, places))

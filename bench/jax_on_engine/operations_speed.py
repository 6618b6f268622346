"""Operations of JAX on a million numbers: on the embedded engine and on JAX's CPU backend.

    python3 bench/jax_on_engine/operations_speed.py --python ENVIRONMENT/bin/python \\
        --library libvintage_pjrt.so

Each platform runs all operations in a process of its own, one platform after the other, two rounds
each; the best of all runs counts. Writes docs/measured/operations.md.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/measured/operations.md"
ROUNDS, RUNS, SECONDS = 2, 10, 2.0

INTRODUCTION = """\
# Operations on the engine, beside XLA

Milliseconds of one run, compiled by `jax.jit`, on 1,000 by 1,000 numbers of float32 where nothing
else is said, by {release}: on the embedded engine through its
[plugin](../howto/pjrt_plugin.md), which uses one thread for most operations, and on JAX's CPU
backend on {cores} cores of {processor}. The best of {runs} runs in {rounds} processes each, one
after the other. *times* is the engine's time divided by the CPU backend's.
Written by `bench/jax_on_engine/operations_speed.py`.
"""


def cases() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    import jax
    import jax.numpy as jnp
    from jax import lax

    key = jax.random.key(0)
    x = jax.random.uniform(key, (1000, 1000))
    line, half = x.reshape(-1), x.astype(jnp.bfloat16)
    places = jax.random.randint(key, (1000, 1000), 0, 1000)
    indices = places.reshape(-1)
    image = jnp.tile(x[:512, :512].reshape(1, 512, 512, 1), (1, 1, 1, 8))
    filters = jnp.ones((3, 3, 8, 8))
    layout = ("NHWC", "HWIO", "NHWC")
    heads = jax.random.normal(key, (2, 8, 128, 64))
    symmetric = x[:300, :300] @ x[:300, :300].T + 300 * jnp.eye(300)

    def convolve(a: Any, w: Any, **options: int) -> Any:
        return lax.conv_general_dilated(a, w, (1, 1), "SAME", dimension_numbers=layout, **options)

    def pool(a: Any) -> Any:
        return lax.reduce_window(a, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")

    def attend(q: Any) -> Any:
        weights = jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, q) / 8)
        return jnp.einsum("bhqk,bhkd->bhqd", weights, q)

    def set_each(a: Any) -> Any:
        return lax.fori_loop(0, 1000, lambda i, s: s.at[i].set(s[i - 1] * 0.5), a)

    def average(a: Any) -> Any:
        return lax.scan(lambda s, z: (0.9 * s + 0.1 * z, s), 0.0, a)

    def recur(a: Any) -> Any:
        weights = a[:100, :100]
        return lax.scan(lambda h, z: (jnp.tanh(h @ weights + z), h), jnp.zeros(100), a[:, :100])

    return {
        "x * y + z": (lambda a: a * a + a, (x,)),
        "bfloat16 x * y + z": (lambda a: a * a + a, (half,)),
        "float32 to bfloat16": (lambda a: a.astype(jnp.bfloat16), (x,)),
        "exp": (jnp.exp, (x,)),
        "tanh": (jnp.tanh, (x,)),
        "pow": (lambda a: a**2.5, (x,)),
        "erf": (jax.scipy.special.erf, (x,)),
        "gelu": (lambda a: jax.nn.gelu(a, approximate=False), (x,)),
        "integers // 7": (lambda a: a // 7, (places,)),
        "where": (lambda a: jnp.where(a > 0.5, a, 0.0), (x,)),
        "transpose": (lambda a: a.T.copy(), (x,)),
        "sum of rows": (lambda a: a.sum(1), (x,)),
        "maximum of rows": (lambda a: a.max(1), (x,)),
        "argmax of rows": (lambda a: a.argmax(1), (x,)),
        "softmax": (jax.nn.softmax, (x,)),
        "cumulative sum of rows": (lambda a: jnp.cumsum(a, 1), (x,)),
        "cumulative sum of all": (jnp.cumsum, (line,)),
        "sort of rows": (lambda a: jnp.sort(a, 1), (x,)),
        "sort of all": (jnp.sort, (line,)),
        "lexsort of two": (lambda a, i: jnp.lexsort((a, i)), (line, indices)),
        "sort of complex numbers": (lambda a: jnp.sort(a + 1j * a[::-1]), (line,)),
        "argsort of rows": (lambda a: jnp.argsort(a, 1), (x,)),
        "10 largest of rows": (lambda a: lax.top_k(a, 10), (x,)),
        "median of rows": (lambda a: jnp.median(a, 1), (x,)),
        "x[indices]": (lambda a, i: a[i], (line, indices)),
        "take_along_axis": (lambda a, i: jnp.take_along_axis(a, i, 1), (x, places)),
        "segment_sum": (lambda a, i: jax.ops.segment_sum(a, i, 1000), (line, indices)),
        "searchsorted in 1,000": (lambda a: jnp.searchsorted(jnp.sort(a[:1000]), a), (line,)),
        "histogram": (lambda a: jnp.histogram(a, 50)[0], (line,)),
        "random bits": (lambda k: jax.random.bits(k, (1000, 1000)), (key,)),
        "random normal": (lambda k: jax.random.normal(k, (1000, 1000)), (key,)),
        "fft of rows": (jnp.fft.fft, (x.astype(jnp.complex64),)),
        "matmul": (lambda a: a @ a, (x,)),
        "bfloat16 matmul": (lambda a: a @ a, (half,)),
        "convolution 3x3, 8 of 512x512": (convolve, (image, filters)),
        "its gradient by the filters": (
            jax.grad(lambda w, a: convolve(a, w).sum()),
            (filters, image),
        ),
        "depthwise convolution 3x3, 8 of 512x512": (
            lambda a, w: convolve(a, w, feature_group_count=8),
            (image, jnp.ones((3, 3, 1, 8))),
        ),
        "100,000 numbers convolved with 500": (jnp.convolve, (line[:100000], line[:500])),
        "maximum pooling, 8 of 512x512": (pool, (image,)),
        "its gradient": (jax.grad(lambda a: pool(a).sum()), (image,)),
        "attention, 2x8x128x64": (attend, (heads,)),
        "its gradient by the heads": (jax.grad(lambda q: attend(q).sum()), (heads,)),
        "cholesky, 300x300": (jnp.linalg.cholesky, (symmetric,)),
        "eigh, 300x300": (jnp.linalg.eigh, (symmetric,)),
        "loop of 1,000 that sets an element each": (set_each, (line,)),
        "scan of 1,000 vectors of 100": (recur, (x,)),
        "scan of 20,000 numbers": (average, (line[:20000],)),
    }


def measure() -> None:
    """In a child: a line of JSON with the release and the best seconds of each operation."""
    import jax

    best = {}
    for name, (function, arguments) in cases().items():
        compiled = jax.jit(function)
        jax.block_until_ready(compiled(*arguments))
        began = time.perf_counter()
        best[name] = float("inf")
        for _ in range(RUNS):
            before = time.perf_counter()
            jax.block_until_ready(compiled(*arguments))
            best[name] = min(best[name], time.perf_counter() - before)
            if time.perf_counter() - began > SECONDS:
                break
    print(json.dumps({"release": f"jax {jax.__version__}", "seconds": best}))


def _child(python: str, library: str, platform: str) -> dict[str, Any]:
    environment = dict(
        os.environ,
        JAX_PLATFORMS=platform,
        VINTAGE_PLUGIN_LIBRARY=library,
        PYTHONPATH=str(ROOT / "harness/plugin"),
        TF_CPP_MIN_LOG_LEVEL="3",
    )
    done = subprocess.run(
        [python, str(HERE / "operations_speed.py"), "--child"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True,
    )  # fmt: skip
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "an unknown processor"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--python", help="of an environment with JAX")
    parser.add_argument("--library", help="libvintage_pjrt.so")
    options = parser.parse_args()
    if options.child:
        measure()
        return
    if not options.python or not options.library:
        parser.error("--python and --library are needed")
    best: dict[str, dict[str, float]] = {"vintage": {}, "cpu": {}}
    release = ""
    for round_number in range(ROUNDS):
        for platform, seconds in best.items():
            print(f"{platform}, round {round_number + 1} of {ROUNDS}", file=sys.stderr)
            found = _child(options.python, options.library, platform)
            release = found["release"]
            for name, value in found["seconds"].items():
                seconds[name] = min(seconds.get(name, value), value)
    lines = [
        INTRODUCTION.format(
            release=release, cores=os.cpu_count(), processor=_processor(), runs=RUNS, rounds=ROUNDS
        ),
        "| operation | engine | XLA CPU | times |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, engine in best["vintage"].items():
        other = best["cpu"][name]
        lines.append(f"| {name} | {engine * 1e3:.2f} | {other * 1e3:.2f} | {engine / other:.2g} |")
    PAGE.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()

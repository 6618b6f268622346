"""Functions of arrays without variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from vintage_tensorflow.produce.model import Built, Model, integers, numbers


def _solve() -> Built:
    def function(matrix: Any, right: Any) -> Any:
        symmetric = tf.matmul(matrix, matrix, transpose_b=True) + 4.0 * tf.eye(4)
        factor = tf.linalg.cholesky(symmetric)
        return tf.linalg.triangular_solve(factor, right)

    return Built(function, (numbers("matrix", 4, 4), numbers("right", 4, 2)))


def _spectrum() -> Built:
    def function(signal: Any) -> Any:
        spectrum = tf.signal.rfft(signal)
        half = tf.constant(0.5 + 0j, "complex64")
        return tf.math.real(spectrum), tf.signal.irfft(spectrum * half)

    return Built(function, (numbers("signal", 2, 16),))


def _ranking() -> Built:
    def function(x: Any) -> Any:
        values, places = tf.math.top_k(x, k=3)
        return values, places, tf.argsort(x, axis=-1, stable=True)

    return Built(function, (numbers("x", 2, 9),))


def _resize() -> Built:
    return Built(
        lambda image: tf.image.resize(image, (6, 6), method="bilinear"),
        (numbers("image", 1, 4, 4, 3),),
    )


def _random_numbers() -> Built:
    return Built(
        lambda seed: tf.random.stateless_uniform((3, 4), seed, alg="philox"),
        (np.array([3, 14], np.int32),),
    )


def _selection() -> Built:
    """Its output's shape depends on its input."""
    return Built(lambda x: tf.boolean_mask(x, x > 0), (numbers("x", 12),))


def _integers() -> Built:
    def function(x: Any, y: Any) -> Any:
        return tf.bitwise.bitwise_xor(x, y), tf.math.floordiv(x, y), tf.math.floormod(x, y)

    return Built(
        function,
        (integers("x", -50, 50, 8, dtype="int64"), integers("y", 1, 9, 8, dtype="int64")),
    )


MODELS = (
    Model("solve", "tf.linalg.cholesky", _solve),
    Model("spectrum", "tf.signal.rfft", _spectrum),
    Model("ranking", "tf.math.top_k", _ranking),
    Model("resize", "tf.image.resize", _resize),
    Model("random_numbers", "tf.random.stateless_uniform", _random_numbers),
    Model("selection", "tf.boolean_mask", _selection),
    Model("integers", "tf.math.floordiv", _integers),
)

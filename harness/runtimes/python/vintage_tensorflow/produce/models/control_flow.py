"""Loops and branches, which a SavedModel keeps as functions of their own, and models that change or
look up what they keep."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from vintage_tensorflow.produce.model import Built, Model, integers, numbers


def _loop() -> Built:
    """Newton's square roots, until they are near."""

    def function(x: Any) -> Any:
        def goes_on(root: Any) -> Any:
            return tf.reduce_max(tf.abs(root * root - x)) > 1e-4

        def step(root: Any) -> Any:
            return ((root + x / root) / 2.0,)

        return tf.while_loop(goes_on, step, (x,), maximum_iterations=20)[0]

    return Built(function, (np.array([1.0, 2.0, 9.0, 0.5], np.float32),))


def _branch() -> Built:
    return Built(
        lambda choice, x: tf.switch_case(choice, [lambda: x + 1.0, lambda: x * x, lambda: -x]),
        (np.array(1, np.int32), numbers("x", 3)),
    )


def _condition() -> Built:
    threshold = tf.Variable(0.25)

    def function(x: Any) -> Any:
        return tf.cond(tf.reduce_mean(x) > threshold, lambda: tf.exp(x), lambda: tf.sin(x))

    return Built(function, (numbers("x", 6),), (threshold,))


def _recurrence() -> Built:
    """A gated cell over the steps of a sequence."""
    inner, outer = (tf.Variable(numbers(each, 3, 3, scale=0.4)) for each in ("inner", "outer"))

    def function(sequence: Any) -> Any:
        def step(state: Any, element: Any) -> Any:
            gate = tf.sigmoid(element @ inner)
            return gate * state + (1.0 - gate) * tf.tanh(state @ outer)

        return tf.scan(step, sequence, initializer=tf.zeros((2, 3)))

    return Built(function, (numbers("sequence", 5, 2, 3),), (inner, outer))


def _counter() -> Built:
    count = tf.Variable(tf.zeros(3))
    return Built(lambda x: count.assign_add(x) * 2.0, (numbers("x", 3),), (count,))


def _table() -> Built:
    keys, values = np.arange(6, dtype=np.int64), np.arange(6, dtype=np.int64) ** 2
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
    return Built(table.lookup, (integers("ids", 0, 9, 7, dtype="int64"),), (table,))


MODELS = (
    Model("loop", "tf.while_loop", _loop),
    Model("branch", "tf.switch_case", _branch),
    Model("condition", "tf.cond", _condition),
    Model("recurrence", "tf.scan", _recurrence),
    Model("counter", "tf.Variable.assign_add", _counter, "effects"),
    Model("table", "tf.lookup", _table),
)

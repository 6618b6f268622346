"""Models that change or look up what they keep."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from vintage_tensorflow.produce.model import Built, Model, integers, numbers


def _counter() -> Built:
    count = tf.Variable(tf.zeros(3))

    def function(x: Any) -> Any:
        return count.assign_add(x) * 2.0

    return Built(function, (numbers("x", 3),), (count,))


def _table() -> Built:
    keys, values = np.arange(6, dtype=np.int64), np.arange(6, dtype=np.int64) ** 2
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)

    def function(ids: Any) -> Any:
        return table.lookup(ids)

    return Built(function, (integers("ids", 0, 9, 7, dtype="int64"),), (table,))


MODELS = (
    Model("counter", "tf.Variable.assign_add", _counter, "effects"),
    Model("table", "tf.lookup", _table),
)

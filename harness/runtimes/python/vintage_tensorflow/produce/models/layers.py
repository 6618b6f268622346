"""Layers over variables: what a trained model is made of."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from vintage_tensorflow.produce.model import Built, Model, integers, numbers


def _variable(name: str, *shape: int, scale: float = 0.3, dtype: str = "float32") -> Any:
    return tf.Variable(numbers(name, *shape, scale=scale), dtype=dtype)


def _dense(batch: int | None) -> Built:
    kernel, bias = _variable("kernel", 8, 16), _variable("bias", 16)
    last = _variable("last", 16, 4)

    def function(x: Any) -> Any:
        return tf.nn.softmax(tf.nn.relu(x @ kernel + bias) @ last)

    return Built(function, (numbers("x", 5, 8),), (kernel, bias, last), ((batch, 8),))


def _mixed_precision() -> Built:
    kernel = _variable("kernel", 8, 8, dtype="bfloat16")
    return Built(
        lambda x: tf.cast(tf.cast(x, tf.bfloat16) @ kernel, tf.float32),
        (numbers("x", 4, 8),),
        (kernel,),
    )


def _convolution() -> Built:
    kernel, bias = _variable("kernel", 3, 3, 2, 4), _variable("bias", 4)
    mean, variance = _variable("mean", 4), tf.Variable(tf.ones(4) * 1.5)

    def function(image: Any) -> Any:
        features = tf.nn.conv2d(image, kernel, strides=1, padding="SAME") + bias
        features = tf.nn.batch_normalization(features, mean, variance, None, None, 1e-3)
        return tf.nn.max_pool2d(tf.nn.relu(features), 2, 2, "VALID")

    return Built(function, (numbers("image", 1, 8, 8, 2),), (kernel, bias, mean, variance))


def _depthwise_convolution() -> Built:
    depthwise, pointwise = _variable("depthwise", 3, 3, 4, 1), _variable("pointwise", 1, 1, 4, 6)

    def function(image: Any) -> Any:
        features = tf.nn.depthwise_conv2d(image, depthwise, [1, 1, 1, 1], "VALID")
        return tf.nn.conv2d(features, pointwise, strides=2, padding="VALID")

    return Built(function, (numbers("image", 2, 7, 7, 4),), (depthwise, pointwise))


def _attention() -> Built:
    weights = [_variable(each, 8, 2, 4) for each in ("query", "key", "value")]
    last = _variable("output", 2, 4, 8)

    def function(x: Any) -> Any:
        query, key, value = (tf.einsum("bsd,dhk->bhsk", x, each) for each in weights)
        scores = tf.einsum("bhsk,bhtk->bhst", query, key) / 2.0
        mixed = tf.einsum("bhst,bhtk->bhsk", tf.nn.softmax(scores), value)
        return tf.einsum("bhsk,hkd->bsd", mixed, last)

    return Built(function, (numbers("x", 2, 5, 8),), (*weights, last))


def _normalization() -> Built:
    scale, offset = _variable("scale", 6), _variable("offset", 6)

    def function(x: Any) -> Any:
        mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
        return tf.nn.gelu((x - mean) * tf.math.rsqrt(variance + 1e-5) * scale + offset)

    return Built(function, (numbers("x", 4, 6),), (scale, offset))


def _embedding() -> Built:
    table = _variable("table", 10, 4)

    def function(ids: Any, segments: Any) -> Any:
        rows = tf.nn.embedding_lookup(table, ids)
        return tf.math.unsorted_segment_sum(rows, segments, 3)

    return Built(function, (integers("ids", 0, 10, 7), integers("segments", 0, 3, 7)), (table,))


def _quantization() -> Built:
    return Built(
        lambda x: tf.quantization.fake_quant_with_min_max_args(x, min=-2.0, max=2.0, num_bits=8),
        (numbers("x", 3, 5),),
    )


MODELS = (
    Model("dense", "tf.matmul", lambda: _dense(5)),
    Model("dense_of_any_batch", "tf.matmul", lambda: _dense(None), "poly"),
    Model("mixed_precision", "tf.matmul", _mixed_precision),
    Model("convolution", "tf.nn.conv2d", _convolution),
    Model("depthwise_convolution", "tf.nn.depthwise_conv2d", _depthwise_convolution),
    Model("attention", "tf.einsum", _attention),
    Model("layer_normalization", "tf.nn.moments", _normalization),
    Model("embedding", "tf.gather", _embedding),
    Model("fake_quantization", "tf.quantization", _quantization),
)

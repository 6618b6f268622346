"""Models that jax2tf makes of functions of JAX. The release of JAX comes from an environment of its
own, behind the packages of TensorFlow's."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from vintage_python.environment.beside import Beside
from vintage_python.failure import Failure
from vintage_tensorflow.produce.model import Built, Model, integers, numbers


class _Jax:
    def __init__(self, environment: Path) -> None:
        packages = "lib/python{}.{}/site-packages".format(*sys.version_info)
        if not (environment / packages / "jax").is_dir():
            raise Failure(f"{environment} has no {packages}/jax: TensorFlow and JAX run in one "
                          "interpreter, so take a release of JAX for the same Python")  # fmt: skip
        # Behind TensorFlow's, whose packages count, and what lies beside them.
        sys.path.append(str(environment / packages))
        try:
            self.jax = importlib.import_module("jax")
            self.export = importlib.import_module("jax.export")
            self.jax2tf = importlib.import_module("jax.experimental.jax2tf")
        except ImportError as problem:
            raise Failure(f"jax2tf does not import beside TensorFlow {tf.__version__}: "
                          f"{problem}") from problem  # fmt: skip

    def _dense(self, x: Any, weights: Any, bias: Any) -> Any:
        return self.jax.numpy.tanh(x @ weights + bias)

    def dense(self, **options: Any) -> Built:
        function = self.jax2tf.convert(self._dense, **options)
        return Built(function, (numbers("x", 4, 3), numbers("weights", 3, 5), numbers("bias", 5)))

    def any_batch(self) -> Built:
        function = self.jax2tf.convert(self._dense, polymorphic_shapes=["(b, 3)", None, None])
        inputs = (numbers("x", 4, 3), numbers("weights", 3, 5), numbers("bias", 5))
        return Built(function, inputs, shapes=((None, 3), (3, 5), (5,)))

    def any_sizes(self) -> Built:
        """The second dimension is even, and the result has half of it."""
        function = self.jax2tf.convert(
            lambda x: x.reshape((x.shape[0], -1, 2)).sum(axis=2), polymorphic_shapes=["(b, 2*n)"]
        )
        return Built(function, (numbers("x", 3, 8),), shapes=((None, None),))  # fmt: skip

    def parameters(self) -> Built:
        """They are variables, which the SavedModel keeps beside the module."""
        layers = [{"weights": tf.Variable(numbers("weights", 3, 3)),
                   "bias": tf.Variable(numbers("bias", 3))} for _ in range(2)]  # fmt: skip

        def network(layers: Any, x: Any) -> Any:
            for layer in layers:
                x = self._dense(x, **layer)
            return x

        function = self.jax2tf.convert(network, polymorphic_shapes=[None, "(b, 3)"])
        return Built(lambda x: function(layers, x), (numbers("x", 4, 3),),
                     tuple(layer[name] for layer in layers for name in layer),
                     shapes=((None, 3),))  # fmt: skip

    def gradient(self, batch: int | None) -> Built:
        """By TensorFlow's tape, for which jax2tf converts JAX's derivative."""
        function = self.jax2tf.convert(
            lambda x: self.jax.numpy.sin(x) * x, polymorphic_shapes=[f"({batch or 'b'}, 3)"]
        )

        def value_and_gradient(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                value = function(x)
            return value, tape.gradient(value, x)

        return Built(value_and_gradient, (numbers("x", 4, 3),), shapes=((batch, 3),),
                     with_gradients=True)  # fmt: skip

    def parameters_gradient(self) -> Built:
        weights = tf.Variable(numbers("weights", 3, 5))
        function = self.jax2tf.convert(lambda w, x: self.jax.numpy.tanh(x @ w).sum())

        def gradient(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = function(weights, x)
            return loss, tape.gradient(loss, weights)

        return Built(gradient, (numbers("x", 4, 3),), (weights,), with_gradients=True)

    def call_tf(self, as_graph: bool) -> Built:
        """TensorFlow inside JAX; as a graph the module calls it by its place in function_list."""

        def inner(x: Any) -> Any:
            return tf.math.reduce_logsumexp(x, axis=1)

        # It is asked for the shape of its result, which a graph's call does not say.
        called = self.jax2tf.call_tf(
            inner,
            call_tf_graph=as_graph,
            has_side_effects=False,
            output_shape_dtype=self.jax.ShapeDtypeStruct((4,), np.float32),
        )
        function = self.jax2tf.convert(lambda x: called(self.jax.numpy.cos(x)) * 2)
        return Built(function, (numbers("x", 4, 3),))  # fmt: skip

    def disabled(self, check: str) -> Built:
        """A check that XlaCallModule leaves out: of the platform, or of a target that JAX does
        not promise."""
        checks = self.export.DisabledSafetyCheck
        if check == "platform":
            return self.dense(native_serialization_platforms=["tpu"],
                              native_serialization_disabled_checks=[checks.platform()])  # fmt: skip
        return self.dense(
            native_serialization_disabled_checks=[checks.custom_call("a_target_of_mine")]
        )

    def loop(self) -> Built:
        def step(total: Any, row: Any) -> Any:
            total = total * 0.5 + row
            return total, total.sum()

        return Built(self.jax2tf.convert(lambda x: self.jax.lax.scan(step, x[0], x)),
                     (numbers("x", 6, 3),))  # fmt: skip

    def branch(self) -> Built:
        branches = (lambda x: x + 1, lambda x: x * x, lambda x: -x)
        return Built(self.jax2tf.convert(lambda i, x: self.jax.lax.switch(i, branches, x)),
                     (np.array(1, np.int32), numbers("x", 3)))  # fmt: skip

    def convolution(self) -> Built:
        def function(x: Any, kernel: Any) -> Any:
            return self.jax.nn.relu(self.jax.lax.conv(x, kernel, (1, 1), "SAME"))

        inputs = (numbers("x", 1, 2, 8, 8), numbers("kernel", 3, 2, 3, 3))
        return Built(self.jax2tf.convert(function), inputs)

    def random(self) -> Built:
        def function(seed: Any) -> Any:
            return self.jax.random.normal(self.jax.random.key(seed), (5,))

        return Built(self.jax2tf.convert(function), (integers("seed", 0, 9),))

    def order(self) -> Built:
        def function(x: Any) -> Any:
            return self.jax.numpy.sort(x), *self.jax.lax.top_k(x, 3)

        return Built(self.jax2tf.convert(function), (numbers("x", 2, 7),))


def models_with(found: Beside, environment: Path) -> list[Model]:
    """Those that a package beside TensorFlow makes with the release of JAX."""
    release = _Jax(environment).jax.__version__
    module = importlib.import_module(f"vintage_tensorflow.produce.models.{found.module}")
    return [Model(f"{found.name}-jax-{release}-{name}", "XlaCallModule", build, "poly")
            for name, build in module.models()]  # fmt: skip


def models_of(environment: Path) -> list[Model]:
    """Named by the release of JAX, since the TensorFlow that saves them is their producer."""
    jax = _Jax(environment)
    several = ["cpu", "cuda", "tpu"]

    def model(name: str, build: Callable[[], Built], variant: str = "static") -> Model:
        return Model(f"jax2tf-{jax.jax.__version__}-{name}", "XlaCallModule", build, variant)

    return [
        model("dense", jax.dense),
        model("any_batch", jax.any_batch, "poly"),
        model("any_sizes", jax.any_sizes, "poly"),
        model("parameters", jax.parameters, "poly"),
        model("gradient", lambda: jax.gradient(4), "vjp"),
        model("gradient_of_any_batch", lambda: jax.gradient(None), "vjp"),
        model("gradient_of_parameters", jax.parameters_gradient, "vjp"),
        model("platforms", lambda: jax.dense(native_serialization_platforms=several),
              "multi_platform"),
        model("call_tf", lambda: jax.call_tf(False)),
        model("call_tf_as_graph", lambda: jax.call_tf(True)),
        model("disabled_platform", lambda: jax.disabled("platform")),
        model("disabled_custom_call", lambda: jax.disabled("custom_call")),
        model("loop", jax.loop),
        model("branch", jax.branch),
        model("convolution", jax.convolution),
        model("random", jax.random),
        model("order", jax.order),
    ]  # fmt: skip

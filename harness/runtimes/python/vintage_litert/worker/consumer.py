"""Executes artifacts with LiteRT: its interpreter runs the TFLite model of the module."""

import numpy as np

from vintage_litert.release import LITERT, interpreter
from vintage_litert.worker.converter import convert_module
from vintage_python.worker.elements import Array
from vintage_python.worker.modules import ModuleConsumer
from vintage_python.worker.outcome import Progress


class LiteRtConsumer(ModuleConsumer):
    def __init__(self) -> None:
        super().__init__(LITERT)

    def run(self, code: bytes, arguments: list[Array], progress: Progress) -> list[Array]:
        converted = convert_module(code, progress)
        with progress.timed("compile", "compile"):
            model = interpreter()(model_content=converted, num_threads=1)
            indices = [each["index"] for each in model.get_input_details()]
            for index, argument in zip(indices, arguments, strict=True):
                model.resize_tensor_input(index, argument.shape)
            model.allocate_tensors()
        with progress.timed("run", "run"):
            for index, argument in zip(indices, arguments, strict=True):
                model.set_tensor(index, argument)
            progress.executed(model.invoke)
            return [np.array(model.get_tensor(e["index"])) for e in model.get_output_details()]

"""The models that a release saves: small ones, of what real ones are made of."""

from vintage_tensorflow.produce.model import Model


def all_models() -> list[Model]:
    from vintage_tensorflow.produce.models import arrays, control_flow, layers, modules

    return [*layers.MODELS, *arrays.MODELS, *control_flow.MODELS, *modules.MODELS]

"""Chess, as a domain of the study: what the command line knows of it."""

from phasezoo.experiments.m2cts.duel.config import PRESETS, M2ctsConfig
from phasezoo.experiments.study import Study

__all__ = ["CHESS"]

CHESS: Study[M2ctsConfig] = Study(
    name="m2cts",
    program="phasezoo reproduce m2cts",
    presets=PRESETS,
    stages="phasezoo.experiments.m2cts.duel.run:DuelRun",
    packages={
        "torch": "train",
        "safetensors": "train",
        "tensorboard": "train",
        "onnxruntime": "onnx",
        "onnx": "onnx",
        "matplotlib": "plot",
        "jinja2": "plot",
    },
)

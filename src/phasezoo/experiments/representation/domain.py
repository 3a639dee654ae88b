"""The study of representations: what the command line knows of it."""

from phasezoo.experiments.representation.config import PRESETS, RepresentationConfig
from phasezoo.experiments.study import Study

__all__ = ["REPRESENTATION"]

REPRESENTATION: Study[RepresentationConfig] = Study(
    name="representation",
    program="phasezoo reproduce representation",
    presets=PRESETS,
    stages="phasezoo.experiments.representation.run:RepresentationRun",
    packages={
        "torch": "train",
        "safetensors": "train",
        "pyarrow": "data",
        "onnxruntime": "onnx",
        "onnx": "onnx",
        "captum": "captum",
        "matplotlib": "plot",
        "jinja2": "plot",
    },
    any_game=True,
)

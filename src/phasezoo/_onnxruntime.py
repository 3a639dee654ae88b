"""ONNX Runtime, loaded without its telemetry. Import it from here."""

import os

# From 1.29 on it sends what it runs, and names and hashes of models, to Microsoft unless this is
# set when it is loaded; it writes into the user's cache folder for that. A user's value stays.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime

__all__ = ["onnxruntime"]

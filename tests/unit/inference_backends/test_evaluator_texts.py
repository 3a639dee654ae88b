"""Evaluators by short texts, and the way back."""

import pytest

from phasezoo import inference
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference import making
from phasezoo.inference.storage import packaged

SMALL = "phasezoo/chess-small"


@pytest.mark.parametrize(
    ("text", "options", "spec"),
    [
        ("uniform", {}, "uniform"),
        (f"{SMALL}:threads=1", {}, f"network:{SMALL},threads=1"),
        (f"network:{SMALL}", {"threads": 1, "backend": "onnx"}, None),
    ],
)
def test_a_text_makes_an_evaluator_and_leads_back(text, options, spec):
    made = inference.make(text, **options)
    again = inference.spec_of(made)
    assert spec in (None, again)
    assert type(inference.make(again)) is type(made)


def test_what_load_made_has_a_text_too():
    folder = packaged.models() / "krk-small"
    made = inference.load(folder, threads=1)
    text = inference.spec_of(made)
    assert text.startswith(f"network:{folder},backend=")
    assert text.endswith("threads=1")
    assert inference.spec_of(inference.make(text)) == text == inference.spec_of(text)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("unifrom", InvalidConfig, "no such evaluator; did you mean 'uniform'"),
        ("uniform:x=1", InvalidConfig, "x=: uniform has no such option"),
        (f"{SMALL}:thread=1", InvalidConfig, "did you mean threads="),
        (f"{SMALL}:backend=tpu", InvalidConfig, "backend='tpu': expected one of auto, "),
        ("./no/such", CheckpointError, "no/such"),
        ("maia-none.pb.gz", CheckpointError, "maia-none.pb.gz: no such file"),
    ],
)
def test_what_is_refused(text, error, words):
    with pytest.raises(error, match=words):
        inference.make(text)


def test_evaluators_of_ones_own(monkeypatch):
    monkeypatch.setattr(making.REGISTRY, "own", {})

    class Mine(inference.Uniform):
        def __init__(self, size: int = 3) -> None:
            self.size = size

    inference.register("mine", Mine)
    assert inference.make("mine:size=4").size == 4
    assert {"mine", "network", "uniform", SMALL} <= set(inference.names())
    with pytest.raises(InvalidConfig, match="an evaluator of the package"):
        inference.register("uniform", inference.Uniform)
    with pytest.raises(InvalidConfig, match="no text names"):
        inference.spec_of(object())

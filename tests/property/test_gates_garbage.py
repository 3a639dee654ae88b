"""Whatever text is given as a gate: a gate or an `InvalidGate`, and specs are fixed points."""

import pickle
import re

import pytest
from hypothesis import given, settings, strategies as st

from phasezoo import games, gating
from phasezoo.errors import InvalidGate

START = games.make("chess").initial_state()

words = st.sampled_from(
    ["none", "lichess", "moves", "material", "mixedness", "hash", "monotone", "classic", "engine"]
)
numbers = st.integers(-5, 10**6).map(str)
specs = st.one_of(
    st.text(),
    st.text(st.characters()),  # lone surrogates too
    st.lists(st.one_of(words, numbers, st.sampled_from([":", ",", " ", ""])), max_size=8).map(
        "".join
    ),
    st.builds("{}:{}".format, words, st.lists(numbers, max_size=22).map(",".join)),
)


@settings(deadline=None)
@given(specs, st.booleans())
def test_any_text_is_a_gate_or_a_typed_error(spec, monotone):
    try:
        gate = gating.make(spec, game="chess", monotone=monotone)
    except InvalidGate:
        with pytest.raises(InvalidGate) as raised:
            gating.make(spec)
        assert re.search("write|such as", str(raised.value))
        return
    assert gating.make(gate.spec) == gate == pickle.loads(pickle.dumps(gate))
    assert gating.make(gate.spec).spec == gate.spec
    assert len(gate.names) == len(set(gate.names)) == gate.num_phases <= 20
    assert 0 <= gate(START) < gate.num_phases
    assert gate.monotone >= monotone


@settings(deadline=None)
@given(st.lists(st.integers(0, 9999), min_size=1, max_size=25))
def test_thresholds_are_accepted_exactly_where_they_are_strictly_monotone(thresholds):
    text = ",".join(map(str, thresholds))
    short = len(thresholds) <= 19
    for name, ordered in (
        ("material", sorted(set(thresholds), reverse=True)),
        ("mixedness", sorted(set(thresholds))),
    ):
        if short and thresholds == ordered:
            assert gating.make(f"{name}:{text}").num_phases == len(thresholds) + 1
        else:
            with pytest.raises(InvalidGate):
                gating.make(f"{name}:{text}")

import pytest

from phasezoo.data.centipawns import centipawns_of_value, value_of_centipawns


def test_the_published_match_conditions():
    """Resigning at 600 and drawing within 20 centipawns, as adjudication has them as values."""
    assert value_of_centipawns(600) == pytest.approx(0.867, abs=5e-4)
    assert value_of_centipawns(-20) == pytest.approx(-0.065, abs=5e-4)


def test_there_and_back():
    for centipawns in range(-2000, 2001, 7):
        assert centipawns_of_value(value_of_centipawns(centipawns)) == centipawns
    assert centipawns_of_value(1.0) == 9999 == -centipawns_of_value(-1.0)
    assert centipawns_of_value(-1.0 + 1e-18) == -9999

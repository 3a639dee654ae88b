"""What a gate makes of a store: transitions, lengths, results, and fitted thresholds."""

import numpy as np
import pytest

from phasezoo import training
from phasezoo.data.phase_study import fitted_gate, study_phases
from phasezoo.errors import InvalidConfig, InvalidGate


def columns_of(*games):
    """A store of Connect Four of games written as columns, each with what the first player got."""
    actions = [[int(column) - 1 for column in played] for played, _ in games]
    return training.GameStore(
        "connect-four",
        np.array([action for game in actions for action in game], dtype=np.uint16),
        np.cumsum([0, *map(len, actions)]),
        np.array([[value, -value] for _, value in games], dtype=np.float32),
    )


def test_phases_are_followed_through_every_game():
    store = columns_of(("1122334", 1.0), ("12", 0.0), ("11223", -1.0))
    study = study_phases(store, store.positions("plies:1,4"))
    assert study.names == ("up to 1", "2–4", "over 4")
    assert study.positions.tolist() == [6, 6, 2]
    assert study.games.tolist() == [3, 2, 1]
    np.testing.assert_allclose(study.shares, [6 / 14, 6 / 14, 2 / 14])
    np.testing.assert_allclose(study.plies[:, 0], [2, 3, 2])
    np.testing.assert_allclose(study.first[:, 0], [0, 2, 5])
    assert study.transitions.tolist() == [[3, 2, 0], [0, 4, 1], [0, 0, 1]]
    assert study.returning == 0
    np.testing.assert_allclose(study.wins, [[1 / 3, 1 / 3], [1 / 2, 1 / 2], [1, 0]])
    np.testing.assert_allclose(study.draws, [1 / 3, 0, 0])


def test_players_who_move_at_once_have_phases_of_their_own():
    actions = np.zeros(3 * 4, dtype=np.uint16)  # everybody stands still for three plies
    returns = [[1.0, -1.0, -1.0, -1.0]]
    store = training.GameStore("pommerman-ffa", actions, [0, 3], returns, starts={0: "seed:1"})
    study = study_phases(store, store.positions("plies:0"))
    assert study.positions.tolist() == [4, 8]
    assert study.games.tolist() == [1, 1]
    assert study.plies.tolist() == [[1, 0], [2, 0]]
    assert study.first.tolist() == [[0, 0], [1, 0]]
    assert study.transitions.tolist() == [[0, 4], [0, 4]]
    assert study.wins.tolist() == [[1, 0, 0, 0]] * 2


def test_games_that_go_back_are_counted():
    store = columns_of(("1122334", 1.0), ("12", 0.0))
    study = study_phases(store, store.positions("hash:2"))
    phases = store.positions("hash:2").phase
    back = [(np.diff(part) < 0).any() for part in np.split(phases, store.offsets[1:-1])]
    assert study.returning == sum(back) > 0


def test_a_phase_that_never_comes_is_nan_and_no_warning():
    store = columns_of(("12", 0.0))
    study = study_phases(store, store.positions("plies:30"))
    assert study.positions.tolist() == [2, 0]
    assert np.isnan(study.plies[1]).all()
    assert np.isnan(study.wins[1]).all()
    assert np.isnan(study.next_shares[1]).all()


@pytest.mark.parametrize(("gate", "phases"), [("plies", 3), ("material", 3), ("mixedness", 4)])
def test_fitted_thresholds_give_phases_of_equal_volume(gate, phases):
    store = training.GameStore.sample("chess").subset(np.arange(300))
    spec = fitted_gate(store, gate, phases)
    table = store.positions(spec)
    shares = table.positions_per_phase() / len(table)
    # Another choice of any one threshold is no better: numbers are whole.
    wanted = np.cumsum(np.full(phases, 1 / phases))[:-1]
    error = np.abs(np.cumsum(shares)[:-1] - wanted)
    thresholds = [int(text) for text in spec.split(":")[1].split(",")]
    for k in range(phases - 1):
        for step in (-1, 1):
            other = sorted({*thresholds[:k], thresholds[k] + step, *thresholds[k + 1 :]})
            if len(other) < phases - 1:
                continue
            ordered = other if thresholds == sorted(thresholds) else other[::-1]
            again = store.positions(f"{gate}:{','.join(map(str, ordered))}")
            share = np.cumsum(again.positions_per_phase() / len(again))[k]
            assert abs(share - wanted[k]) >= error[k] - 1e-12


def test_thresholds_that_cannot_be_fitted_are_errors():
    store = columns_of(("1122334", 1.0))
    assert fitted_gate(store, "plies", 7).count(",") == 5
    with pytest.raises(InvalidConfig, match="too many have the same number"):
        fitted_gate(store, "plies", 12)
    with pytest.raises(InvalidConfig, match="2 or more"):
        fitted_gate(store, "plies", 1)
    for gate in ("lichess", "hash", "unheard-of"):
        with pytest.raises(InvalidGate):
            fitted_gate(store, gate, 2)


def test_a_fitted_gate_has_no_phase_that_no_position_is_in():
    store = training.GameStore.sample("connect-four").subset(np.arange(60))
    for phases in (2, 3):
        spec = fitted_gate(store, "threats", phases)
        assert store.positions(spec).positions_per_phase().min() > 0, spec
    with pytest.raises(InvalidConfig, match="cannot divide these positions"):
        fitted_gate(store, "threats", 5)

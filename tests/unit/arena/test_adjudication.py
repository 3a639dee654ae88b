import json

import numpy as np
import pytest

from phasezoo import arena, games, inference
from phasezoo.arena.adjudication import Adjudication, Adjudicator
from phasezoo.errors import InvalidConfig


def verdicts(rules, values, first_ply=1):
    """Verdicts on a game in which players 0 and 1 move in turn with these values."""
    adjudicator = Adjudicator(rules)
    found = [
        adjudicator.watch(index % 2, value, first_ply + index) for index, value in enumerate(values)
    ]
    return [None if verdict is None else verdict.kind for verdict in found]


def test_a_player_resigns_after_enough_lost_moves_in_a_row():
    rules = Adjudication(resign_moves=2)
    game = [0.9, -0.9, 0.9, -0.5, 0.9, -0.9, 0.9, -0.867]
    assert verdicts(rules, game) == [None] * 7 + ["resignation"]


def test_both_sides_must_see_the_draw():
    rules = Adjudication(draw_moves=2, draw_from_move=0)
    assert verdicts(rules, [0.0, 0.0, 0.0, -0.065]) == [None, None, None, "agreement"]
    assert verdicts(rules, [0.0, 0.3, 0.0, 0.3, 0.0, 0.3]) == [None] * 6


def test_no_draw_before_the_move():
    rules = Adjudication(draw_moves=1, draw_from_move=30)
    assert verdicts(rules, [0.0] * 4, first_ply=57) == [None, None, None, "agreement"]


def test_moves_without_a_value_break_the_row():
    rules = Adjudication(resign_moves=2, draw_moves=1, draw_from_move=0)
    assert verdicts(rules, [-0.9, None, None, None, -0.9, None]) == [None] * 6
    assert verdicts(rules, [0.0, None, 0.0, None]) == [None] * 4


def test_either_rule_may_be_off():
    assert verdicts(Adjudication(resign_value=None, resign_moves=1), [-1.0, -1.0]) == [None, None]
    off = Adjudication(draw_value=None, draw_moves=1, draw_from_move=0)
    assert verdicts(off, [0.0] * 6) == [None] * 6


@pytest.mark.parametrize(
    "options",
    [
        {"resign_value": 0.0},
        {"resign_value": 1.5},
        {"draw_value": -0.1},
        {"draw_value": 1.0},
        {"resign_moves": 0},
        {"draw_moves": 0},
        {"draw_from_move": -1},
        {"resign_value": float("nan")},
    ],
)
def test_rules_out_of_range(options):
    with pytest.raises(InvalidConfig):
        Adjudication(**options)


def test_tables_end_a_game_as_soon_as_they_know_it():
    rules = Adjudication(resign_value=None, draw_value=None, tables="game")
    match = arena.play_match("random", "tablebase", game="krk", games=8, seed=3, adjudication=rules)
    table = games.make("krk")
    for record in match.games:
        assert (record.ending, len(record.moves)) == ("tables", 1)
        state = table.from_fen(record.start_fen)
        state = state.play(state.parse_uci(record.moves[0]))
        worth = float(np.sign(table.action_scores(state).max()))
        assert record.returns == ((worth, -worth) if state.to_play == 0 else (-worth, worth))
    assert match.adjudicated == 8


def test_an_oracle_s_result_is_for_the_player_to_move():
    class MoverWins:
        """Knows that whoever is to move after six plies wins."""

        def look(self, leaves):
            late = np.array([state.ply >= 6 for state in leaves.states()])
            return inference.Known(late, np.ones(len(late), np.float32), np.where(late, 3, -1))

        def root_actions(self, state):
            return None

    rules = Adjudication(tables=MoverWins())
    match = arena.play_match("random", "random", "connect-four", 4, seed=1, adjudication=rules)
    assert {(r.ending, r.plies, r.returns) for r in match.games} == {("tables", 6, (1.0, -1.0))}


def test_checked_games_are_played_on_and_count_as_they_end():
    rules = Adjudication(tables="game", check=1.0)
    match = arena.play_match("random", "random", "krk", 8, seed=3, adjudication=rules)
    # White always has won at first, and chance does not mate.
    assert all(record.verdict == (1.0, -1.0) for record in match.games)
    assert {record.ending for record in match.games} == {"rules"}
    wrong = sum(record.returns != (1.0, -1.0) for record in match.games)
    assert match.checked_verdicts == (8, wrong)
    assert wrong > 0
    assert f"8 played on after a verdict, which was wrong in {wrong}" in match.summary()
    again = arena.GameRecord.from_dict(json.loads(json.dumps(match.games[0].to_dict())))
    assert again == match.games[0]


def test_the_share_of_checked_games_is_that_asked_for():
    rules = Adjudication(check=0.25)
    checked = sum(rules.is_checked(seed) for seed in range(4_000))
    assert 900 < checked < 1_100


@pytest.mark.parametrize(
    ("game", "rules"),
    [("chess", {"tables": "game"}), ("pommerman-ffa", {}), ("krk", {"tables": "syzygy/"})],
)
def test_what_cannot_be_adjudicated_is_refused(game, rules):
    with pytest.raises(InvalidConfig):
        arena.play_match("random", "random", game, 4, adjudication=Adjudication(**rules))

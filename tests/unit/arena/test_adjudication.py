import pytest

from phasezoo.arena.adjudication import Adjudication, Adjudicator
from phasezoo.errors import InvalidConfig


def verdicts(rules, values, first_ply=1):
    """Verdicts on a game in which players 0 and 1 move in turn with these values."""
    adjudicator = Adjudicator(rules)
    return [
        adjudicator.watch(index % 2, value, first_ply + index) for index, value in enumerate(values)
    ]


def test_a_player_resigns_after_enough_lost_moves_in_a_row():
    rules = Adjudication(resign_moves=2)
    game = [0.9, -0.9, 0.9, -0.5, 0.9, -0.9, 0.9, -0.867]
    assert verdicts(rules, game) == [None] * 7 + ["resign"]


def test_both_sides_must_see_the_draw():
    rules = Adjudication(draw_moves=2, draw_from_move=0)
    assert verdicts(rules, [0.0, 0.0, 0.0, -0.065]) == [None, None, None, "draw"]
    assert verdicts(rules, [0.0, 0.3, 0.0, 0.3, 0.0, 0.3]) == [None] * 6


def test_no_draw_before_the_move():
    rules = Adjudication(draw_moves=1, draw_from_move=30)
    assert verdicts(rules, [0.0] * 4, first_ply=57) == [None, None, None, "draw"]


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

"""Numbers of positions on the chess board that phases are told by."""

import pytest

from phasezoo import games


def measured(name, fen):
    game = games.make(name)
    return game.measures(game.from_fen(fen))


@pytest.mark.parametrize("name", ["chess", "chess960", "atomic", "crazyhouse"])
def test_the_first_position_has_every_piece_on_its_back_rank(name):
    game = games.make(name)
    assert game.measures(game.initial_state()) == {
        "pieces": 14,
        "White's back rank": 8,
        "Black's back rank": 8,
        "mixedness": 0,
    }


def test_kings_pawns_and_pockets_are_no_pieces():
    found = measured("crazyhouse", "4k3/P6p/8/8/3N4/8/8/R3K3[Qn] w - - 0 1")
    assert (found["pieces"], found["White's back rank"], found["Black's back rank"]) == (2, 2, 1)


def test_white_pieces_on_blacks_back_rank_do_not_count():
    found = measured("chess", "N3k3/8/8/8/8/8/8/n3K3 b - - 0 1")
    assert (found["White's back rank"], found["Black's back rank"]) == (1, 1)
    assert found["mixedness"] > 0


def test_other_games_have_none():
    assert games.make("connect-four").measures is None

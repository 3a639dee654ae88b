"""Mangled PGN: a game that is kept is the one that python-chess reads; the others say why not."""

import io
import random
from collections import Counter

import chess.pgn
import pytest
from pgn_mangling import KINDS, Mangled, mangled

from phasezoo.data.importer import read_pgn

CHUNKS = 20
GAMES = 500
RESULTS = ("1-0", "0-1", "1/2-1/2")


def written(moves):
    return [move.uci() for move in moves]


def moves_of(store, game):
    last = store.records.states(game)[-1]
    return [*last.moves, last.uci(int(store.actions[store.offsets[game + 1] - 1]))]


def text_of(number, game, case, draw):
    """The whole game: its number stands in a rating, so that a kept one is known again."""
    result, board = draw.choice(RESULTS), game.board()
    for move in game.moves:
        board.push(move)
    if not any(board.legal_moves):
        result = board.result()
    tags = [f'[Event "{number}"]', f'[WhiteElo "{number + 1}"]', f'[Result "{result}"]']
    if game.start:
        tags.append(f'[FEN "{game.start}"]')
    # A game may end without a result after its moves: then the tag's holds.
    ending = result if draw.random() < 0.8 else ""
    return "\n".join(tags) + "\n\n" + case.text + " " + ending + "\n\n"


def read_by_python_chess(text):
    """Its main line, or None where it met with an error."""
    game = chess.pgn.read_game(io.StringIO(text))
    return None if game.errors else written(game.mainline_moves())


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_move_is_left_out_of_a_game_that_is_kept(tmp_path, chunk):
    draw = random.Random(31_000 + chunk)
    games = [mangled(draw) for _ in range(GAMES)]
    texts = [text_of(number, *game, draw) for number, game in enumerate(games)]
    path = tmp_path / "mangled.pgn"
    path.write_text("".join(texts), newline="")
    store, report = read_pgn(path, max_named=10 * GAMES)
    assert report.games == report.kept + sum(report.skipped.values())
    ratings = store.columns.ratings[:, 0].tolist()
    kept = {elo - 1: moves_of(store, game) for game, elo in enumerate(ratings)}
    refused = {int(skipped.title.split(", ")[1]): skipped for skipped in report.named}
    assert kept.keys() | refused.keys() == set(range(GAMES))
    assert not kept.keys() & refused.keys()
    assert len(store) == len(kept), "every text is one game"
    counts = Counter()
    for number, ((_, case), text) in enumerate(zip(games, texts, strict=True)):
        if number in refused:
            check_refused(case, refused[number], text)
            continue
        counts[case.kind.split()[0]] += 1
        assert case.reasons is None, f"kept although it is mangled: {text}"
        if case.kept:
            assert kept[number] == written(case.moves), text
        else:
            theirs = read_by_python_chess(text)
            assert theirs is None or kept[number] == theirs, text
    # The test says something of all kinds: what may be read is, and often.
    assert counts["written"] == sum(case.kind.startswith("written") for _, case in games)
    assert counts["scratched"] > GAMES // 50
    assert counts["shuffled"] > 0


def check_refused(case: Mangled, skipped, text):
    assert not case.kept, f"{skipped.reason} ({skipped.message}): {text}"
    known = {"not a move", "null move", "unreadable text", "illegal move", "contradictory results"}
    known |= {"no moves", "cut off"}
    assert skipped.reason in (case.reasons or known), f"{skipped}: {text}"


def test_every_kind_is_drawn():
    draw = random.Random(1)
    drawn = {mangled(draw)[1].kind.removeprefix("written ") for _ in range(2_000)}
    assert len(drawn) >= len(KINDS) - 1 + 9

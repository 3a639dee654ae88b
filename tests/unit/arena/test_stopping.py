"""Matches that a sequential test ends."""

import json

import pytest

from phasezoo import agents, arena
from phasezoo.arena.records import GameRecord
from phasezoo.arena.stopping import SequentialTest
from phasezoo.errors import InvalidConfig, RunDirectoryError

TEST = arena.Sprt(0.0, 150.0, model="logistic")


def match(games=60, test=TEST, **options):
    strong, weak = agents.make("uct:c=1,simulations=24,seed=1"), agents.RandomAgent(seed=2)
    options = {"game": "connect-four", "openings": [[]], "seed": 1, "sprt": test, **options}
    return arena.play_match(strong, weak, games=games, **options)


def record(number, score):
    side = number % 2
    value = 2 * score - 1
    returns = (value, -value) if side == 0 else (-value, value)
    return GameRecord(
        number=number,
        group=number // 2,
        sides=(side, 1 - side),
        opening=0,
        start_fen=None,
        opening_moves=(),
        moves=(),
        returns=returns,
        reason="rules",
        ending="rules",
        seeds=(0, 0),
    )


def test_a_match_ends_at_the_same_pair_however_many_games_are_played_at_once():
    ended = [match(concurrency=concurrency) for concurrency in (1, 5, 64)]
    assert ended[0].verdict.decision == "H1"
    assert 4 < len(ended[0].games) < 40
    assert len(ended[0].games) % 2 == 0
    for other in ended:
        assert [game.moves for game in other.games] == [game.moves for game in ended[0].games]
        assert [side.work for side in other.sides] == [side.work for side in ended[0].sides]
        assert other.verdict == ended[0].verdict == other.sprt(0, 150, model="logistic")
    moves = sum(len(game.moves) for game in ended[0].games)
    assert sum(side.moves for side in ended[0].sides) == moves
    assert f"SPRT: {ended[0].verdict}" in ended[0].summary()
    # One pair less would not have decided.
    before = TEST.verdict([0, 0, 0, 0, 0])
    counts = [0] * 5
    for score in ended[0].group_scores:
        assert before.decision == "continue"
        counts[round(4 * score)] += 1
        before = TEST.verdict(counts)
    assert before.decision == "H1"


def test_an_undecided_match_is_played_to_its_end():
    played = match(games=4, concurrency=3)
    assert len(played.games) == 4
    assert played.verdict.decision == "continue"
    assert match(games=4, test=None).verdict is None


def test_a_log_goes_on_and_a_decided_one_plays_nothing(tmp_path):
    whole = match(concurrency=4)
    begun = match(concurrency=4, log=tmp_path / "log.jsonl", pgn=None)
    played = []
    again = match(concurrency=4, log=tmp_path / "log.jsonl", on_game=played.append)
    assert begun.games == again.games == whole.games
    works = [[side.work for side in each.sides] for each in (whole, begun, again)]
    assert works[0] == works[1] == works[2]
    assert played == []
    longer = match(concurrency=4, log=tmp_path / "log.jsonl", test=None, on_game=played.append)
    assert len(longer.games) == 60
    assert longer.games[: len(whole.games)] == whole.games
    assert len(played) < 60


@pytest.mark.parametrize("number", [4, 60])
def test_games_that_are_given_are_part_of_a_tested_match(number):
    whole = match(concurrency=64, test=None)
    tested = match(concurrency=4, completed=whole.games[:number])
    assert tested.verdict == match().verdict
    assert tested.games == whole.games[: len(tested.games)]


def test_a_row_of_a_log_with_other_sides_is_damaged(tmp_path):
    log = tmp_path / "log.jsonl"
    match(games=4, test=None, log=log)
    first, *rows = log.read_text().splitlines()
    entry = json.loads(rows[1])
    entry["sides"].pop()
    log.write_text("\n".join([first, rows[0], json.dumps(entry), *rows[2:]]) + "\n")
    with pytest.raises(RunDirectoryError, match="line 3 is damaged"):
        match(games=4, test=None, log=log)


def test_pairs_count_in_order_of_their_numbers():
    test = SequentialTest(arena.Sprt(0.0, 100.0, model="logistic"))
    test.add(record(number, 1.0) for number in range(2, 200))
    assert test.verdict.llr == 0
    test.add([record(1, 1.0)])
    assert not test.is_decided
    test.add([record(0, 1.0)])
    assert test.verdict.decision == "H1"
    games = [record(number, 1.0) for number in range(200)]
    kept = test.counted(games)
    assert 0 < len(kept) < 200
    assert kept == games[: len(kept)]


def test_games_of_more_than_two_have_no_such_test():
    simple = agents.SimpleAgent()
    with pytest.raises(InvalidConfig, match="sprt is for two players"):
        arena.play_match(simple, simple, game="pommerman-ffa", games=4, sprt=TEST)
    with pytest.raises(InvalidConfig, match=r"sprt=\(0, 5\): expected is arena.Sprt"):
        match(test=(0, 5))


def test_results_by_who_moves_first_add_up():
    played = match(games=12, test=None)
    first, second = played.by_player
    assert sum(first) == sum(second) == 6
    assert [a + b for a, b in zip(first, second, strict=True)] == list(played.trinomial)[::-1]
    assert played.elo_normalized.value > 0
    summary = played.summary()
    shown = "as player 0 +{} ={} -{}   as player 1 +{} ={} -{}".format(*first, *second)
    assert shown in summary

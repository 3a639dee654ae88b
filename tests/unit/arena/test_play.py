"""Matches of agents that do not search; searching ones are in test_search_matches."""

import json
import math
from collections import Counter

import numpy as np
import pytest
import toy_games
from material import Material

from phasezoo import agents, arena, games, inference
from phasezoo.errors import (
    GameContract,
    IllegalAction,
    InvalidConfig,
    InvalidEvaluation,
    RunDirectoryError,
)

toy_games.register()


def first_legal(observation, info):
    return int(np.flatnonzero(info["action_mask"])[0])


def short_match(**options):
    settings = {"games": 8, "seed": 5, "max_plies": 40} | options
    drawn = agents.PolicyAgent(Material(), temperature=1.0)
    return arena.play_match(settings.pop("a", drawn), settings.pop("b", "random"), **settings)


def test_bookkeeping_of_a_match():
    match = short_match()
    assert match.wins + match.draws + match.losses == len(match.games) == 8
    assert [record.number for record in match.games] == list(range(8))
    assert [record.group for record in match.games] == [0, 0, 1, 1, 2, 2, 3, 3]
    for even, odd in zip(match.games[::2], match.games[1::2], strict=True):
        assert even.opening_moves == odd.opening_moves
        assert (even.sides, odd.sides) == ((0, 1), (1, 0))
    assert len({record.opening for record in match.games}) == 4
    assert len({seed for record in match.games for seed in record.seeds}) == 16
    assert sum(match.pentanomial) == 4
    assert match.elo.low <= match.elo.value <= match.elo.high
    moves = sum(len(record.moves) for record in match.games)
    assert match.sides[0].moves + match.sides[1].moves == moves
    assert match.sides[0].counts.rows == match.sides[0].moves
    assert match.truncated == sum(record.ending == "max_plies" for record in match.games)


def test_the_score_is_side_zeros():
    match = short_match()
    for record in match.games:
        own = record.returns[record.sides.index(0)]
        assert record.score == (own + 1) / 2


def test_games_replay_to_their_results():
    match = short_match(max_plies=None, games=2, a="random")
    for record in match.games:
        state = games.make("chess").initial_state()
        for move in (*record.opening_moves, *record.moves):
            assert not state.is_terminal
            state = state.play(state.parse_uci(move))
        assert state.is_terminal
        assert tuple(state.returns) == record.returns
        assert (state.outcome.reason, record.ending) == (record.reason, "rules")


def test_the_same_seed_gives_the_same_pgn(tmp_path):
    texts = []
    for number, concurrency in enumerate((4, 4, 1, 64)):
        path = tmp_path / f"{number}.pgn"
        short_match(pgn=path, concurrency=concurrency)
        texts.append(path.read_text())
    assert texts[0] == texts[1] == texts[2] == texts[3]
    other = short_match(seed=6)
    assert {g.opening for g in other.games} != {g.opening for g in short_match().games}


def test_openings_come_again_only_after_all_were_used():
    suite = arena.OpeningSuite("chess", (("e2e4",), ("d2d4",), ("c2c4",)))
    match = short_match(openings=suite, games=18, max_plies=2)
    drawn = [record.opening for record in match.games[::2]]
    assert [Counter(drawn[i : i + 3]) for i in (0, 3, 6)] == [Counter([0, 1, 2])] * 3
    assert len({tuple(drawn[i : i + 3]) for i in (0, 3, 6)}) > 1


def test_openings_as_fen_drop_the_history():
    kept, dropped = short_match(games=2), short_match(games=2, openings_as="fen")
    first, second = kept.games[0], dropped.games[0]
    assert (first.opening, second.opening_moves) == (second.opening, ())
    state = games.make("chess").initial_state()
    for move in first.opening_moves:
        state = state.play(state.parse_uci(move))
    assert second.start_fen == state.fen
    assert first.start_fen is None


def test_games_from_other_drawn_starts_are_no_duplicates():
    def stop(observation, info):
        return 0

    match = arena.play_match(stop, stop, game="pommerman-1v1", games=8, max_plies=12)
    assert len({record.start for record in match.games}) == 4
    assert match.duplicates == 4  # both games of a pair, in which nobody moves
    assert "4 repeated another game\n" in f"{match.summary()}\n"


def test_duplicates_are_counted():
    match = short_match(a=first_legal, b=first_legal, openings=[["e2e4"]], games=4, max_plies=30)
    assert match.duplicates == 3
    assert short_match().duplicates == 0
    assert "3 repeated another game" in match.summary()


def test_no_likelihood_of_superiority_stands_beside_an_infinite_interval():
    few = short_match(games=2).summary()
    assert "(too few games for an interval)" in few
    assert "LOS – (fewer than 10 pairs)" in few
    alike = short_match(a=first_legal, b=first_legal, games=20, max_plies=30).summary()
    assert "LOS – (all pairs scored alike)" in alike


def test_two_of_a_name_are_told_apart():
    match = short_match(a=first_legal, b=first_legal, games=2, max_plies=12)
    assert [side.name for side in match.sides] == ["first_legal (A)", "first_legal (B)"]
    match = short_match(games=2, max_plies=12, names=("one", "two"))
    assert [side.name for side in match.sides] == ["one", "two"]


def test_progress_and_games_are_reported_as_they_end():
    seen, counts = [], []
    match = short_match(
        on_game=seen.append, progress=lambda done, total: counts.append((done, total))
    )
    assert sorted(record.number for record in seen) == list(range(8))
    assert counts == [(n, 8) for n in range(1, 9)]
    assert sorted(seen, key=lambda record: record.number) == list(match.games)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"games": 7}, "games=7: must be even"),
        ({"games": 0}, "games=0"),
        ({"concurrency": 0}, "concurrency=0"),
        ({"pool_rows": 0}, "pool_rows=0"),
        ({"max_plies": 0}, "max_plies=0"),
        ({"openings_as": "pgn"}, "'moves' or 'fen'"),
        ({"openings": []}, "at least one"),
        ({"openings": arena.OpeningSuite("toy-heap", ((),))}, "openings are for 'toy-heap'"),
        ({"a": 3}, "an int is no agent"),
        ({"openings": 3}, "openings=3: expected a suite or its name, a file, or a list"),
        ({"openings": [3]}, r"openings=\[3\]"),
        ({"openings": [["e2e4"], [1]]}, r"openings=\[\['e2e4'\], \[1\]\]"),
        ({"log": 3}, "log=3: expected the path of a file"),
        ({"pgn": 3}, "pgn=3: expected the path of a file"),
        ({"completed": 3}, "completed=3: expected a list"),
        ({"completed": [3]}, "3 is no arena.GameRecord"),
        ({"names": 3}, "names=3: expected a pair"),
        ({"names": ("a", 3)}, "name=3: expected a text"),
        ({"limit": 3}, "limit=3: expected a Limit"),
        ({"limit": (None, "5")}, "limit='5': expected a Limit"),
        ({"threads": "x"}, "threads='x': expected a whole number"),
        ({"seed": -1}, "seed=-1: expected a whole number from 0"),
        ({"on_game": 3}, "on_game=3: expected a function"),
        ({"progress": 3}, "progress=3: expected a function"),
    ],
)
def test_options_out_of_range(options, words):
    with pytest.raises(InvalidConfig, match=words):
        short_match(**options)


def test_unknown_agent_names_are_suggested():
    with pytest.raises(ValueError, match="did you mean 'random'"):
        short_match(b="randon")


# --- other games ---


def test_three_players_rotate_through_the_seats():
    match = arena.play_match("random", first_legal, game="toy-heap", games=9, seed=2)
    assert [record.sides for record in match.games[:3]] == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    for record in match.games:
        won = record.returns[record.sides.index(0)] > 0
        # A winner beats both others; a loser draws with one and loses to the winner.
        assert record.score == (1.0 if won else 0.25)
    assert len(match.group_scores) == 3
    assert match.score_rate.low < match.score == match.score_rate.value < match.score_rate.high
    with pytest.raises(InvalidConfig, match="a multiple of 3"):
        arena.play_match("random", "random", game="toy-heap", games=8)


def test_players_who_move_at_once():
    def rock(observation, info):
        assert info["action_mask"].tolist() == [1, 1, 1]
        return 0

    def paper(observation, info):
        return 1

    match = arena.play_match(paper, rock, game="toy-scissors", games=4, seed=1)
    assert (match.wins, match.losses) == (4, 0)
    assert match.games[0].moves == ("1,0", "1,0", "1,0")
    assert match.games[1].moves == ("0,1", "0,1", "0,1")
    assert match.games[0].reason == "rules"


def test_games_without_notation_have_no_pgn(tmp_path):
    with pytest.raises(InvalidConfig, match="no SAN"):
        arena.play_match("random", "random", game="toy-heap", games=3, pgn=tmp_path / "games.pgn")
    assert not list(tmp_path.iterdir())


# --- failures ---


class Failing:
    """Answers well for a while."""

    plane_spec = None

    def __init__(self, calls, answer):
        self.calls = calls
        self.answer = answer

    def evaluate(self, planes):
        self.calls -= 1
        value = np.zeros(len(planes)) if self.calls >= 0 else self.answer(len(planes))
        return inference.Evaluation(value=value)


@pytest.mark.parametrize("answer", [lambda n: np.full(n, np.nan), lambda n: np.zeros(n + 1)])
def test_a_failing_evaluator_is_named_and_no_finished_game_lost(tmp_path, answer):
    failing = agents.PolicyAgent(Failing(80, answer), name="faulty")
    with pytest.raises(
        InvalidEvaluation, match=r"side 1 of the match \(faulty\): Failing"
    ) as caught:
        short_match(
            b=failing,
            concurrency=2,
            games=40,
            pgn=tmp_path / "games.pgn",
            log=tmp_path / "games.jsonl",
        )
    error = caught.value
    assert isinstance(error, arena.SideFailed)
    assert error.side == 1
    assert 0 < len(error.games) < 40
    assert (tmp_path / "games.pgn").read_text().count("[Result ") == len(error.games)
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 1 + len(error.games)


def test_illegal_actions_name_the_side():
    with pytest.raises(
        IllegalAction, match=r"side 0 of the match \(cheat\) answered 77, which is not legal"
    ):
        short_match(a=agents.CallableAgent(cheat), games=2)


def cheat(observation, info):
    return 77


def test_errors_of_an_agents_own_code_say_where_they_came_from():
    def broken(observation, info):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        short_match(a=broken, games=2)
    assert "raised by side 0 of the match (broken)" in caught.value.__notes__[0]


# --- going on after an interruption ---


class Interrupts:
    def __init__(self, after):
        self.after = after

    def __call__(self, record):
        self.after -= 1
        if self.after == 0:
            raise KeyboardInterrupt


def test_a_match_goes_on_after_an_interruption(tmp_path):
    whole = short_match(pgn=tmp_path / "whole.pgn")
    paths = {"log": tmp_path / "games.jsonl", "pgn": tmp_path / "games.pgn"}
    with pytest.raises(KeyboardInterrupt):
        short_match(**paths, concurrency=2, on_game=Interrupts(3))
    finished = len(paths["log"].read_text().splitlines()) - 1
    assert finished == paths["pgn"].read_text().count("[Result ") == 3
    # The kill cut a line short.
    with paths["log"].open("a") as file:
        file.write('{"game":{"number":')
    new = []
    rest = short_match(**paths, on_game=new.append)
    assert len(new) == 5
    assert rest.games == whole.games
    # The work on games that the interruption threw away was done again, and counts once.
    assert rest.sides[0].moves == whole.sides[0].moves
    assert rest.sides[0].counts.rows == pytest.approx(rest.sides[0].moves, abs=4)
    assert paths["pgn"].read_text() == (tmp_path / "whole.pgn").read_text()
    # Nothing is left to play.
    again = short_match(**paths, on_game=lambda record: pytest.fail("played again"))
    assert again.games == whole.games
    assert again.sides[1].counts.rows == rest.sides[1].counts.rows


def test_completed_games_are_skipped():
    whole = short_match()
    new = []
    rest = short_match(completed=whole.games[2:5], on_game=new.append)
    assert sorted(record.number for record in new) == [0, 1, 5, 6, 7]
    assert rest.games == whole.games
    with pytest.raises(InvalidConfig, match="not played with this match's seeds"):
        short_match(seed=6, completed=whole.games[:1])
    with pytest.raises(InvalidConfig, match="given twice"):
        short_match(completed=[whole.games[0], whole.games[0]])


def test_logs_of_other_matches_are_refused(tmp_path):
    log = tmp_path / "games.jsonl"
    short_match(log=log, games=2)
    before = log.read_bytes()
    with pytest.raises(RunDirectoryError, match=r"\(seed 5 there, 6 here\).*or remove it"):
        short_match(log=log, games=2, seed=6)
    assert log.read_bytes() == before
    log.write_text("hello\n")
    with pytest.raises(RunDirectoryError, match="not the log of a match"):
        short_match(log=log, games=2)
    with pytest.raises(RunDirectoryError, match="is a directory"):
        short_match(log=tmp_path, games=2)


def test_damaged_logs_name_the_line(tmp_path):
    log = tmp_path / "games.jsonl"
    short_match(log=log, games=4)
    lines = log.read_text().splitlines(keepends=True)
    entry = json.loads(lines[2])
    del entry["game"]["returns"]
    log.write_text("".join([*lines[:2], json.dumps(entry) + "\n", *lines[3:]]))
    with pytest.raises(RunDirectoryError, match="line 3 is damaged"):
        short_match(log=log, games=4)


def test_an_existing_pgn_is_not_overwritten(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("mine")
    with pytest.raises(RunDirectoryError, match="exists"):
        short_match(games=2, pgn=path)
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_agents_without_randomness_need_openings(tmp_path):
    first, last = (
        lambda obs, info, i=i: int(np.flatnonzero(info["action_mask"])[i]) for i in (0, -1)
    )
    options = {"game": "connect-four", "seed": 3, "openings": [[]]}
    assert len(arena.play_match(first, last, games=4, **options).games) == 4
    with pytest.raises(InvalidConfig, match=r"the first 12 games .* 'drawn' or 'two-ply'"):
        arena.play_match(first, last, games=20, log=tmp_path / "log", **options)
    assert list(tmp_path.iterdir()) == []  # the mended match may have the same files
    assert len(arena.play_match(first, "random", games=20, **options).games) == 20
    del options["openings"]  # a suite that the game names
    assert len(arena.play_match(first, last, games=20, **options).games) == 20


def test_a_search_that_nobody_stops_is_refused():
    endless = agents.Limit(infinite=True)
    for agent, limit in (
        (agents.MCTSAgent(Material(), limit=endless), None),
        (agents.MCTSAgent(Material(), limit=agents.Limit(nodes=4)), endless),
        (agents.UCTAgent(limit=agents.Limit(simulations=4)), (endless, None)),
        (agents.MCTSAgent(Material()), agents.Limit(mate=1)),
    ):
        with pytest.raises(InvalidConfig, match="nobody stops one in a match"):
            arena.play_match(agent, "random", games=2, limit=limit)


def test_a_game_that_goes_on_and_on_is_warned_of():
    asked = []

    def stopped(observation, info):
        asked.append(info)
        if len(asked) > 5_000:
            raise KeyboardInterrupt
        return 0

    with (
        pytest.warns(match=r"toy-endless has 5,000 plies.*max_plies"),
        pytest.raises(KeyboardInterrupt),
    ):
        arena.play_match(stopped, "random", game="toy-endless", games=2, concurrency=1)


def test_a_class_is_no_agent():
    with pytest.raises(InvalidConfig, match=r"RandomAgent is a class: give an agent"):
        arena.play_match(agents.RandomAgent, "random", game="connect-four", games=2)


def test_ten_won_of_ten_have_one_finite_bound():
    match = arena.play_match(
        "uct:simulations=300,seed=1", "random:seed=2", game="connect-four", games=10, seed=1
    )
    assert (match.wins, match.draws, match.losses) == (10, 0, 0)
    assert match.elo.value == match.elo.high == math.inf
    assert math.isfinite(match.elo.low)
    lines = [line for line in match.summary().splitlines() if line.startswith("Elo")]
    assert len(lines) == 1
    assert f"[{match.elo.low:+.1f}" in lines[0]


def test_a_game_whose_states_lack_a_member_is_told_in_a_sentence():
    class Bare:
        to_play = 0

    sizes = {"num_players": 2, "num_actions": 2, "plane_specs": {"default": (1, 1, 1)}}
    games.register("play-bare", initial_state=Bare, **sizes)
    with pytest.raises(
        GameContract, match=r"play-bare: states have no is_terminal.*phasezoo check"
    ):
        arena.play_match("random", "random", game="play-bare", games=2)

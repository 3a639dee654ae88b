import itertools
from types import SimpleNamespace

import numpy as np
import pytest
import toy_games

from phasezoo import arena, games
from phasezoo.arena.playing import Repeats
from phasezoo.arena.schedule import Schedule
from phasezoo.errors import InvalidConfig, InvalidUci, UnknownGame

OpeningSuite = arena.OpeningSuite


def test_the_packages_suite_is_legal_and_distinct():
    suite = OpeningSuite.load("chess")
    keys = {suite.state(index).key for index in range(len(suite))}
    assert len(suite) >= 200
    assert len(keys) == len(suite)
    assert suite.game == "chess"


def test_unknown_games_have_no_suite():
    with pytest.raises(UnknownGame):
        OpeningSuite.load("chess ")


def test_reading_a_file(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("# mine\n\ne2e4 e7e5   # open\nd2d4\n")
    suite = OpeningSuite.read(path)
    assert suite.lines == (("e2e4", "e7e5"), ("d2d4",))
    assert [state.ply for state in suite.states(0)] == [0, 1, 2]
    assert suite.digest() == OpeningSuite("chess", suite.lines).digest()
    assert suite.digest() != OpeningSuite("chess", suite.lines[::-1]).digest()


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"", InvalidConfig, "at least one"),
        (b"# nothing\n", InvalidConfig, "at least one"),
        (b"e2e4\ne2e5\n", InvalidUci, r"opening 2 \(e2e5\)"),
        (b"e2e4 hello\n", InvalidUci, "opening 1"),
        (b"f2f3 e7e5 g2g4 d8h4\n", InvalidConfig, "the game is over there"),
        (b"\xff\xfe\x00", InvalidConfig, "cannot be read"),
    ],
)
def test_bad_files_are_refused(tmp_path, content, error, words):
    path = tmp_path / "openings.txt"
    path.write_bytes(content)
    with pytest.raises(error, match=words):
        OpeningSuite.read(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(InvalidConfig, match="cannot be read"):
        arena.play_match("random", "random", games=2, openings=tmp_path / "missing.txt")
    with pytest.raises(InvalidConfig, match=r": cannot be read \(it is a folder"):
        arena.play_match("random", "random", games=2, openings=tmp_path)


def test_openings_that_occur_in_the_games_are_dropped():
    suite = OpeningSuite("chess", (("e2e4",), ("d2d4",), ("g1f3",)))
    chess = games.make("chess")
    seen = chess.initial_state().play(chess.initial_state().parse_uci("d2d4")).key
    for keys in ([seen, 5], np.array([5, seen], dtype=np.uint64)):
        kept, dropped = suite.without(keys)
        assert (kept.lines, dropped) == ((("e2e4",), ("g1f3",)), 1)
    assert suite.without([])[1] == 0
    with pytest.raises(InvalidConfig, match="all 3 openings"):
        suite.without([suite.state(index).key for index in range(3)])


def test_openings_of_games_without_notation():
    toy_games.register()
    suite = OpeningSuite("toy-heap", (("1", "0"), ()))
    assert suite.state(0) == toy_games.Heap(left=7, ply=2)
    for wrong in ("2", "-1", "one", "²"):
        with pytest.raises(InvalidUci, match=r"opening 1 .*legal are \[0, 1\]"):
            OpeningSuite("toy-heap", ((wrong,),)).states(0)
    over = OpeningSuite("connect-four", (("0", "1") * 3 + ("0", "1"),))
    with pytest.raises(InvalidUci, match=r"opening 1 \(0 1 0 1 0 1 0 1\)"):
        over.states(0)


@pytest.mark.parametrize("game", ["chess", "atomic", "connect-four", "toy-heap"])
def test_random_openings_are_legal_and_end_at_different_positions(game):
    toy_games.register()
    suite = OpeningSuite.random(game, 2, 4, count=30, seed=5).checked()
    assert {len(line) for line in suite.lines} <= {2, 3, 4}
    assert len(suite) == (28 if game == "toy-heap" else 30)
    if game != "toy-heap":  # whose states have no keys: lines differ
        assert len({suite.state(index).key for index in range(len(suite))}) == len(suite)
    assert len(set(suite.lines)) == len(suite)
    assert OpeningSuite.random(game, 2, 4, count=30, seed=5) == suite
    assert suite.lines != OpeningSuite.random(game, 2, 4, count=30, seed=6).lines


def test_random_openings_are_all_that_there_are():
    assert len(OpeningSuite.random("chess", 1)) == 20
    assert len(OpeningSuite.random("connect-four", 1, count=5)) == 5
    assert OpeningSuite.random("chess", 0).lines == ((),)


def test_a_match_takes_random_openings_by_their_text():
    match = arena.play_match("random", "random", games=8, openings="random:3", max_plies=4)
    assert {len(record.opening_moves) for record in match.games} == {3}
    assert len({record.opening_moves for record in match.games}) == 4


@pytest.mark.parametrize(
    ("game", "openings", "words"),
    [
        ("chess", "random:", "neither a file nor a suite"),
        ("chess", "random:-2", "neither a file nor a suite"),
        ("chess", "random:4-2", "the smaller number first"),
        ("connect-four", "random:43", "give fewer"),
        ("chess960", "random:2", "always start alike"),
        ("pommerman-ffa", "random:2", "one player moves at a time"),
    ],
)
def test_random_openings_that_cannot_be_drawn(game, openings, words):
    with pytest.raises(InvalidConfig, match=words):
        arena.play_match("random", "random", game, games=4, openings=openings)


def test_order_depends_on_the_seed_alone():
    suite = OpeningSuite.load("chess")
    numbers = range(len(suite))
    first = [suite.drawn(number, 1) for number in numbers]
    assert [suite.drawn(number, 1) for number in reversed(numbers)] == first[::-1]
    assert [suite.drawn(number, 2) for number in numbers] != first
    assert [suite.drawn(number + len(suite), 1) for number in numbers] != first
    assert sorted(first) == list(numbers)


def test_a_match_without_end_begins_at_once():
    def enough(finished, total):
        raise InterruptedError(f"{finished} of {total}")

    with pytest.raises(InterruptedError, match="1 of 10000000000000"):
        arena.play_match(
            "random", "random", games=10**13, concurrency=1, max_plies=2, progress=enough
        )


@pytest.mark.parametrize(
    ("game", "name"),
    [("atomic", "balanced"), ("crazyhouse", "balanced"), ("connect-four", "two-ply")],
)
def test_matches_begin_from_the_suite_that_their_game_names(game, name):
    match = arena.play_match("mcts:nodes=2", "mcts:nodes=3", game, games=8, seed=1, max_plies=12)
    suite = OpeningSuite.load(game, name)
    assert OpeningSuite.load(game) == suite
    assert len({record.opening for record in match.games}) == 4
    assert all(record.opening_moves == suite.lines[record.opening] for record in match.games)
    with pytest.raises(InvalidConfig, match="the only opening"):
        arena.play_match(
            "mcts:nodes=2", "mcts:nodes=3", game, games=8, openings=[()], seed=1, max_plies=12
        )


def test_drawn_starts_are_no_repetition_whatever_is_played():
    def first(observation, info):
        return int(np.flatnonzero(info["action_mask"])[0])

    match = arena.play_match(first, first, "chess960", games=8, seed=1, max_plies=1)
    assert len({record.start_fen for record in match.games}) == 4
    schedule = Schedule(games.make("chess960"), OpeningSuite.load("chess960"), 8, 1, "moves")
    assert not schedule.has_one_start
    fixed = games.make("krk", start="fixed")
    assert Schedule(fixed, OpeningSuite.load("krk"), 8, 1, "moves").has_one_start


@pytest.mark.parametrize(("plies", "enough"), [(5, 12), (10, 6)])
def test_short_games_may_be_alike_by_chance(plies, enough):
    """Drawn moves leave few different games of a few plies."""
    repeats = Repeats(games.make("connect-four"))
    first = SimpleNamespace(pairing=(0, 1), sides=(0, 1), moves=("d1",) * plies)
    second = SimpleNamespace(pairing=(0, 1), sides=(1, 0), moves=("d1",) * plies)
    alike = list(itertools.islice(itertools.cycle((first, second)), enough))
    for record in alike[:-1]:
        repeats.add(record)
    with pytest.raises(InvalidConfig, match=f"the first {enough} games.*another seed"):
        repeats.add(alike[-1])

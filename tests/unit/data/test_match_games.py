"""Matches, data sets of others and PGN as games of a store, and back."""

import numpy as np
import pytest
from game_makers import assert_same, random_games, store_of
from played_games import EVERY, random_game

from phasezoo import agents, arena, games
from phasezoo.arena import OpeningSuite
from phasezoo.data.importer import read_pgn
from phasezoo.errors import CorruptRecord, InvalidConfig, StoreError
from phasezoo.training import EpisodeStore, GameStore, StoreWriter


def play(name, **options):
    options = {"games": games.make(name).num_players * 2, "seed": 3, "max_plies": 40} | options
    sides = agents.RandomAgent(seed=1), agents.RandomAgent(seed=2)
    return arena.play_match(*sides, game=name, **options)


@pytest.mark.parametrize("name", EVERY)
def test_a_match_of_every_game_becomes_data(tmp_path, name):
    match = play(name)
    with StoreWriter(tmp_path / "games", name, **games.make(name).match_options) as writer:
        writer.extend(match)
    store = GameStore.open(tmp_path / "games")
    table = store.positions()
    assert len(store) == len(match.games)
    for number, record in enumerate(match.games):
        states = store.records.states(number)
        assert len(states) == len(record.moves)
        assert texts_of(store, number, states) == list(record.moves)
        names = [match.sides[side].name for side in record.sides]
        assert store.columns.players[number] == names
        check_returns(store, number, record)
        rows = table.player[(table.game == number) & (table.ply == 0)]
        assert rows.tolist() == list(games.acting_players(states[0]))


def test_games_of_a_tournament_are_stored_by_their_players(tmp_path):
    names = ["a", "b", "c"]
    played = arena.tournament(
        [agents.RandomAgent(seed=seed) for seed in range(3)],
        names=names, game="connect-four", games=2, seed=1,
    )  # fmt: skip
    with StoreWriter(tmp_path / "games", "connect-four") as writer:
        writer.extend(played)
    found = GameStore.open(tmp_path / "games").columns.players.tolist()
    assert found == [[names[agent] for agent in record.agents] for record in played.games]
    assert {name for row in found for name in row} == set(names)


def texts_of(store, number, states):
    """The moves of a game as a record has them."""
    width = store.columns.width
    low, high = store.offsets[number : number + 2] * width
    joints = store.actions[low:high].reshape(-1, width)
    texts = []
    for state, joint in zip(states, joints.tolist(), strict=True):
        if hasattr(state, "uci"):
            texts.append(state.uci(joint[0]))
        else:
            acting = games.acting_players(state)
            texts.append(",".join(str(joint[p if width > 1 else 0]) for p in acting))
    return texts


def check_returns(store, number, record):
    """As the record has them; where nobody won, only those who died before have lost."""
    given, told = store.returns[number], np.array(record.returns)
    if (told > 0).any() or not store.game.is_hidden:
        np.testing.assert_array_equal(given, told)
    else:
        assert set(given.tolist()) <= {0.0, -1.0}


@pytest.mark.parametrize("name", ["pommerman-ffa", "pommerman-team", "pommerman-1v1"])
def test_games_are_valued_as_the_core_values_episodes(tmp_path, name):
    episodes = EpisodeStore(name, 8_000, seed=4)
    with StoreWriter(tmp_path / "games", name, **episodes.game.options) as writer:
        for number, start in episodes.starts.items():
            low, high = episodes.offsets[number : number + 2] * episodes.columns.width
            joints = episodes.actions[low:high].reshape(-1, episodes.columns.width)
            writer.add(start, actions=joints)
    np.testing.assert_array_equal(GameStore.open(tmp_path / "games").returns, episodes.returns)


def test_opening_moves_fill_the_planes_and_are_no_rows(tmp_path):
    suite = OpeningSuite.load("chess")
    match = play("chess", openings=OpeningSuite("chess", suite.lines[:2]), max_plies=30)
    with StoreWriter(tmp_path / "games", "chess") as writer:
        writer.extend(match.games)
    store = GameStore.open(tmp_path / "games")
    for number, record in enumerate(match.games):
        assert store.starts[number] == "moves " + " ".join(record.opening_moves)
        first = store.records.states(number)[0]
        assert first.moves == list(record.opening_moves)
        assert np.diff(store.offsets)[number] == len(record.moves)
    assert store.columns.players.tolist() == [[None, None]] * 4


def test_openings_of_games_without_text_are_rows(tmp_path):
    match = play("nim", openings=[["0", "1"]])
    with StoreWriter(tmp_path / "games", "nim") as writer:
        writer.extend(match)
    store = GameStore.open(tmp_path / "games")
    for number, record in enumerate(match.games):
        low, high = store.offsets[number : number + 2]
        moves = [int(move) for move in (*record.opening_moves, *record.moves)]
        assert store.actions[low:high].tolist() == moves
    four = play("connect-four", openings=[["3", "3"]])
    with StoreWriter(tmp_path / "four", "connect-four") as writer:
        writer.extend(four)
    assert set(GameStore.open(tmp_path / "four").starts.values()) == {"44"}


def test_a_match_of_another_game_is_refused(tmp_path):
    with StoreWriter(tmp_path / "games", "chess") as writer:
        with pytest.raises(StoreError, match="a match of 'connect-four'"):
            writer.extend(play("connect-four"))
        with pytest.raises(CorruptRecord, match="game 0 of the match"):
            writer.extend(play("connect-four").games)
        with pytest.raises(StoreError, match="'connect-four'"):
            writer.extend(GameStore("connect-four", [3], [0, 1], [[0, 0]]))
        for wrong in (5, [1, 2], "abc"):
            with pytest.raises(InvalidConfig, match="is no record of a game"):
                writer.extend(wrong)
        assert len(writer) == 0


@pytest.mark.parametrize("name", ["chess", "chess960", "atomic", "crazyhouse", "krk"])
def test_games_are_written_as_pgn(tmp_path, name):
    import io

    import chess.pgn

    rng = np.random.default_rng(3)
    with StoreWriter(tmp_path / "games", name) as writer:
        for _ in range(3):
            known = {"players": ["A, B", None], "ratings": [1500, None], "date": "2024.01.??"}
            writer.add(**random_game(name, rng, searched=False), **known)
    store = GameStore.open(tmp_path / "games")
    text = io.StringIO(store.to_pgn())
    for number in range(3):
        read = chess.pgn.read_game(text)
        assert not read.errors
        states = store.records.states(number)
        moves = texts_of(store, number, states)
        assert [move.uci() for move in read.mainline_moves()] == moves
        assert (read.headers["White"], read.headers["WhiteElo"]) == ("A, B", "1500")
        assert (read.headers["Black"], read.headers["Date"]) == ("?", "2024.01.??")
        assert "BlackElo" not in read.headers
    store.to_pgn(tmp_path / "games.pgn")
    assert (tmp_path / "games.pgn").read_text() == store.to_pgn()
    with pytest.raises(StoreError, match="exists already"):
        store.to_pgn(tmp_path / "games.pgn")


def test_pgn_comes_back_even_beyond_an_end_by_the_rules(tmp_path):
    store = store_of(random_games(60, seed=4))
    store.to_pgn(tmp_path / "games.pgn")
    again, report = read_pgn(tmp_path / "games.pgn")
    assert not report.skipped
    assert_same(again, store, texts=())
    assert set(again.columns.sources.tolist()) == {"games.pgn"}
    beyond = [game for game in range(len(store)) if store.records.states(game)[-1].is_terminal]
    assert beyond
    with StoreWriter(tmp_path / "games", "chess") as writer:
        for game in beyond:
            actions = store.actions[slice(*store.offsets[game : game + 2])]
            told = {"actions": actions, "returns": store.returns[game]}
            writer.add(store.starts.get(game), **told)
            with pytest.raises(InvalidConfig, match="goes on after its end"):
                writer.add(store.starts.get(game), actions=actions)
    assert len(GameStore.open(tmp_path / "games")) == len(beyond)


def test_games_without_san_have_no_pgn():
    with pytest.raises(InvalidConfig, match="'connect-four' has no SAN"):
        GameStore("connect-four", [3], [0, 1], [[0, 0]]).to_pgn()


ROWS = [
    {"moves": "1. e4 e5 2. Nf3", "end": "1-0", "white": "A", "we": 2000, "be": None, "day": None},
    {"moves": "e2e4 e7e5", "end": "0-1", "white": None, "we": 1, "be": 2, "day": "2020-01-02"},
    {"moves": "f3 e5 g4 Qh4#", "end": None, "white": "B", "we": 1, "be": 2, "day": "2020.01.02"},
]


@pytest.mark.parametrize("kind", ["rows", "datasets", "pandas"])
def test_data_sets_of_others_are_read(kind):
    if kind == "datasets":
        rows = pytest.importorskip("datasets").Dataset.from_list(ROWS)
    elif kind == "pandas":
        rows = pytest.importorskip("pandas").DataFrame(ROWS)
    else:
        rows = iter(ROWS)
    names = {"result": "end", "ratings": ("we", "be"), "date": "day"}
    store = GameStore.from_dataset(rows, **names)
    assert np.diff(store.offsets).tolist() == [3, 2, 4]
    assert store.returns.tolist() == [[1, -1], [-1, 1], [-1, 1]]
    assert store.columns.ratings.tolist() == [[2000, 0], [1, 2], [1, 2]]
    assert store.columns.dates.tolist() == [b"", b"2020.01.02", b"2020.01.02"]
    assert store.records.states(0)[-1].moves == ["e2e4", "e7e5"]


def test_data_sets_of_any_game_are_read():
    rows = [{"cols": [3, 2, 3, 2, 3, 2, 3], "got": [1, -1], "who": ["A", "B"], "from": "x"}]
    store = GameStore.from_dataset(
        rows, "connect-four", moves="cols", result="got", players="who", source="from"
    )
    assert store.columns.players.tolist() == [["A", "B"]]
    assert store.columns.sources.tolist() == ["x"]
    rows = [{"moves": [3.0, 2.0] * 3 + [3.0], "result": "1-0", "rating": [1500.0, np.nan]}]
    store = GameStore.from_dataset(rows, "connect-four", ratings="rating")
    assert store.actions.tolist() == [3, 2] * 3 + [3]
    assert store.columns.ratings.tolist() == [[1500, 0]]
    rows = [{"moves": [3.9, 2.0, 3.0], "result": "1-0"}]
    with pytest.raises(CorruptRecord, match=r"needed are whole numbers"):
        GameStore.from_dataset(rows, "connect-four")
    rows = [{"moves": [[0, 1, 2]] * 3}, {"moves": [[0, 1, 2]]}]
    store = GameStore.from_dataset(rows, "matching", skip=True)
    assert (len(store), store.metadata) == (1, {"skipped": 1})


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"moves": "e4"}], {"result": "end"}, "result='end': the data set has no such column"),
        ({"train": ROWS}, {}, r"dataset\['train'\]"),
        (["e4 e5"], {}, "mappings of columns"),
        (5, {}, "mappings of columns"),
        ([{"moves": "e4 e4", "end": "1-0"}], {"result": "end"}, "row 0 of the data set"),
        ([{"moves": "e4", "end": "2-0"}], {"result": "end"}, "row 0 .*result '2-0'"),
        ([{"moves": None, "end": "1-0"}], {"result": "end"}, "row 0 .*no moves"),
        ([{"moves": "e4"}], {}, "row 0 .*give returns"),
        ([{"moves": "f3 e5 g4 Qh4# a3"}], {}, "row 0 .*after the end"),
    ],
)
def test_rows_that_are_no_games_are_named(rows, options, message):
    with pytest.raises((CorruptRecord, InvalidConfig), match=message):
        GameStore.from_dataset(rows, **options)

"""Games of an agent against itself: what is kept of them, where they start, how they end."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import selfplay_games
from selfplay_games import Crosses, Rowwise

from phasezoo import agents, arena, games, gating, inference, training
from phasezoo.agents import SearchConfig
from phasezoo.data import store_file
from phasezoo.data.batches import decisions_of
from phasezoo.data.store_folder import files_of
from phasezoo.errors import InvalidConfig, InvalidEvaluation, InvalidState, StoreError, UnknownAgent
from phasezoo.training.selfplay import game_log
from phasezoo.training.selfplay.measurements import phases_of
from phasezoo.training.selfplay.start_sources import RandomPlies, StoredPositions

selfplay_games.register()


def searcher(nodes: int = 12, evaluator: Any = None, **options: Any) -> agents.MCTSAgent:
    evaluator = inference.Uniform() if evaluator is None else evaluator
    return agents.MCTSAgent(evaluator, limit=agents.Limit(nodes=nodes), **options)


def play(out: Path, game: str = "connect-four", **options: Any) -> training.GameStore:
    options = {"agent": searcher(), "games": 6, "seed": 3, "out": out / "games", **options}
    return training.play_games(options.pop("agent"), game=game, **options)


def decisions(store: training.GameStore) -> Any:
    """Entries of visits of each decision."""
    return np.diff(store.columns.visits.offsets)


@pytest.mark.parametrize("game", ["connect-four", "chess", "krk", "own-crosses"])
def test_games_are_kept_with_what_searches_visited_and_expected(tmp_path: Path, game: str) -> None:
    store = play(tmp_path, game, max_plies=20)
    assert len(store) == 6
    assert store.has_visits
    assert store.has_values
    assert (decisions(store) > 0).all()
    assert np.isfinite(store.columns.values).all()
    assert len({tuple(store.actions[a:b]) for a, b in pairwise(store.offsets)}) > 1
    rows = store.positions()
    batch = store.batch(rows, np.arange(len(rows)), store.game.default_planes)
    assert batch.policy is not None
    played = batch.policy.dense(store.game.num_actions)[np.arange(len(rows)), batch.action]
    assert (played > 0).mean() > 0.9  # what is drawn was visited


def test_searches_of_a_game_are_what_the_agents_session_finds(tmp_path: Path) -> None:
    """One game by hand: the same tree, random stream and ply by ply the same visits."""
    agent = searcher(config=SearchConfig.self_play(batch_size=1), evaluator=Rowwise(7))
    store = play(tmp_path, agent=agent, games=1)
    seed = arena.streams.stream(3, "selfplay", 0, 0)
    session, state = agent.session(seed), games.make("connect-four").initial_state()
    visits = store.columns.visits
    for ply, action in enumerate(store.actions.tolist()):
        found = session.search(state)
        low, high = visits.offsets[ply : ply + 2]
        shares = found.policy[visits.actions[low:high]]
        assert visits.counts[low:high] / visits.counts[low:high].sum() == pytest.approx(
            shares, abs=1e-5
        )
        assert store.columns.values[ply] == pytest.approx(found.value, abs=1e-6)
        assert found.action == action
        state = state.play(action)
    assert state.is_terminal


def test_a_proven_win_is_learnt_as_one(tmp_path: Path) -> None:
    start = games.make("connect-four").from_columns("112233")  # the fourth column wins
    agent = searcher(nodes=200)
    store = play(tmp_path, starts=[start], agent=agent, games=2)
    visits = store.columns.visits
    low, high = visits.offsets[:2]
    assert visits.actions[low:high].tolist() == [3]
    assert store.starts == {0: "112233", 1: "112233"}
    assert store.actions.tolist() == [3, 3]


def test_cheap_searches_are_no_targets(tmp_path: Path) -> None:
    agent = searcher(nodes=40, cheap_search_prob=0.6, cheap_search_nodes=4)
    found: list[Any] = []
    store = play(tmp_path, agent=agent, games=12, on_game=found.append)
    empty = int((decisions(store) == 0).sum())
    assert 0.4 < empty / store.num_positions < 0.8
    assert empty == sum(game.cheap for game in found)
    assert store.num_positions - empty == sum(game.searched for game in found)
    assert np.isfinite(store.columns.values).all()


def test_actions_are_drawn_in_the_first_plies_alone(tmp_path: Path) -> None:
    """Also in a game whose states count no plies, with a tree that is not kept."""
    agent = searcher(config=SearchConfig(temperature=1.0, temperature_plies=2, reuse_tree=False))
    store = play(tmp_path, "own-crosses", agent=agent, games=40)
    later: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for low, high in pairwise(store.offsets):
        actions = store.actions[low:high].tolist()
        later.setdefault(tuple(actions[:2]), set()).add(tuple(actions[2:]))
    assert len(later) > 15
    assert {len(ends) for ends in later.values()} == {1}
    assert sum(len(ends) for ends in later.values()) < 40


def test_agents_without_exploration_get_some_unless_told_otherwise(tmp_path: Path) -> None:
    same = play(tmp_path / "same", explore=False)
    each = {tuple(same.actions[a:b]) for a, b in pairwise(same.offsets)}
    assert len(each) == 1


def test_lost_games_are_given_up_and_some_are_played_on(tmp_path: Path) -> None:
    rules = arena.Adjudication(resign_value=0.4, resign_moves=1, draw_value=None, check=0.5)
    found: list[Any] = []
    agent = searcher(evaluator=Rowwise(7))
    store = play(tmp_path, agent=agent, games=30, adjudication=rules, on_game=found.append)
    endings = [game.ending for game in found]
    judged = [game for game in found if game.verdict is not None]
    assert endings.count("resignation") > 3
    assert len(judged) > 3
    assert all(game.ending == "rules" for game in judged)
    assert {game.is_misjudged for game in judged} == {True, False}  # this evaluator knows nothing
    assert store.columns.sources.tolist().count("self-play: resignation") == endings.count(
        "resignation"
    )


def test_games_of_three_players_and_of_all_at_once(tmp_path: Path) -> None:
    found: list[Any] = []
    agent = searcher(4, others="random")
    store = play(tmp_path, "pommerman-ffa", max_plies=6, games=2, agent=agent, on_game=found.append)
    assert [played.plies for played in found] == np.diff(store.columns.offsets).tolist() == [6, 6]
    assert store.columns.width == 4
    assert (decisions(store) > 0).any()
    assert store.positions().player.max() == 3


STARTS: dict[str, Any] = {
    "random": "random:3-5",
    "suite": "suite",
    "mixed": {"initial": 0.5, "random:4": 0.5},
    "texts": ["4", "44"],
    "one": "start:44",
    "two": {"start:4": 0.5, "start:44": 0.5},
}


@pytest.mark.parametrize("starts", STARTS.values(), ids=STARTS)
def test_starts(tmp_path: Path, starts: Any) -> None:
    store = play(tmp_path, starts=starts, games=8)
    assert (decisions(store) > 0).all()
    if starts == ["4", "44"]:
        assert set(store.starts.values()) == {"4", "44"}
    if starts == "random:3-5":
        assert {len(text) for text in store.starts.values()} <= {3, 4, 5}
        assert len(set(store.starts.values())) > 4
    if starts == "start:44":
        assert set(store.starts.values()) == {"44"}
    elif starts == STARTS["two"]:
        assert set(store.starts.values()) == {"4", "44"}
    elif isinstance(starts, dict):
        assert 0 < len(store.starts) < 8


def test_a_share_of_moves_is_drawn_from_the_legal_ones(tmp_path: Path) -> None:
    def first(_: Any, info: Any) -> int:
        return int(np.flatnonzero(info["action_mask"])[0])

    store = play(tmp_path, agent=first, random_moves=0.3, games=200)
    drawn, expected = 0, []
    for a, b in pairwise(store.offsets):
        state = store.game.initial_state()
        for action in store.actions[a:b].tolist():
            legal = state.legal_actions.tolist()
            drawn += action != legal[0]
            expected.append(0.3 * (1 - 1 / len(legal)))
            state = state.play(action)
    shares = np.array(expected)
    assert abs(drawn - shares.sum()) < 5 * (shares * (1 - shares)).sum() ** 0.5


def test_searches_of_drawn_moves_are_kept(tmp_path: Path) -> None:
    options: dict[str, Any] = {"explore": False, "starts": "random:2-6", "games": 20}
    store = play(tmp_path, random_moves=0.5, **options)
    assert (decisions(store) > 0).all()
    again = play(tmp_path / "again", random_moves=0.5, concurrency=1, **options)
    assert np.array_equal(store.actions, again.actions)
    assert not np.array_equal(store.actions, play(tmp_path / "best", **options).actions)


def test_all_moves_may_be_drawn_and_each_player_of_several(tmp_path: Path) -> None:
    store = play(tmp_path, random_moves=1.0, explore=False, games=300)
    first, counts = np.unique(store.actions[store.offsets[:-1]], return_counts=True)
    assert len(first) == 7
    assert counts.min() > 20  # 43 of 300 are expected of each
    for wrong in (-0.1, 1.1, "a", None, float("nan")):
        with pytest.raises(InvalidConfig, match="random_moves"):
            play(tmp_path / "wrong", random_moves=wrong)
    together = play(
        tmp_path / "p", "pommerman-ffa", agent="simple", games=2, max_plies=20, random_moves=1.0
    )
    usual = play(tmp_path / "q", "pommerman-ffa", agent="simple", games=2, max_plies=20)
    assert not np.array_equal(together.actions[:20], usual.actions[:20])


def test_random_plies_of_a_game_without_texts_are_no_targets(tmp_path: Path) -> None:
    store = play(tmp_path, "own-crosses", starts="random:2")
    assert not store.starts
    first = store.offsets[:-1]
    assert (decisions(store)[first] == 0).all()
    assert (decisions(store)[first + 1] == 0).all()
    assert (decisions(store)[first + 2] > 0).all()


def test_positions_of_stored_games(tmp_path: Path) -> None:
    first = play(tmp_path, "chess", max_plies=12)
    store = training.play_games(
        searcher(), game="chess", games=4, out=tmp_path / "more", starts=first, max_plies=16
    )
    known = set(first.positions().key.tolist())
    begun = store.positions()
    assert all(int(key) in known for key in begun.key[begun.ply == 0])
    assert any("moves" in str(text) for text in store.starts.values())
    text = f"games:{tmp_path / 'games'}:3-5"
    drawn = training.play_games(
        searcher(), game="chess", games=4, out=tmp_path / "text", starts=text, max_plies=16
    )
    assert {len(str(text).split()) for text in drawn.starts.values()} <= {4, 5, 6}


def test_positions_beyond_the_end_by_the_rules_are_drawn_again(tmp_path: Path) -> None:
    """Players go on after the third repetition, which ends a game here at ply 8."""
    chess = games.make("chess")
    with training.StoreWriter(tmp_path / "games", game="chess") as writer:
        state = chess.initial_state()
        there_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"]
        actions = []
        for uci in there_and_back:
            actions.append(state.parse_uci(uci))
            state = state.play(actions[-1])
        writer.add(actions=actions * 4, returns=(0.0, 0.0))
    source = StoredPositions(tmp_path / "games")
    rng = np.random.default_rng(1)
    plies = {len(source.begin(chess, rng).actions) for _ in range(100)}
    assert plies == set(range(8))
    with pytest.raises(InvalidState, match="give lower plies"):
        StoredPositions(tmp_path / "games", 8).begin(chess, rng)


def test_a_store_goes_on_only_if_told(tmp_path: Path) -> None:
    play(tmp_path, games=2)
    with pytest.raises(StoreError, match="append=True"):
        play(tmp_path, games=2)
    assert len(play(tmp_path, games=3, seed=4, append=True)) == 5


def test_games_that_were_finished_are_kept_if_an_evaluator_fails(tmp_path: Path) -> None:
    agent = searcher(evaluator=Rowwise(7, nan_after=4000))
    with pytest.raises(InvalidEvaluation, match=r"\d+ games of self-play had been finished"):
        play(tmp_path, agent=agent, games=500, concurrency=4)
    store = training.GameStore.open(tmp_path / "games")
    assert 0 < len(store) < 500


def test_games_that_a_full_disk_kept_out_of_their_file_are_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        message = "the disk is full"
        raise StoreError(message)

    monkeypatch.setattr(game_log, "write_file", full)
    with pytest.raises(StoreError, match="the disk is full"):
        play(tmp_path, games=5)
    monkeypatch.undo()
    # The empty file that the store's writer leaves has the name that theirs was to have.
    assert len(play(tmp_path, games=2, seed=4, append=True)) == 7


def test_games_whose_file_was_written_are_not_kept_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*given: Any, **options: Any) -> None:
        store_file.write_file(*given, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(game_log, "write_file", stopped)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path, games=5, shard_games=5)
    monkeypatch.undo()
    assert len(play(tmp_path, games=2, seed=4, append=True)) == 7


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"games": 0}, InvalidConfig, "games=0"),
    ({"concurrency": 0}, InvalidConfig, "concurrency=0"),
    ({"max_plies": 0}, InvalidConfig, "max_plies=0"),
    ({"seed": 1.5}, InvalidConfig, "seed=1.5"),
    ({"starts": ["1212121"]}, InvalidState, "over there"),
    ({"starts": "random:3-3", "max_plies": 3}, InvalidState, "reached after 3 plies"),
    ({"starts": "random:43"}, InvalidConfig, "every one ended"),
    ({"starts": "random:5-2"}, InvalidConfig, "smaller"),
    ({"starts": "middle"}, InvalidConfig, "random:LOW-HIGH"),
    ({"starts": {"initial": 0}}, InvalidConfig, "above 0"),
    ({"starts": []}, InvalidConfig, "one at least"),
    ({"starts": 3}, InvalidConfig, "opening suite"),
    ({"adjudication": 1}, InvalidConfig, "Adjudication"),
    ({"starts": "games:missing"}, StoreError, "missing"),
    ({"agent": "nobody"}, UnknownAgent, "nobody"),
]


@pytest.mark.parametrize(("options", "error", "told"), WRONG)
def test_what_is_refused(
    tmp_path: Path, options: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        play(tmp_path, **options)
    assert not (tmp_path / "games").exists()


def test_a_start_of_ones_own_source(tmp_path: Path) -> None:
    class Corner:
        def begin(self, game: Any, rng: Any) -> Any:
            _, states, actions = RandomPlies(1, 1).begin(game, rng)
            return (
                RandomPlies(1, 1)
                .begin(game, rng)
                ._replace(start="", states=states, actions=actions)
            )

    store = play(tmp_path, "own-crosses", starts=Corner())
    assert len(store) == 6
    assert isinstance(store.game.initial_state(), Crosses)


def test_decisions_by_phase_are_counted_where_all_move_at_once(tmp_path: Path) -> None:
    agent = searcher(4, others="random")
    store = play(tmp_path, "pommerman-ffa", max_plies=6, games=2, agent=agent)
    gate = gating.make("hash:3", "pommerman-ffa")
    found = phases_of(files_of(tmp_path / "games"), gate)
    rows = store.positions(gate)
    searched = decisions(store)[decisions_of(store.columns, rows.game, rows.ply, rows.player)] > 0
    counts = np.bincount(rows.phase[searched], minlength=3).tolist()
    assert [count for count, _ in found.values()] == counts
    assert sum(counts) > 30

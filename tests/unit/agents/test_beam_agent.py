"""`BeamAgent` in whole games: sessions, pools, matches, self-play, experts."""

import copy
import json
import pickle
from itertools import pairwise

import numpy as np
import pytest

from phasezoo import agents, arena, games, gating, inference, training
from phasezoo.errors import GateMismatch, InvalidConfig, RunDirectoryError
from phasezoo.training.selfplay.config import Watching
from phasezoo.training.selfplay.generation import Players
from phasezoo.training.selfplay.start_texts import start_source

CHESS, FOUR = games.make("chess"), games.make("connect-four")
UNIFORM = inference.Uniform()


class Hashed:
    """Logits and values made of each row's planes alone; keeps the sizes of its batches."""

    plane_spec = "default"

    def __init__(self, salt=1.0):
        self.salt = salt
        self.batches = []

    def evaluate(self, planes):
        self.batches.append(len(planes))
        flat = planes.reshape(len(planes), -1).astype(np.float64)
        weights = np.sin(self.salt + np.arange(flat.shape[1]) * 0.7)
        value = np.sin(flat @ weights * 3.1)
        logits = np.cos(np.arange(7) * 1.3 + 5 * value[:, None])
        return inference.Evaluation(
            policy_logits=logits.astype(np.float32), value=(0.9 * value).astype(np.float32)
        )


def beam(evaluator=None, schedule=(3, 2, 1), **options):
    evaluator = Hashed() if evaluator is None else evaluator
    return agents.BeamAgent(evaluator, schedule=schedule, **options)


def test_a_beam_is_asked_layer_by_layer():
    evaluator = Hashed()
    result = beam(evaluator, (4, 3, 2)).search(FOUR.initial_state())
    assert evaluator.batches == [1, 4, 12, 24]
    assert (result.nodes, result.depth, result.ended) == (41, 3, "schedule")
    assert result.pv[0] == result.action
    assert len(result.lines(2)) == 2
    assert result.policy.sum() == pytest.approx(1, abs=1e-5)
    assert result.policy.shape == (7,)


def test_settings_are_checked_when_they_are_given():
    config = agents.BeamConfig()
    assert config.schedule == "8,5,3,2,1,1,1"
    assert config.layers == (1, 8, 40, 120, 240, 240, 240, 240)
    assert (config.positions, config.batch_size) == (1129, 142)
    assert agents.BeamConfig(schedule=[8, np.int64(5)]) == agents.BeamConfig(schedule="8, 5")
    for schedule in ((), "", (8, 0), (8, -1), (8, 2.5), (8, True), (1 << 40,), 8, None, "8;5"):
        with pytest.raises(InvalidConfig, match="schedule"):
            agents.BeamConfig(schedule=schedule)
    for name, value in [
        ("keep", "luck"), ("backup", 3), ("wins", "never"), ("rated", -1), ("stagger", 1),
        ("policy_temperature", 0.0), ("temperature", np.nan), ("temperature_plies", -1),
    ]:  # fmt: skip
        with pytest.raises(InvalidConfig, match=name):
            agents.BeamConfig(**{name: value})
    with pytest.raises(InvalidConfig, match="widths"):
        beam(widths=(8,))
    with pytest.raises(InvalidConfig, match="plies=4"):
        beam(plies=4)
    with pytest.raises(InvalidConfig, match="evaluator"):
        agents.BeamAgent(object())


def test_a_text_makes_it():
    agent = agents.make("beam:schedule='4,2',keep=value,rated=5,plies=2,seed=3,nodes=50")
    assert isinstance(agent, agents.BeamAgent)
    assert (agent.config.schedule, agent.config.keep, agent.plies) == ("4,2", "value", 2)
    assert agent.limit == agents.Limit(nodes=50)
    assert agents.spec_of(agents.make("beam:schedule='4,2'")) is not None
    assert "beam" in agents.names()
    agents.check(agents.make("beam:schedule='3,2'"), "connect-four")


def test_games_whose_players_move_at_once_are_refused():
    pommerman = games.make("pommerman-ffa")
    with pytest.raises(InvalidConfig, match="move at once"):
        beam(UNIFORM).search(pommerman.initial_state(seed=1))


def test_it_sits_in_matches_and_says_what_it_thought():
    match = arena.play_match(
        beam(schedule=(4, 2)), agents.RandomAgent(seed=1), game="connect-four", games=8, seed=5
    )
    assert match.wins + match.draws + match.losses == 8
    again = arena.play_match(
        beam(schedule=(4, 2), plies=2), agents.RandomAgent(seed=1), game="connect-four", games=8,
        seed=5, concurrency=3,
    )  # fmt: skip
    assert [record.moves for record in again.games] == [record.moves for record in match.games]
    thoughts = [thought for record in match.games for thought in record.thoughts if thought]
    assert max(thought.nodes for thought in thoughts) == 13
    assert all(-1 <= thought.value <= 1 for thought in thoughts)


def test_a_session_says_what_a_move_took():
    session = beam(plies=2).session(1)
    move = session.move(FOUR.initial_state())
    assert (move.action, move.nodes, move.depth) == (move.search.action, 16, 3)
    after = FOUR.initial_state().play(move.action)
    assert session.move(after).nodes == 16  # a session searches every ply
    assert session.search(after, limit=agents.Limit(nodes=5)).nodes <= 5


def test_a_limit_of_a_match_ends_beams():
    match = arena.play_match(
        beam(), agents.RandomAgent(seed=1), game="connect-four", games=2, seed=5,
        limit=agents.Limit(nodes=5),
    )  # fmt: skip
    thoughts = [thought for record in match.games for thought in record.thoughts if thought]
    assert max(thought.nodes for thought in thoughts) == 4


def test_a_copy_goes_on_as_the_original_would():
    agent = beam(temperature=1.0, temperature_plies=30)
    session, state = agent.session(3), FOUR.initial_state()
    state = state.play(session.act(state)).play(3)
    copies = [pickle.loads(pickle.dumps(session)), copy.deepcopy(session)]
    expected = [session.act(state), session.act(state.play(0).play(1))]
    for each in copies:
        assert [each.act(state), each.act(state.play(0).play(1))] == expected


def test_many_positions_at_once_are_searched_as_one_by_one():
    states = [FOUR.from_columns(columns) for columns in ("", "4", "44", "123", "4453")]
    together = beam().select_batch(states)
    assert together.tolist() == [beam().search(state).action for state in states]


def played(tmp_path, agent, name="a", **options):
    options = {"games": 6, "seed": 2, "starts": "random:2-4", "explore": False, **options}
    return training.play_games(agent, game="connect-four", out=tmp_path / name, **options)


def test_self_play_keeps_the_policy_and_the_value_of_every_search(tmp_path):
    store = played(tmp_path, beam())
    visits = store.columns.visits
    for game, (low, high) in enumerate(pairwise(store.offsets.tolist())):
        state = FOUR.from_columns(store.starts.get(game, ""))
        for ply in range(low, high):
            found = beam().search(state)
            begin, end = visits.offsets[ply : ply + 2]
            shares = visits.counts[begin:end] / visits.counts[begin:end].sum()
            assert shares == pytest.approx(found.policy[visits.actions[begin:end]], abs=1e-5)
            assert store.columns.values[ply] == pytest.approx(found.value, abs=1e-6)
            assert store.actions[ply] == found.action
            state = state.play(int(store.actions[ply]))
        assert state.is_terminal


def test_three_plies_of_a_variation_are_played_where_all_players_are_ours(tmp_path):
    agent = beam(schedule=(3, 2, 1, 1), plies=3)
    store = played(tmp_path, agent)
    visits = np.diff(store.columns.visits.offsets)
    pushed = 0
    for game, (low, high) in enumerate(pairwise(store.offsets.tolist())):
        state, ply = FOUR.from_columns(store.starts.get(game, "")), low
        while ply < high:
            found = beam(schedule=(3, 2, 1, 1)).search(state)
            line = found.pv[:3]
            assert store.actions[ply : ply + len(line)].tolist() == line[: high - ply]
            assert visits[ply] > 0
            assert (visits[ply + 1 : min(ply + len(line), high)] == 0).all()
            for step, action in enumerate(line[: high - ply]):
                # Minimax hands one value up the variation, seen by who moves.
                sign = 1 if step % 2 == 0 else -1
                assert store.columns.values[ply + step] == pytest.approx(
                    sign * found.value, abs=1e-6
                )
                state = state.play(action)
            pushed += len(line) - 1
            ply += len(line)
        assert state.is_terminal
    assert pushed > 20


def test_no_game_depends_on_how_many_run_at_once(tmp_path):
    stores = [
        played(
            tmp_path,
            beam(plies=2),
            f"{concurrency}-{rows}",
            concurrency=concurrency,
            pool_rows=rows,
        )
        for concurrency, rows in ((1, None), (6, None), (6, 5))
    ]
    for store in stores[1:]:
        assert store.actions.tolist() == stores[0].actions.tolist()
        np.testing.assert_array_equal(store.columns.values, stores[0].columns.values)


def test_games_of_self_play_are_a_layer_apart(tmp_path):
    """Of one size once all have begun, but for ends of games and columns that are full."""
    evaluator = Hashed()
    played(tmp_path, beam(evaluator, (2, 2, 1)), games=16, concurrency=8, starts="initial")
    full = 2 * (1 + 2 + 4 + 4)
    assert evaluator.batches[:4] == [2, 6, 14, 22]
    assert set(evaluator.batches[4:20]) == {full}


def test_beams_without_a_temperature_explore(tmp_path):
    store = played(tmp_path, beam(), games=24, starts="initial", explore=True)
    assert len({tuple(store.actions[a:b]) for a, b in pairwise(store.offsets)}) > 12


def test_temperature_draws_the_first_plies(tmp_path):
    warm = beam(temperature=1.0, temperature_plies=4, policy_temperature=1.0)
    store = played(tmp_path, warm, games=24, starts="initial")
    each = {tuple(store.actions[a:b].tolist()) for a, b in pairwise(store.offsets)}
    assert len({moves[:4] for moves in each}) > 10
    assert len(each) == len({moves[:4] for moves in each})


def mixture(routing="exact", gate="plies:2"):
    return inference.MixtureOfExperts(
        {"up to 2": Hashed(1.0), "over 2": Hashed(2.0)}, gate, routing, game="connect-four"
    )


class ByPly:
    """What the mixture should say of each row."""

    plane_spec = "default"

    def evaluate(self, planes):
        early = planes[:, :2].sum(axis=(1, 2, 3)) <= 2
        first, second = Hashed(1.0).evaluate(planes), Hashed(2.0).evaluate(planes)
        return inference.Evaluation(
            policy_logits=np.where(early[:, None], first.policy_logits, second.policy_logits),
            value=np.where(early, first.value, second.value),
        )


def test_every_row_meets_the_expert_of_its_own_phase(tmp_path):
    ours = played(tmp_path, beam(mixture()), "experts", starts="initial", games=3)
    plain = played(tmp_path, beam(ByPly()), "plain", starts="initial", games=3)
    assert ours.actions.tolist() == plain.actions.tolist()
    np.testing.assert_allclose(ours.columns.values, plain.columns.values, atol=1e-6)
    result = beam(mixture()).search(FOUR.initial_state())
    assert result.phase == 0
    assert result.q == pytest.approx(beam(ByPly()).search(FOUR.initial_state()).q, abs=1e-6)
    with pytest.raises(GateMismatch):
        beam(mixture(), gate="plies:3")
    assert beam(mixture("majority")).search(FOUR.initial_state()).nodes == 16


@pytest.mark.parametrize("keep", ["policy", "value"])
def test_a_layer_votes_as_a_whole_whatever_is_asked_at_once(keep):
    """A layer has rows of several phases, and the majority's expert answers."""
    gate = gating.make("threats:1,3", game="connect-four")
    experts = {name: Hashed(salt) for salt, name in enumerate(gate.names)}
    agent = beam(
        inference.MixtureOfExperts(experts, gate, "majority"), schedule=(4, 4, 3), keep=keep
    )
    rng = np.random.default_rng(5)
    states = []
    while len(states) < 24:
        state = FOUR.initial_state()
        for _ in range(12):
            state = state if state.is_terminal else state.play(int(rng.choice(state.legal_actions)))
        states += [] if state.is_terminal else [state]

    def searched(rows, together):
        found = []
        for start in range(0, len(states), together):
            pool = agent.session_pool(FOUR, pool_rows=rows)
            slots = {pool.open(1): state for state in states[start : start + together]}
            for slot, state in slots.items():
                pool.ask(slot, state, state.to_play)
            moves = {}
            while len(moves) < len(slots):
                moves.update(pool.poll())
            found += [moves[slot].search for slot in slots]
        return [(result.action, result.q.tolist(), result.nodes) for result in found]

    alone = searched(None, 1)
    assert len(set(map(str, alone))) > 12
    for rows, together in ((None, 24), (16, 1), (16, 24), (100_000, 24)):
        assert searched(rows, together) == alone


def test_the_first_moves_of_the_note_are_drawn_evenly():
    """White's 20 first moves, and Black's 400 positions."""
    rng = np.random.default_rng(1)
    for text, plies, openings in (("random:1-1", 1, 20), ("random:2-2", 2, 400)):
        source = start_source(text)
        draws = [source.begin(CHESS, rng).actions for _ in range(12 * openings)]
        found, counts = np.unique(np.array(draws), axis=0, return_counts=True)
        assert found.shape == (openings, plies)
        # 12 each in the mean; chi-squared stays near its degrees of freedom.
        chi = ((counts - 12) ** 2 / 12).sum()
        assert abs(chi - (openings - 1)) < 5 * np.sqrt(2 * (openings - 1))


def test_games_begin_at_stored_positions(tmp_path):
    played(tmp_path, beam(), "first", games=4)
    store = played(tmp_path, beam(), "second", games=8, starts=f"games:{tmp_path / 'first'}:3-6")
    assert {len(text) for text in store.starts.values()} <= {5, 6, 7, 8, 9, 10}
    assert len(store) == 8


def learning(out, agent, **changes):
    options = {
        "seed": 1, "updates": 2, "games_per_update": 6, "concurrency": 4, "samples_per_new": 1.0,
        "backend": "torch", "max_plies": 14, "starts": ("random:2-3",),
        "watching": Watching.nothing(), **changes,
    }  # fmt: skip
    return training.SelfPlay("connect-four", "mlp-16x1", out=out, agent=agent, **options)


def test_a_network_learns_by_beams_that_a_text_or_a_function_makes(tmp_path):
    by_text = "beam:schedule='3,2',plies=2,keep=value,temperature=0"

    def by_function(evaluator):
        return agents.BeamAgent(evaluator, schedule=(3, 2), plies=2, keep="value")

    found = []
    for name, agent in (("text", by_text), ("function", by_function)):
        outcome = learning(tmp_path / name, agent).run()
        assert [update.games for update in outcome.updates] == [6, 12]
        assert all(update.samples > 0 for update in outcome.updates)
        found.append(training.GameStore.open(tmp_path / name / "games").actions.tolist())
    assert found[0] == found[1]
    with pytest.raises(RunDirectoryError, match="differs in agent"):
        learning(tmp_path / "text", by_text.replace("2,keep", "1,keep")).run()


def test_beams_that_learn_draw_their_first_actions_unless_their_text_says_otherwise(tmp_path):
    options = {"updates": 1, "games_per_update": 12, "starts": ("initial",)}
    different = []
    for text in ("beam:schedule='3,2'", "beam:schedule='3,2',temperature=0"):
        out = tmp_path / str(len(different))
        learning(out, text, **options).run()
        store = training.GameStore.open(out / "games")
        different.append(len({tuple(store.actions[a:b]) for a, b in pairwise(store.offsets)}))
    assert different[0] > 6
    assert different[1] == 1


def test_measured_versions_search_by_the_beam(tmp_path):
    watching = Watching(probe_every=0, ladder_every=1, ladder_games=4, report=False)
    learning(tmp_path / "run", "beam:schedule='3,2'", watching=watching, promote_games=2).run()
    rungs = [json.loads(line) for line in (tmp_path / "run/ladder.jsonl").read_text().splitlines()]
    assert {rung["nodes"] for rung in rungs} == {1 + 3 + 6}
    evaluator = Hashed()
    config = training.SelfPlayConfig(agent="beam:schedule='3,2',plies=2")
    players = Players(FOUR, config)
    still = players.searching(evaluator, 5, is_measured=True, draws=False)
    assert still.search(FOUR.initial_state()).nodes == 4  # a second layer would be one too many
    assert still.config.temperature == 0
    assert players.searching(evaluator).config.temperature > 0


@pytest.mark.parametrize(
    ("game", "agent", "words"),
    [
        ("pommerman-ffa", "beam", "'pommerman-ffa' move at once"),
        ("connect-four", "uct", "search 'uct': expected mcts"),
        ("connect-four", "mcts:nodes=3", "search 'mcts:nodes=3': expected mcts"),
        ("connect-four", "beam:net=runs/x", "leave net= out"),
        ("connect-four", "beam:plies=9", "plies=9"),
        ("connect-four", "beam:keep=luck", "keep='luck'"),
        ("connect-four", "beam:keeps=value", "did you mean keep="),
    ],
)
def test_what_a_search_that_learns_may_not_be(tmp_path, game, agent, words):
    with pytest.raises(InvalidConfig, match=words):
        training.SelfPlay(game, out=tmp_path / "run", agent=agent)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["lichess", "moves:3"])
def test_a_gate_says_the_phase_of_moves(name):
    gate = gating.make(name, game="chess")
    result = agents.BeamAgent(UNIFORM, schedule=(2, 1), gate=gate).search(CHESS.initial_state())
    assert result.phase == 0

import copy
import pickle

import numpy as np
import pytest
from material import Material
from selfplay_games import Crosses

from phasezoo import agents, games, gating, inference
from phasezoo.errors import (
    GateMismatch,
    InvalidArray,
    InvalidEvaluation,
    InvalidState,
    UnknownGame,
)

CHESS = games.make("chess")
START = CHESS.initial_state()
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
MATE_IN_ONE_BLACK = "3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1"
MIDGAME = "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9"
LICHESS = ("opening", "middlegame", "endgame")


def mcts(evaluator=None, nodes=60, **options):
    return agents.MCTSAgent(evaluator or Material(), limit=agents.Limit(nodes=nodes), **options)


def same(first, second):
    assert first.action == second.action
    for name in ("actions", "visits", "q", "prior", "policy"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert (first.nodes, first.simulations, first.depth) == (
        second.nodes,
        second.simulations,
        second.depth,
    )


# --- what it finds ---


@pytest.mark.parametrize("batch_size", [1, 64])
@pytest.mark.parametrize(("fen", "move"), [(MATE_IN_ONE, "Rd8#"), (MATE_IN_ONE_BLACK, "Rd1#")])
def test_mate_in_one_for_both_colours(fen, move, batch_size):
    state = CHESS.from_fen(fen)
    for evaluator in (inference.Uniform(), Material(policy=False)):
        result = mcts(evaluator, nodes=400, batch_size=batch_size).search(state)
        assert state.san(result.action) == move
        assert result.pv[0] == result.action
        assert result.proven == "win"


def test_the_shape_of_a_result():
    state = CHESS.from_fen(MIDGAME)
    result = mcts(nodes=100).search(state)
    legal = state.legal_actions
    assert result.actions.tolist() == legal.tolist()
    assert result.visits.shape == result.q.shape == result.prior.shape == legal.shape
    assert result.policy.shape == (4672,)
    assert result.policy.sum() == pytest.approx(1, abs=1e-5)
    assert set(np.flatnonzero(result.policy)) <= set(legal)
    assert result.nodes == 100
    assert result.visits.sum() == result.simulations - 1  # the first one evaluates the root
    assert -1 <= result.value <= 1


def test_never_an_illegal_move():
    rng = np.random.default_rng(2)
    state, agent = START, mcts(nodes=8)
    for _ in range(60):
        assert agent(None, {"state": state}) in state.legal_actions
        state = state.play(int(rng.choice(state.legal_actions)))
        if state.is_terminal:
            state = START


def test_what_cannot_be_searched():
    over = CHESS.from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    with pytest.raises(InvalidState):
        mcts().search(over)
    with pytest.raises(UnknownGame, match="no state of a registered game"):
        mcts().search("hello")
    with pytest.raises(InvalidState, match=r"info\['state'\]"):
        mcts()(None, {"fen": START.fen})
    with pytest.raises(InvalidArray, match="no states"):
        mcts().select_batch([])


# --- randomness ---


def test_searching_again_gives_the_same_result():
    state = CHESS.from_fen(MIDGAME)
    agent = mcts(seed=3, dirichlet_epsilon=0.25)
    first = agent.search(state)
    same(first, agent.search(state))
    same(first, mcts(seed=3, dirichlet_epsilon=0.25).search(state))
    other = mcts(seed=4, dirichlet_epsilon=0.25).search(state)
    assert other.visits.tolist() != first.visits.tolist()


def test_moves_are_drawn_in_the_first_plies_only():
    drawing = {"temperature": 2.0, "temperature_plies": 2, "quantile_clipping": 0.0}
    first = {mcts(seed=seed, **drawing).search(START).action for seed in range(12)}
    assert len(first) > 3
    later = START
    for move in ("e2e4", "e7e5"):
        later = later.play(later.parse_uci(move))
    assert len({mcts(seed=seed, **drawing).search(later).action for seed in range(12)}) == 1


def test_sessions_depend_on_their_seed_alone():
    def game(session):
        state, played = START, []
        for _ in range(6):
            played.append(session.act(state))
            state = state.play(played[-1])
        return played

    agent = mcts(nodes=20, temperature=1.5, temperature_plies=10)
    first = game(agent.session(5))
    agent.search(START)
    assert game(agent.session(5)) == first != game(agent.session(6))


# --- the tree goes on with the game ---


def follow(agent, states):
    session = agent.session(1)
    return [session.search(state) for state in states]


def line(*moves):
    states = [START]
    for move in moves:
        states.append(states[-1].play(states[-1].parse_uci(move)))
    return states


def test_the_tree_is_kept_while_the_game_goes_on():
    session = mcts(nodes=200).session(1)
    first = session.search(START)
    reply = START.play(first.action)
    state = reply.play(int(first.pv[1]))
    second = session.search(state)
    assert second.nodes == 200  # new work only
    assert second.visits.sum() > second.simulations  # beside what was there
    fresh = mcts(nodes=200, reuse_tree=False).session(1)
    fresh.search(START)
    dropped = fresh.search(state)
    assert dropped.visits.sum() == dropped.simulations - 1


def test_another_game_starts_anew():
    other = CHESS.from_fen(MIDGAME)
    for states in ([START, other], [*line("e2e4", "e7e5"), START]):
        last = follow(mcts(nodes=50), states)[-1]
        assert last.visits.sum() == last.simulations - 1


def test_calling_an_agent_follows_its_game():
    agent = mcts(nodes=100)
    session = mcts(nodes=100).session(agent.seed)
    state = START
    for _ in range(4):
        action = agent(None, {"state": state})
        assert action == session.act(state)
        state = state.play(action)
        state = state.play(int(state.legal_actions[0]))


def test_copies_start_a_game_of_their_own():
    agent = mcts(nodes=30)
    agent(None, {"state": START})
    for clone in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        same(clone.search(START), agent.search(START))


def test_many_unrelated_positions_at_once():
    states = [START, CHESS.from_fen(MIDGAME), CHESS.from_fen(MATE_IN_ONE)]
    evaluator = Material()
    chosen = mcts(evaluator, nodes=40).select_batch(states)
    assert chosen.tolist() == [mcts(nodes=40).search(state).action for state in states]


# --- failures leave the agent usable ---


class Moody(Material):
    """Fails at its n-th call."""

    def __init__(self, at, failure):
        super().__init__()
        self.at = at
        self.failure = failure

    def evaluate(self, planes):
        self.at -= 1
        if self.at == 0:
            return self.failure(planes)
        return super().evaluate(planes)


def nan(planes):
    return inference.Evaluation(value=np.full(len(planes), np.nan))


def too_short(planes):
    return inference.Evaluation(value=np.zeros(len(planes) - 1))


@pytest.mark.parametrize(
    ("failure", "words"), [(nan, r"Moody: value\[0\] is NaN"), (too_short, "Moody: value is")]
)
def test_wrong_evaluations_end_the_search_only(failure, words):
    agent = mcts(Moody(30, failure), nodes=60)
    with pytest.raises(InvalidEvaluation, match=words):
        agent(None, {"state": START})
    assert agent(None, {"state": START}) == mcts(nodes=60).search(START).action


def test_an_interruption_leaves_the_session_usable():
    def interrupt(planes):
        raise KeyboardInterrupt

    session = mcts(Moody(30, interrupt), nodes=60).session(0)
    with pytest.raises(KeyboardInterrupt):
        session.act(START)
    after = session.search(START)
    assert after.nodes == 60


# --- mixtures ---


def mixed(evaluators=None, **options):
    evaluators = evaluators or {name: Material() for name in LICHESS}
    settings = {"gate": "lichess", "limit": agents.Limit(nodes=120)} | options
    return agents.M2CTSAgent(evaluators, **settings)


@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize("routing", ["exact", "majority", "soft"])
def test_equal_experts_are_one_network(routing, batch_size):
    state = CHESS.from_fen(MIDGAME)
    mixture = mixed(routing=routing, batch_size=batch_size).search(state)
    single = mcts(nodes=120, batch_size=batch_size).search(state)
    assert mixture.action == single.action
    if routing != "soft":  # which takes logarithms of averages
        np.testing.assert_array_equal(mixture.visits, single.visits)
        np.testing.assert_array_equal(mixture.q, single.q)


def work(agent, state):
    pool = agent.session_pool(CHESS)
    slot = pool.open(1, [state])
    pool.ask(slot, state, state.to_play)
    while not pool.poll():
        pass
    return pool.counts


def test_exact_never_asks_the_wrong_expert_and_majority_does():
    state = CHESS.from_fen(MIDGAME)
    exact = work(mixed(routing="exact", batch_size=16), state)
    majority = work(mixed(routing="majority", batch_size=16), state)
    assert exact.rows == majority.rows == 120
    assert exact.off_phase_rows == 0
    assert 0 < majority.off_phase_rows < 120
    one_by_one = work(mixed(routing="majority", batch_size=1), state)
    assert one_by_one.off_phase_rows == 0
    soft = work(mixed(routing="soft"), state)
    assert soft.rows == 3 * 120


def test_every_expert_sees_its_own_phase_only():
    gate = gating.make("lichess")

    class Checks:
        plane_spec = None

        def __init__(self, phase):
            self.phase = phase
            self.rows = 0

        def evaluate_batch(self, leaves):
            self.rows += len(leaves)
            assert set(gate.batch(leaves.states()).tolist()) == {self.phase}
            assert set(leaves.phases.tolist()) == {self.phase}
            return inference.Evaluation(value=np.zeros(len(leaves)))

    experts = {name: Checks(phase) for phase, name in enumerate(LICHESS)}
    # A search that goes deep meets several phases.
    agent = mixed(experts, routing="exact", batch_size=8, fpu=None)
    work(agent, CHESS.from_fen(MIDGAME))
    assert sum(expert.rows for expert in experts.values()) == 120
    assert sum(expert.rows > 0 for expert in experts.values()) > 1


def test_a_placebo_mixture_is_the_same_code():
    experts = {f"part {i}": Material() for i in range(3)}
    counts = work(mixed(experts, gate="hash:3"), START)
    assert counts.off_phase_rows == 0
    share = [expert.rows / 120 for expert in experts.values()]
    assert min(share) > 0.15
    result = mixed(experts, gate="hash:3").search(START)
    np.testing.assert_array_equal(result.visits, mcts(nodes=120).search(START).visits)


def test_a_gate_of_ones_own_routes():
    @gating.register("test-check", names=("quiet", "check"))
    def in_check(state):
        return int(state.is_check)

    experts = {"quiet": Material(), "check": Material()}
    counts = work(mixed(experts, gate="test-check"), CHESS.from_fen(MATE_IN_ONE))
    assert counts.off_phase_rows == 0
    result = mixed(experts, gate="test-check").search(START)
    np.testing.assert_array_equal(result.visits, mcts(nodes=120).search(START).visits)


def test_a_monotone_gate_remembers_the_game():
    asked = []

    class Note(Material):
        def __init__(self, name):
            super().__init__()
            self.name = name

        def evaluate(self, planes):
            asked.append(self.name)
            return super().evaluate(planes)

    gate = gating.make("lichess", monotone=True)
    agent = mixed({name: Note(name) for name in LICHESS}, gate=gate, limit=agents.Limit(nodes=1))
    pool = agent.session_pool(CHESS)
    ending = CHESS.from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    slot = pool.open(1, [ending, START])  # no game goes like this; the gate only sees phases
    pool.ask(slot, START, 0)
    while not pool.poll():
        pass
    assert asked == ["endgame"]


def test_gates_that_do_not_belong_together():
    mixture = inference.MixtureOfExperts({name: Material() for name in LICHESS}, "lichess")
    assert mcts(mixture, gate="lichess:classic").gate is mixture.gate
    with pytest.raises(GateMismatch, match="routes by 'lichess:classic'"):
        mcts(mixture, gate="lichess:engine")


def test_searching_by_another_gate_is_counted():
    agent = mixed(search_gate="lichess:engine", fpu=None)
    counts = work(agent, START)
    assert 0 < counts.regated_rows <= counts.rows
    assert work(mixed(), START).regated_rows == 0


# --- time ---


def test_a_search_by_time_ends():
    agent = agents.MCTSAgent(Material(), limit=agents.Limit(movetime_ms=30), batch_size=8)
    assert agent.search(START).nodes >= 1
    assert mixed(limit=agents.Limit(movetime_ms=30), batch_size=8).search(START).nodes >= 1


# --- games of one's own ---


class Noughts(Crosses):
    """Names free cells after the end, too."""

    @property
    def legal_actions(self):
        return np.flatnonzero(np.array(self.cells) == 0)


games.register(
    "agents-noughts",
    initial_state=Noughts,
    num_players=2,
    num_actions=9,
    plane_specs={"default": (2, 3, 3)},
)


def test_a_game_of_ones_own_is_searched():
    agent = mcts(inference.Uniform(), nodes=300)
    assert agent.search(Noughts((1, 1, 0, -1, -1, 0, 0, 0, 0))).action == 2
    blocked = agent.search(Noughts((1, 1, 0, -1, 0, 0, 0, 0, 0)))
    assert blocked.action == 2


def test_perfect_play_is_a_draw():
    session = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(simulations=3000)).session(1)
    state = Noughts()
    while not state.is_terminal:
        state = state.play(session.act(state))
    assert state.winner == 0


# --- batches ---


def test_a_tree_may_have_more_leaves_out_than_a_pool_hands_out_by_default():
    counts = work(mcts(nodes=900, batch_size=400, c_puct_init=100.0), CHESS.from_fen(MIDGAME))
    assert counts.rows == 900
    assert counts.mean_rows > 150


@pytest.mark.parametrize("trees", [1, 2, 7, 64])
def test_every_waiting_tree_has_a_row_in_a_batch(trees):
    pool = mcts(nodes=5).session_pool(CHESS)
    for tree in range(trees):
        pool.ask(pool.open(tree), START, 0)
    for _ in range(3):
        leaves = pool._pool.collect(trees)
        assert sorted(leaves.trees.tolist()) == list(range(trees))
        pool._pool.complete(leaves, value=np.zeros(trees, dtype=np.float32))

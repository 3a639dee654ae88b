"""A tree's result depends on its own state, limit, seed and batch size, and on nothing else."""

from functools import cache

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from phasezoo import agents, games, gating, inference

GATES = {
    "chess": "hash:3",
    "atomic": "lichess",
    "connect-four": "hash:3",
    "pommerman-ffa": "hash:3",
}


class ByKey:
    """Answers a row by its planes alone, alike in any batch."""

    def __init__(self, game, salt):
        self.plane_spec = games.make(game).plane_spec()
        self.num_actions = games.make(game).num_actions
        self.salt = salt

    def evaluate(self, planes):
        sums = [float(np.dot(row, _weights(len(row)))) for row in planes.reshape(len(planes), -1)]
        moods = np.float32(self.salt) + np.array(sums, dtype=np.float32)
        actions = np.arange(self.num_actions, dtype=np.float32)
        return inference.Evaluation(
            policy_logits=6 * np.sin(moods[:, None] + actions), value=0.9 * np.sin(7 * moods)
        )


@cache
def _weights(size):
    return np.random.default_rng(1).integers(-8, 9, size).astype(np.float32) / 16


@cache
def roots(game):
    """States after some random plies."""
    rng, found = np.random.default_rng(5), []
    while len(found) < 8:
        state = games.make(game).initial_state(len(found))
        for _ in range(3 * len(found)):
            acting = games.acting_players(state)
            joint = [int(rng.choice(games.legal_actions_of(state, p))) for p in acting]
            state = state.play(joint[0] if len(joint) == 1 else joint)
            if state.is_terminal:
                break
        else:
            found.append(state)
    return found


def agent_of(game, routing, batch_size, limit, threads):
    names = gating.make(GATES[game], game=game).names
    return agents.M2CTSAgent(
        {name: ByKey(game, salt) for salt, name in enumerate(names)},
        gate=GATES[game],
        routing=routing,
        batch_size=batch_size,
        limit=limit,
        threads=threads,
        game=game,
        others="random" if game.startswith("pommerman") else None,
        dirichlet_epsilon=0.25,
    )


def searched(agent, states, pool_rows=None, waves=None, first_seed=0):
    """The moves found for ``states``; tree i joins after ``waves[i]`` rounds of the pool."""
    seats = agent.seats(agent.game, pool_rows=pool_rows)
    late = dict(enumerate(waves or [0] * len(states)))
    tree_of, moves, rounds = {}, {}, 0
    while len(moves) < len(states):
        for tree in [tree for tree, wave in late.items() if wave <= rounds]:
            del late[tree]
            seat = seats.open(first_seed + tree)
            tree_of[seat] = tree
            acting = games.acting_players(states[tree])
            seats.ask(seat, states[tree], acting[0])
        rounds += 1
        moves |= {tree_of[seat]: move for seat, move in seats.poll()}
    return [moves[tree] for tree in range(len(states))]


@settings(deadline=None, max_examples=20)
@given(
    st.sampled_from(sorted(GATES)),
    st.sampled_from(["exact", "majority", "soft"]),
    st.integers(1, 96),
    st.integers(0, 60),
    st.integers(1, 3),
    st.lists(st.integers(0, 12), min_size=2, max_size=6),
    st.integers(20, 120),
    st.booleans(),
)
@example("connect-four", "exact", 64, 0, 1, [0] * 6, 120, True)
@example("connect-four", "exact", 32, 18, 1, [0, 1, 2, 3, 4, 5], 120, False)
def test_a_tree_is_the_same_alone_and_in_any_pool(
    game, routing, batch_size, spare, threads, waves, nodes, patient
):
    # With a deadline, however late, queues do not wait for one another.
    limit = agents.Limit(nodes=nodes, movetime_ms=None if patient else 1e9)
    agent = agent_of(game, routing, batch_size, limit, threads)
    states = roots(game)[: len(waves)]
    together = searched(agent, states, batch_size + spare, waves)
    for tree, (state, move) in enumerate(zip(states, together, strict=True)):
        (alone,) = searched(agent, [state], first_seed=tree)
        assert move == alone, f"tree {tree}"

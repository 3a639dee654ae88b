"""The agent that plays from the table."""

import gymnasium as gym
import numpy as np
import pytest

from phasezoo import agents, games
from phasezoo.errors import InvalidConfig, InvalidState

KRK = games.make("krk", start="uniform")
STATES = [KRK.initial_state(seed) for seed in range(20)]


def test_it_is_known_by_name():
    assert isinstance(agents.make("tablebase", seed=3), agents.TablebaseAgent)
    assert "tablebase" in agents.names()


def test_every_way_of_asking_gives_a_best_action():
    agent = agents.TablebaseAgent(seed=1)
    batch = agent.select_batch(STATES)
    assert (batch.dtype, batch.shape) == (np.int64, (20,))
    session = agent.session(5)
    for state, action in zip(STATES, batch, strict=True):
        assert action in state.best_actions
        assert session.act(state, 0) in state.best_actions
        assert agent(None, {"state": state}) in state.best_actions


def test_scores_agree_with_the_table_for_both_sides():
    rng = np.random.default_rng(4)
    for state in STATES * 5:
        for _ in range(8):
            if state.is_terminal:
                break
            scores, distances = KRK.action_scores(state), state.action_dtm
            assert scores.shape == state.legal_actions.shape
            np.testing.assert_array_equal(scores == 0, np.isinf(distances))
            sign = 1 if state.to_play == 0 else -1  # the rook is White's
            assert set(np.sign(scores)) <= {0, sign}
            # Sooner mates are worth more to the side that mates.
            np.testing.assert_array_equal(
                np.argsort(sign * scores[scores != 0], kind="stable"),
                np.argsort(-distances[scores != 0], kind="stable"),
            )
            assert KRK.best_actions(state).tolist() == state.best_actions.tolist()
            state = state.play(int(rng.choice(state.legal_actions)))


def test_ties_are_drawn_by_the_seed():
    def chosen(seed):
        return agents.TablebaseAgent(seed).select_batch(STATES * 3).tolist()

    def acted(seed):
        session = agents.TablebaseAgent().session(seed)
        return [session.act(state) for state in STATES * 3]

    assert chosen(1) == chosen(1) != chosen(2)
    assert acted(1) == acted(1) != acted(2)
    tied = next(state for state in STATES if len(state.best_actions) > 1)
    agent = agents.TablebaseAgent(seed=1)
    found = {int(agent.select_batch([tied])[0]) for _ in range(200)}
    assert found == set(tied.best_actions.tolist())


def test_against_itself_the_game_takes_what_the_table_says():
    for start in STATES[:6]:
        state, agent = start, agents.TablebaseAgent(seed=2)
        while not state.is_terminal:
            state = state.play(agent(None, {"state": state}))
        assert state.outcome.reason == "checkmate"
        assert state.ply == 2 * start.dtm - 1


@pytest.mark.parametrize("name", ["chess", "atomic", "crazyhouse", "chess960"])
def test_states_without_a_table_are_refused(name):
    state = games.make(name).initial_state()
    agent = agents.TablebaseAgent()
    for ask in (lambda: agent.select_batch([state]), lambda: agent.session(1).act(state)):
        with pytest.raises(InvalidConfig, match=f"perfect play of '{name}' is not known"):
            ask()


def test_it_needs_a_state_of_a_game_that_goes_on():
    with pytest.raises(InvalidState, match="state"):
        agents.TablebaseAgent()(None, {})
    over = KRK.from_fen("R6k/8/6K1/8/8/8/8/8 b - - 0 1")
    with pytest.raises(InvalidState, match="over"):
        agents.TablebaseAgent().session(1).act(over)


@pytest.mark.parametrize("vector", [False, True])
def test_it_defends_in_environments_as_an_agent_too(vector):
    agent = agents.TablebaseAgent(seed=1)
    env = (
        gym.make_vec("KRK-v0", 1, opponent=agent, observation="none")
        if vector
        else gym.make("KRK-v0", opponent=agent, observation="none")
    )
    env.reset(seed=1)
    for _ in range(15):
        state = env.unwrapped.states[0] if vector else env.unwrapped.game_state
        action = agent(None, {"state": state})
        _, reward, terminated, *_ = env.step(np.array([action]) if vector else action)
    assert np.all(terminated)
    assert np.all(np.equal(reward, 1.0))

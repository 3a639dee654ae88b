"""Names of session pools that have changed work for one version and warn."""

import pytest

from phasezoo import agents, games, inference

FOUR = games.make("connect-four")


class OldPool:
    """An agent of a user's own, with the old name of ``session_pool``."""

    name = "old"

    def seats(self, game, **options):
        return agents.PolicyAgent(inference.Uniform()).session_pool(game, **options)


class Overridden(agents.PolicyAgent):
    """An agent of the package whose pool a user has replaced under its old name."""

    def seats(self, game, **options):
        with pytest.warns(DeprecationWarning, match="session_pool"):
            return super().seats(game, **options)


@pytest.mark.parametrize(
    "agent", [OldPool(), Overridden(inference.Uniform())], ids=lambda agent: agent.name
)
def test_agents_with_a_pool_by_its_old_name_play_and_warn(agent):
    with pytest.warns(DeprecationWarning, match=r"seats\(\) of \w+ is deprecated.*session_pool"):
        pool = agents.session_pool_of(agent, FOUR)
    pool.ask(pool.open(1), FOUR.initial_state(), 0)
    ((_, move),) = pool.poll()
    assert 0 <= move.action < FOUR.num_actions


def test_an_agents_own_sessions_use_a_pool_by_its_old_name():
    class Searching(agents.MCTSAgent):
        def seats(self, game, **options):
            asked.append(game)
            return self.session_pool(game, **options)

    asked, start = [], FOUR.initial_state()
    agent = Searching(inference.Uniform(), limit=agents.Limit(nodes=4))
    with pytest.warns(DeprecationWarning, match="session_pool"):
        agent.search(start)
    with pytest.warns(DeprecationWarning, match="session_pool"):
        agent.select_batch([start])
    assert asked == [FOUR, FOUR]


def test_old_names_of_session_pools_warn():
    with pytest.warns(DeprecationWarning, match=r"agents\.Seats"):
        assert agents.Seats is agents.SessionPool
    with pytest.warns(DeprecationWarning, match=r"agents\.seats_of"):
        agents.seats_of(agents.PolicyAgent(inference.Uniform()), FOUR)
    with pytest.warns(DeprecationWarning, match=r"Forfeit\.told"):
        assert agents.Forfeit("crash", "It ended.").told == "It ended."

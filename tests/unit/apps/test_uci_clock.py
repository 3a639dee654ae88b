"""No game is lost on time."""

import pytest
from uci_clock import Pauses, match


def played(*arguments, **options):
    """Games, none of which was lost on time, unless the machine itself stood still."""
    with Pauses() as pauses:
        found = match(*arguments, **options)
    lost = [game for game in found if game.loser is not None]
    if lost and pauses.longest > 0.05:
        pytest.skip(f"this machine paused for {1e3 * pauses.longest:.0f} ms: {lost}")
    assert not lost
    return found


def test_a_short_match_by_the_clock():
    found = played("mcts:batch_size=8", 1, most_plies=100)
    assert len(found) == 1
    assert found[0].plies > 10


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_hundred_games_of_a_second_and_a_hundredth():
    agent = "mcts:net=phasezoo/chess-small,backend=onnx,batch_size=16"
    assert len(played(agent, 200, at_once=2)) == 200

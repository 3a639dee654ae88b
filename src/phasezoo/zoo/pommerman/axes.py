"""Generalisation in Pommerman: who has learnt from the games of one kind of player meets others."""

from phasezoo.experiments.generalisation.axis import Axis, Split
from phasezoo.experiments.generalisation.config import GeneraliseConfig
from phasezoo.experiments.generalisation.learners import Lesson, SupervisedLearner
from phasezoo.experiments.generalisation.measures import Meeting, Play
from phasezoo.zoo.pommerman.data.episodes import EpisodeStore
from phasezoo.zoo.pommerman.game import POMMERMAN

__all__ = ["opponents"]

FFA = POMMERMAN[0]

PLAYERS = ("simple", "simple_unbiased", "random")
"""Of whom there are games, and who is met."""


POSITIONS_A_GAME = 500
"""About what a game of simple players has; those of random ones are shorter, and more of them."""


def opponents(config: GeneraliseConfig) -> Axis:
    """Free-for-all: learn from four players of one kind, play against three of each."""
    games = -(-config.test_games * 2 // FFA.num_players) * FFA.num_players

    def lesson(player: str, seed: int) -> Lesson:
        store = EpisodeStore(
            FFA.name,
            config.games * POSITIONS_A_GAME,
            seed=seed,
            agent=player,
            threads=config.threads,
        )
        return Lesson(store.split(seed, (0.9, 0.1, 0.0)))

    splits = tuple(
        Split(
            player,
            lambda seed, player=player: lesson(player, seed),
            Meeting(FFA, player, games),
        )
        for player in PLAYERS
    )
    about = (
        "A network learns the moves of free-for-all games between four players of one kind, and "
        "plays its policy, without search, against three of each kind, in all seats."
    )
    learner = SupervisedLearner(
        config.network, config.positions, device=config.device, threads=config.threads
    )
    return Axis("pommerman/opponents", splits, learner, Play(), about)

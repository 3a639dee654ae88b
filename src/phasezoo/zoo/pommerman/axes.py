"""Generalisation in Pommerman: to other players than those of training, and to other boards."""

from functools import cache

from phasezoo.data.splits import Splits
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.config import Axis, GeneraliseConfig, Split
from phasezoo.experiments.generalisation.learners import (
    EvaluationMatch,
    SupervisedLearner,
    TrainingSet,
    evaluation_set,
    sampled,
)
from phasezoo.experiments.generalisation.measures import Losses, Play, Together
from phasezoo.zoo.pommerman.data.episodes import EpisodeStore
from phasezoo.zoo.pommerman.game import POMMERMAN

FFA = POMMERMAN[0]

TWO_PLAYER = POMMERMAN[3:]
"""Games of two players, which differ in the board alone."""

PLAYERS = ("simple", "simple_unbiased", "random")
"""Of whom there are games, and who is met."""

TEACHER = "simple_unbiased"
"""Player of the games of training if the players are always the same."""

POSITIONS_A_GAME = 500
"""About what a game of simple players has; those of random ones are shorter, and more of them."""

POSITIONS_OF_TWO = 400
"""More than a game of two players has on average."""


def opponents(config: GeneraliseConfig) -> Axis:
    """Free-for-all: learn from four players of one kind, play against three of each."""
    games = -(-config.test_games * 2 // FFA.num_players) * FFA.num_players

    def training_set(player: str, seed: int) -> TrainingSet:
        store = EpisodeStore(
            FFA.name,
            config.games * POSITIONS_A_GAME,
            seed=seed,
            agent=player,
            threads=config.threads,
        )
        return TrainingSet(store.split(seed, (0.9, 0.1, 0.0)))

    splits = tuple(
        Split(
            player,
            lambda seed, player=player: training_set(player, seed),
            EvaluationMatch(FFA, player, games),
            environment=("PommermanFFA-v0", {"opponents": [player] * (FFA.num_players - 1)}),
        )
        for player in PLAYERS
    )
    about = (
        "A network learns the moves of free-for-all games between four players of one kind, and "
        "plays its policy, without search, against three of each kind, in every place."
    )
    learner = SupervisedLearner.of(config)
    return Axis("pommerman/opponents", splits, learner, Play(), about)


def sizes(config: GeneraliseConfig) -> Axis:
    """Two players on boards of 8 and of 11 cells a side, by networks that read any board."""
    from phasezoo import networks

    network = config.network
    if "pool=" not in network:
        network = networks.spec_of(network, pool="global")
    if not networks.fits_boards(network, TWO_PLAYER[0].plane_shape(), TWO_PLAYER[0].num_actions):
        message = (
            f"--network {network}: its weights fit boards of one size, but pommerman/sizes tests "
            "on another; choose a tower of convolutions, such as resnet-16x2"
        )
        raise InvalidConfig(message)

    @cache
    def played(name: str) -> Splits:
        wanted = (config.games + config.test_games) * POSITIONS_OF_TWO
        store = EpisodeStore(name, wanted, seed=config.seed, agent=TEACHER, threads=config.threads)
        return sampled(store, config.games, config.test_games, config.seed)

    splits = tuple(
        Split(
            "{1}×{2}".format(*game.plane_shape()),
            lambda seed, game=game: TrainingSet(played(game.name)),
            lambda seed, game=game: (
                evaluation_set(played(game.name)),
                EvaluationMatch(game, TEACHER, config.test_games * 2),
            ),
        )
        for game in TWO_PLAYER
    )
    about = (
        "Games of two players on boards of two sizes, with the same rules. A network whose heads "
        "are pooled over the board learns their moves; it is tested on moves of other games, and "
        f"by matches of its policy, without search, against {TEACHER}."
    )
    learner = SupervisedLearner.of(config, network=network)
    return Axis("pommerman/sizes", splits, learner, Together(Losses(), Play()), about)

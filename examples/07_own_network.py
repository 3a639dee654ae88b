"""A network of one's own: any torch module learns, searches, becomes a file, and mixes with others.

The module answers `networks.NetworkOutput` without what it has no head for. Registering its class
gives it a name, whose options are those of its constructor.
"""

import tempfile
from pathlib import Path

import torch
from torch import nn

from phasezoo import agents, arena, inference, networks, training
from phasezoo.games import make


@networks.register("columns")
class Columns(nn.Module):
    """Looks along the columns of a board, and over the whole of it once."""

    def __init__(self, input_shape, num_actions, width: int = 16):
        super().__init__()
        channels, height, squares = input_shape[0], input_shape[1], input_shape[1] * input_shape[2]
        self.body = nn.Sequential(
            nn.Conv2d(channels, width, (2 * height - 1, 1), padding=(height - 1, 0)),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.policy = nn.Linear(width * squares, num_actions)
        self.value = nn.Linear(width * squares, 1)

    def forward(self, planes):
        x = self.body(planes)
        return networks.NetworkOutput(self.policy(x), scalar=torch.tanh(self.value(x)).squeeze(1))


def main(positions=60_000, games=100, seed=1):
    game = make("connect-four")
    print(networks.check("columns:width=16", game.plane_shape(), game.num_actions))
    with tempfile.TemporaryDirectory() as place:
        # It learns from stored games; `training.SelfPlay` takes it as well.
        trained = training.train_supervised(
            training.GameStore.sample("connect-four"),
            network="columns",
            positions=positions,
            validation_positions=1000,
            batch_size=64,
            optimizer="adamw",
            max_lr=0.003,
            value_weight=0.5,
            seed=seed,
            out=Path(place) / "run",
        )
        learned = inference.load(trained.path)
        print(inference.check(learned))

        # Trained elsewhere, and without a name: an evaluator in one line, kept as ONNX.
        torch.manual_seed(seed)
        elsewhere = inference.TorchEvaluator(Columns(game.plane_shape(), 7), game=game)
        inference.save(elsewhere, Path(place) / "untrained")
        untrained = inference.load(Path(place) / "untrained")

        # Any evaluators mix: the trained one for the first twelve plies, the other for the rest.
        mixture = inference.MixtureOfExperts(
            {"up to 12": learned, "over 12": untrained}, "plies:12"
        )
        print(f"The trained network, 32 nodes a move, {games} games each:")
        opponents = {"a mixture of both": mixture, "the untrained one": untrained}
        for name, opponent in opponents.items():
            match = arena.play_match(
                search_with(learned),
                search_with(opponent),
                game=game,
                games=games,
                openings="two-ply",
                seed=4,
            )
            print(
                f"  v {name}: {match.wins} won, {match.draws} drawn, {match.losses} lost, "
                f"Elo {match.elo}"
            )


def search_with(evaluator):
    """A tree search that asks an evaluator."""
    return agents.MCTSAgent(evaluator, limit=agents.Limit(nodes=32), seed=1)


if __name__ == "__main__":
    main()

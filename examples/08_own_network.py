"""A network of one's own: any torch module learns, searches, becomes a file, and mixes with others.

The module answers `networks.NetworkOutput` without what it has no head for. Registering its class
gives it a name, whose options are those of its constructor.
"""

import tempfile
from pathlib import Path

import torch
from torch import nn

from phasezoo import agents, arena, games, inference, networks, training


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


def own_games(folder):
    """Games of a search against itself with rollouts, as a store."""
    player = agents.UCTAgent(threshold=7, limit=agents.Limit(simulations=30), seed=1)
    match = arena.play_match(
        player, agents.RandomAgent(seed=2), game="connect-four", games=40, seed=3
    )
    with training.StoreWriter(folder, game="connect-four") as writer:
        writer.extend(match)
    return training.GameStore.open(folder)


def main():
    game = games.make("connect-four")
    print(networks.check("columns:width=8", game.plane_shape(), game.num_actions))
    with tempfile.TemporaryDirectory() as place:
        store = own_games(Path(place) / "games")
        training.train_supervised(
            store,
            network="columns:width=8",
            positions=2_000,
            batch_size=64,
            validation_positions=200,
            seed=1,
            out=Path(place) / "columns",
        )
        learnt = inference.load(Path(place) / "columns")
        print(
            f"{learnt.name}, kept as {learnt.manifest.backend}, answers {inference.check(learnt)}"
        )

        # Trained elsewhere, and without a name: an evaluator in one line, kept as ONNX.
        elsewhere = inference.TorchEvaluator(Columns(game.plane_shape(), 7, width=4), game=game)
        inference.save(elsewhere, Path(place) / "elsewhere")
        other = inference.load(Path(place) / "elsewhere")

        # Any evaluators mix: one for the first ten plies, the other for the rest.
        mixture = inference.MixtureOfExperts({"up to 10": other, "over 10": learnt}, "plies:10")
        limit = agents.Limit(nodes=20)
        match = arena.play_match(
            agents.MCTSAgent(learnt, limit=limit, name="columns", seed=1),
            agents.MCTSAgent(mixture, limit=limit, name="half columns", seed=2),
            game=game,
            games=10,
            openings="two-ply",
            seed=4,
        )
        print(f"{match.wins} won, {match.draws} drawn, {match.losses} lost by columns")


if __name__ == "__main__":
    main()

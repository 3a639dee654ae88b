"""Connect Four from nothing: a network learns by playing itself, and then beats UCT.

The network knows the rules alone. After a minute of play its search meets a search that learns
nothing: UCT, which judges a position by a random game. The same call again goes on with what is in
the folder. `phasezoo selfplay connect-four --preset quick` learns for longer.
"""

from phasezoo import agents, arena, training


def learn(updates, games_per_update, seed):
    """Play against itself, learn from it, and so on; the network after each round is a version."""
    config = training.SelfPlayConfig.preset(
        "quick", "connect-four", updates=updates, games_per_update=games_per_update
    )
    loop = training.SelfPlay(
        "connect-four", network="mlp-64x1", config=config, out="runs/four", seed=seed
    )
    outcome = loop.run()
    print(outcome.describe())
    for update in outcome.updates:
        print(f"round {update.update}: policy loss {update.numbers['learn/policy_loss']:.3f}")
    return outcome


def search_with(evaluator, name):
    """A tree search that asks an evaluator about 64 positions a move."""
    return agents.MCTSAgent(evaluator, limit=agents.Limit(nodes=64), name=name, seed=1)


def main(updates=6, games_per_update=200, games=100, seed=1):
    outcome = learn(updates, games_per_update, seed)
    learned = search_with(outcome.evaluator(), "learned")
    opponents = {
        "its untrained self, 64 nodes a move": search_with(outcome.evaluator(0), "untrained"),
        "UCT, 256 random games a move": agents.UCTAgent(limit=agents.Limit(simulations=256)),
        "UCT, 64 random games a move": agents.UCTAgent(limit=agents.Limit(simulations=64)),
    }
    print(f"The learned network, 64 nodes a move, in {games} games each:")
    for name, opponent in opponents.items():
        match = arena.play_match(
            learned, opponent, game="connect-four", games=games, openings="two-ply", seed=1
        )
        print(f"  v {name}: {match.wins} won, {match.losses} lost, Elo {match.elo}")


if __name__ == "__main__":
    main()

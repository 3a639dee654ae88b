"""UCT with rollouts, one thread: chess beside OpenSpiel, and the rook endgame by its table."""

from benchmarks.common import Row, compared, counted, native, sized
from phasezoo import agents, games

CHESS_ROLLOUTS = sized(4_000, 20)
PEER_ROLLOUTS = sized(400, 5)

ENDGAME = {
    "krk": ("KRK, the study's policy", "≥ 10 M"),
    "random": ("KRK, random rollouts", ""),
}


def ours() -> float:
    """Rollouts of one search from the usual start, to the ends of games."""
    limit = agents.Limit(simulations=CHESS_ROLLOUTS)
    agent = agents.UCTAgent(expansion="rollouts", limit=limit, seed=1)
    result = agent.search(games.make("chess").initial_state())
    return float(result.simulations)


def open_spiel() -> float:
    """The same by OpenSpiel's native search with its random rollouts."""
    import pyspiel

    game = pyspiel.load_game("chess")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    # UCT constant, simulations, memory in MB, no solver, seed, silent.
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, PEER_ROLLOUTS, 1_000, False, 1, False)
    bot.mcts_search(game.new_initial_state())
    return PEER_ROLLOUTS


def endgame() -> list[Row]:
    """Plies of rollouts, as ``crates/phasezoo-core/benches/uct.rs`` counts them."""
    return [
        counted(ENDGAME[policy][0], "plies/s", ENDGAME[policy][1], rates)
        for game, policy, unit, *rates in native("uct")
        if game == "krk" and unit == "plies"
    ]


def rows() -> list[Row]:
    """Rollouts a second in chess, and plies a second in the endgame."""
    name = "UCT in chess, random rollouts"
    chess = compared(name, "rollouts/s", "≥ 9 k", ours, "OpenSpiel MCTS", open_spiel)
    return [chess, *endgame()]

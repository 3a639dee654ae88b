"""The package's small chess network with a tree search plays Stockfish, one of many UCI engines."""

from pathlib import Path

from phasezoo import agents, arena
from phasezoo.errors import EngineFailed

ENGINE = "uci:stockfish,nodes=100,Threads=1,name=Stockfish"
SEARCH = "mcts:net=phasezoo/chess-small,nodes=50,name=phasezoo"


def main(games=6):
    try:
        engine = agents.make(ENGINE)
    except EngineFailed as missing:
        print(f"{missing}\nUntil then the other side moves at random:")
        engine = agents.make("random")

    Path("stockfish.pgn").unlink(missing_ok=True)
    match = arena.play_match(
        SEARCH, engine, games=games, seed=1, max_plies=200, pgn="stockfish.pgn"
    )
    for record in match.games:
        colour = "White" if record.sides[0] == 0 else "Black"
        print(f"phasezoo as {colour}: {record.result} by {record.reason}, {record.plies} plies")
    print("The games, with what both said of their moves, are in stockfish.pgn")
    print(
        f"{SEARCH} scored {match.wins + match.draws / 2:g} of {games} against {match.sides[1].name}"
    )


if __name__ == "__main__":
    main()

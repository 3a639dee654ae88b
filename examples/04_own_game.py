"""A game of one's own: Othello on 6x6 in one class, and everything that then works with it.

A state is a value: `play` returns a new one. Registering the game binds the class to its name;
search, matches, gates and environments find it from there.
"""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from phasezoo import agents, arena, games, gating, inference

SIDE = 6
PASS = SIDE * SIDE  # the action of a player who cannot place a disc
EMPTY, BLACK, WHITE = 0, 1, -1  # Black is player 0 and begins
# Turning the board by half and mirroring it along its diagonals lead from the start to itself.
FLIPS = (
    lambda board: np.rot90(board, 2, (-2, -1)),
    lambda board: np.swapaxes(board, -2, -1),
    lambda board: np.rot90(np.swapaxes(board, -2, -1), 2, (-2, -1)),
)
STEPS = tuple((up, right) for up in (-1, 0, 1) for right in (-1, 0, 1) if (up, right) != (0, 0))


def start_cells():
    """Four discs in the middle, two of each colour."""
    cells = [EMPTY] * PASS
    low, high = SIDE // 2 - 1, SIDE // 2
    cells[low * SIDE + low] = cells[high * SIDE + high] = WHITE
    cells[low * SIDE + high] = cells[high * SIDE + low] = BLACK
    return tuple(cells)


def symmetry(flip):
    """How planes change, and where each action goes: passing stays passing."""
    came_from = flip(np.arange(PASS).reshape(SIDE, SIDE)).reshape(-1)
    return flip, np.append(np.argsort(came_from), PASS)


SYMMETRIES = tuple(map(symmetry, FLIPS))


@dataclass(frozen=True)
class Othello:
    """Cells row by row, and whose turn it is."""

    cells: tuple = start_cells()
    to_play: int = 0
    ply: int = 0

    @property
    def colour(self):
        return BLACK if self.to_play == 0 else WHITE

    def flips(self, cell, colour):
        """The discs that a disc of `colour` on `cell` would turn; none if it cannot lie there."""
        if self.cells[cell] != EMPTY:
            return ()
        turned = []
        for up, right in STEPS:
            line, row, column = [], cell // SIDE + up, cell % SIDE + right
            while 0 <= row < SIDE and 0 <= column < SIDE:
                disc = self.cells[row * SIDE + column]
                if disc != -colour:
                    turned += line if disc == colour else ()
                    break
                line.append(row * SIDE + column)
                row, column = row + up, column + right
        return tuple(turned)

    def placements(self, colour):
        return [cell for cell in range(PASS) if self.flips(cell, colour)]

    @property
    def is_terminal(self):
        return not self.placements(self.colour) and not self.placements(-self.colour)

    @property
    def legal_actions(self):
        """Cells that turn a disc; to pass if there are none."""
        if self.is_terminal:
            return np.empty(0, dtype=np.int64)
        return np.array(self.placements(self.colour) or [PASS], dtype=np.int64)

    @property
    def returns(self):
        """+1 for the side with more discs at the end; 0 each in a draw or before the end."""
        won = float(np.sign(sum(self.cells))) if self.is_terminal else 0.0
        return np.array([won, -won], dtype=np.float32)

    def play(self, action):
        cells = list(self.cells)
        if action != PASS:
            for cell in (int(action), *self.flips(action, self.colour)):
                cells[cell] = self.colour
        return Othello(tuple(cells), 1 - self.to_play, self.ply + 1)

    def planes(self, spec, player=None):
        """Own discs and theirs, float32[2, 6, 6]."""
        player = self.to_play if player is None else player
        own = np.array(self.cells).reshape(SIDE, SIDE) * (1 if player == 0 else -1)
        return np.stack([own == 1, own == -1]).astype(np.float32)

    @property
    def symmetries(self):
        """Training turns positions by these; search does not need them."""
        return SYMMETRIES

    @property
    def key(self):
        """A number that tells positions apart, mixed as the placebo gate hash:n needs it."""
        discs = bytes(disc % 3 for disc in (*self.cells, self.to_play))
        return int.from_bytes(blake2b(discs, digest_size=8).digest())

    def __str__(self):
        discs = [".XO"[disc] for disc in self.cells]
        return "\n".join(" ".join(discs[row : row + SIDE]) for row in range(0, PASS, SIDE))


games.register(
    "othello6",
    initial_state=Othello,
    num_players=2,
    num_actions=PASS + 1,
    plane_specs={"default": (2, SIDE, SIDE)},
)


@gating.register("corners", names=("no corner", "a corner", "three corners"))
def corners(state):
    """A corner cannot be taken back, so that play changes with them."""
    taken = sum(state.cells[cell] != EMPTY for cell in (0, SIDE - 1, PASS - SIDE, PASS - 1))
    return 2 if taken >= 3 else min(taken, 1)


class Corners:
    """An evaluator by a rule of thumb: who has more corners stands better."""

    plane_spec = "default"

    def evaluate(self, planes):  # float32[B, 2, 6, 6]
        own = planes[:, 0] - planes[:, 1]
        value = own[:, :: SIDE - 1, :: SIDE - 1].sum(axis=(1, 2))
        return inference.Evaluation(policy_logits=None, value=np.tanh(value / 2))


def count_lines(plies):
    """How many ways there are to play so many plies."""
    states = [Othello()]
    for _ in range(plies):
        states = [state.play(action) for state in states for action in state.legal_actions]
    return len(states)


def main(count=24, simulations=100):
    # No disc is near the rim in the first four plies: the counts are those of the 8x8 game.
    counts = [count_lines(plies) for plies in (1, 2, 3, 4)]
    print(f"lines of one to four plies: {counts}")
    assert counts == [4, 12, 56, 244]

    # With six cells left the search looks to the end of the game and proves what it plays.
    state = Othello()
    while state.cells.count(EMPTY) > 6:
        state = state.play(state.legal_actions[0])
    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(simulations=2000), seed=1)
    result = agent.search(state)
    print(f"{state}\nsix cells left: action {result.action}, proven: {result.proven}\n")
    assert result.proven is not None

    # Experts by a gate of one's own, in a match from each of the four first moves.
    experts = {name: Corners() for name in gating.make("corners").names}
    m2cts = agents.M2CTSAgent(
        experts,
        gate="corners",
        routing="exact",
        limit=agents.Limit(simulations=simulations),
        seed=1,
    )
    openings = [[str(action)] for action in Othello().legal_actions]
    match = arena.play_match(
        m2cts, "random", game="othello6", games=count, openings=openings, seed=2
    )
    print(
        f"M2CTS, {simulations} simulations a move, v random play in Othello 6x6: {match.wins} won, "
        f"{match.draws} drawn, {match.losses} lost, Elo {match.elo}"
    )


if __name__ == "__main__":
    main()

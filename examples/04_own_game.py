"""A game of one's own: Connect Four in one class, and everything that then works with it.

A state is a value: `play` returns a new one. Registering the game binds the class to its name;
search, matches and environments find it from there.
"""

from dataclasses import dataclass

import numpy as np

from phasezoo import agents, arena, games, inference

ROWS, COLUMNS = 6, 7


@dataclass(frozen=True)
class ConnectFour:
    """Columns of stones, lowest first: 0 for the first player's, 1 for the second's."""

    columns: tuple = ((),) * COLUMNS
    last: int = -1  # the column of the last stone

    @property
    def ply(self):
        return sum(map(len, self.columns))

    @property
    def to_play(self):
        return self.ply % 2

    @property
    def has_winner(self):
        """Whether the last stone made four in a row; only lines through it can have changed."""
        if self.last < 0:
            return False
        row = len(self.columns[self.last]) - 1
        return any(
            1 + self.count(row, right, up) + self.count(row, -right, -up) >= 4
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
        )

    def count(self, row, right, up):
        """Stones like the last one, next to it in one direction."""
        stone, column, length = 1 - self.to_play, self.last, 0
        while True:
            row, column = row + up, column + right
            if not 0 <= column < COLUMNS or not 0 <= row < len(self.columns[column]):
                return length
            if self.columns[column][row] != stone:
                return length
            length += 1

    @property
    def is_terminal(self):
        return self.ply == ROWS * COLUMNS or self.has_winner

    @property
    def legal_actions(self):
        if self.is_terminal:
            return np.empty(0, dtype=np.int64)
        return np.array([c for c in range(COLUMNS) if len(self.columns[c]) < ROWS], dtype=np.int64)

    @property
    def returns(self):
        """+1 for the winner, who has just played; 0 each in a draw or before the end."""
        won = 1.0 if self.has_winner else 0.0
        sign = -1 if self.to_play == 0 else 1
        return np.array([sign * won, -sign * won], dtype=np.float32)

    def play(self, action):
        columns = list(self.columns)
        columns[action] = (*columns[action], self.to_play)
        return ConnectFour(tuple(columns), int(action))

    def planes(self, spec, player=None):
        """Own stones and theirs, float32[2, 6, 7]."""
        player = self.to_play if player is None else player
        planes = np.zeros((2, ROWS, COLUMNS), dtype=np.float32)
        for column, stones in enumerate(self.columns):
            for row, stone in enumerate(stones):
                planes[int(stone != player), row, column] = 1
        return planes

    @property
    def key(self):
        """A number that tells positions apart, for the placebo gate hash:n."""
        text = "|".join("".join(map(str, stones)) for stones in self.columns)
        return int.from_bytes(text.encode(), "big") % 2**61

    def __str__(self):
        cells = [
            " ".join("XO"[c[row]] if row < len(c) else "." for c in self.columns)
            for row in reversed(range(ROWS))
        ]
        return "\n".join(cells)


games.register(
    "connect-four",
    initial_state=ConnectFour,
    num_players=2,
    num_actions=COLUMNS,
    plane_specs={"default": (2, ROWS, COLUMNS)},
)


def main():
    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(simulations=300), seed=1)

    # Three in a column: the search plays the fourth, and knows that it wins.
    state = ConnectFour()
    for column in (3, 0, 3, 0, 3, 1):
        state = state.play(column)
    result = agent.search(state)
    print(f"{state}\ncolumn {result.action}, proven: {result.proven}\n")
    assert result.action == 3

    # A match against random play; both sides get each opening, a list of columns, once.
    openings = [["3", "3"], ["2", "4"]]
    match = arena.play_match(
        agent, "random", game="connect-four", games=4, openings=openings, seed=2
    )
    print(match.summary())
    assert match.score > 0.5


if __name__ == "__main__":
    main()

"""Connect Four beside independent implementations: plain rules, PettingZoo's, a perfect solver."""

import numpy as np
import pytest

from phasezoo import agents, arena, games

GAME = games.make("connect-four")
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Plain:
    """The rules over a list of columns, as one would write them for a page of a book."""

    def __init__(self):
        self.columns = [[] for _ in range(7)]
        self.ply = 0
        self.won_by = None

    def legal(self):
        if self.won_by is not None:
            return []
        return [column for column in range(7) if len(self.columns[column]) < 6]

    def play(self, column):
        player = self.ply % 2
        self.columns[column].append(player)
        self.ply += 1
        row = len(self.columns[column]) - 1
        for up, right in DIRECTIONS:
            run = 1 + self._run(row, column, up, right) + self._run(row, column, -up, -right)
            if run >= 4:
                self.won_by = player

    def owner(self, row, column):
        if 0 <= column < 7 and 0 <= row < len(self.columns[column]):
            return self.columns[column][row]
        return None

    def _run(self, row, column, up, right):
        player, count = self.owner(row, column), 0
        while self.owner(row + up * (count + 1), column + right * (count + 1)) == player:
            count += 1
        return count

    def threats(self):
        """Empty cells, floating ones too, that complete four for either player."""
        cells = {
            (row, column): owner
            for column, stones in enumerate(self.columns)
            for row, owner in enumerate(stones)
        }
        found = set()
        for row in range(6):
            for column in range(7):
                for up, right in DIRECTIONS:
                    line = [(row + i * up, column + i * right) for i in range(4)]
                    if any(not (0 <= r < 6 and 0 <= c < 7) for r, c in line):
                        continue
                    empty = [cell for cell in line if cell not in cells]
                    owners = {cells[cell] for cell in line if cell in cells}
                    if len(empty) == 1 and len(owners) == 1:
                        found.add(empty[0])
        return len(found)


def compare(state, plain):
    assert state.ply == plain.ply
    assert state.to_play == plain.ply % 2
    assert state.legal_actions.tolist() == plain.legal()
    assert state.action_mask.tolist() == [int(c in plain.legal()) for c in range(7)]
    assert state.is_terminal == (not plain.legal())
    winner = plain.won_by
    if not state.is_terminal:
        assert state.outcome is None
    else:
        assert (state.outcome.winner, state.outcome.reason) == (
            winner, "board_full" if winner is None else "connect_four",
        )  # fmt: skip
    sign = {None: 0.0, 0: 1.0, 1: -1.0}[winner]
    assert state.returns.tolist() == [sign, -sign]


def play_beside(count, seed):
    rng = np.random.default_rng(seed)
    reasons = {}
    for _ in range(count):
        state, plain = GAME.initial_state(), Plain()
        while not state.is_terminal:
            compare(state, plain)
            column = int(rng.choice(plain.legal()))
            state = state.play(column)
            plain.play(column)
        compare(state, plain)
        reasons[state.outcome.reason] = reasons.get(state.outcome.reason, 0) + 1
    return reasons


def test_random_games_are_those_of_plain_rules():
    reasons = play_beside(1_500, seed=1)
    assert set(reasons) == {"connect_four", "board_full"}


@pytest.mark.slow
def test_twenty_thousand_random_games_are_those_of_plain_rules():
    assert sum(play_beside(20_000, seed=2).values()) == 20_000


def test_threats_and_planes_are_those_of_plain_rules():
    rng = np.random.default_rng(3)
    for _ in range(150):
        state, plain = GAME.initial_state(), Plain()
        while not state.is_terminal:
            assert state.threats == plain.threats(), state.columns
            for player in (0, 1):
                planes = state.planes(player=player)
                for row in range(6):
                    for column in range(7):
                        owner = plain.owner(row, column)
                        cell = planes[:, row, column].tolist()
                        assert cell == [owner == player, owner == 1 - player, plain.ply % 2 == 0]
            mirrored = state.mirrored()
            assert np.array_equal(mirrored.planes(), state.planes()[:, :, ::-1])
            assert mirrored.threats == state.threats
            column = int(rng.choice(plain.legal()))
            state = state.play(column)
            plain.play(column)


def test_the_solver_agrees_with_a_search_of_the_whole_tree():
    """Late positions are small enough for a plain minimax."""
    pytest.importorskip("bitbully", reason="the solver is not installed: extra 'solve'")

    def value(state):
        if state.is_terminal:
            # For the player to move, who has lost or drawn: the sooner, the farther from 0.
            left = (44 - state.ply) // 2
            return -float(left) if state.outcome.winner is not None else 0.0
        return max(-value(state.play(int(action))) for action in state.legal_actions)

    rng = np.random.default_rng(4)
    looked_at = 0
    while looked_at < 40:
        state = GAME.initial_state()
        while not state.is_terminal and state.ply < 33:
            state = state.play(int(rng.choice(state.legal_actions)))
        if state.is_terminal:
            continue
        scores = GAME.action_scores(state)
        exact = [-value(state.play(int(action))) for action in state.legal_actions]
        assert np.sign(scores).tolist() == np.sign(exact).tolist(), state.columns
        assert scores.tolist() == exact, state.columns
        looked_at += 1


def test_published_values_of_the_first_move():
    """Allis (1988): the middle wins, its neighbours draw, the others lose."""
    pytest.importorskip("bitbully", reason="the solver is not installed: extra 'solve'")
    scores = GAME.action_scores(GAME.initial_state())
    assert np.sign(scores).tolist() == [-1, -1, 0, 1, 0, -1, -1]
    assert GAME.best_actions(GAME.initial_state()).tolist() == [3]


def test_the_perfect_player_never_loses_as_first():
    pytest.importorskip("bitbully", reason="the solver is not installed: extra 'solve'")
    rng = np.random.default_rng(5)
    agent = agents.TablebaseAgent(seed=1)
    for _ in range(5):
        state = GAME.initial_state()
        while not state.is_terminal:
            if state.to_play == 0:
                state = state.play(agent.session(0).act(state, 0))
            else:
                state = state.play(int(rng.choice(state.legal_actions)))
        assert state.outcome.winner == 0


def test_a_search_finds_what_the_solver_knows():
    """Exact regret: UCT keeps win, draw or loss in late positions that can be misplayed."""
    pytest.importorskip("bitbully", reason="the solver is not installed: extra 'solve'")
    rng = np.random.default_rng(6)
    agent = agents.UCTAgent(limit=agents.Limit(simulations=3_000), seed=1)
    kept = asked = 0
    while asked < 30:
        state = GAME.initial_state()
        while not state.is_terminal and state.ply < 24:
            state = state.play(int(rng.choice(state.legal_actions)))
        if state.is_terminal:
            continue
        signs = np.sign(GAME.action_scores(state))
        if len(set(signs.tolist())) == 1:
            continue
        played = state.legal_actions.tolist().index(int(agent.search(state).action))
        kept += int(signs[played] == signs.max())
        asked += 1
    assert kept >= 27, kept


def test_matches_of_searches_are_played():
    uct = agents.UCTAgent(limit=agents.Limit(simulations=300), seed=1)
    match = arena.play_match(uct, agents.RandomAgent(seed=2), game="connect-four", games=20, seed=3)
    assert match.wins >= 16

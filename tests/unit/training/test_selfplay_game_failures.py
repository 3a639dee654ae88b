"""An error of the game's own code names the game, what was played and the state, in any play."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selfplay_games import Crosses, Rowwise

from phasezoo import agents, arena, games, training
from phasezoo.errors import GameContract

MEMBERS = ("play", "legal_actions", "is_terminal", "returns", "planes")


class Mine(RuntimeError):
    """What the code of a game raises."""


@dataclass(frozen=True)
class Failing(Crosses):
    """Tic-tac-toe, of which one member fails once so many stones are set."""

    member: str = ""
    stones: int = 0

    def _fail(self, member: str) -> None:
        if member == self.member and sum(map(abs, self.cells)) >= self.stones:
            message = f"{member} fails"
            raise Mine(message)

    @property
    def is_terminal(self) -> bool:
        self._fail("is_terminal")
        return super().is_terminal

    @property
    def legal_actions(self) -> Any:
        self._fail("legal_actions")
        return super().legal_actions

    @property
    def returns(self) -> Any:
        self._fail("returns")
        return super().returns

    def play(self, action: int) -> "Failing":
        self._fail("play")
        return Failing(super().play(action).cells, self.member, self.stones)

    def planes(self, spec: str, player: int | None = None) -> Any:
        self._fail("planes")
        return super().planes(spec, player)


def failing(member: str, stones: int) -> games.Game:
    return games.register(
        f"failing-{member}-{stones}",
        initial_state=lambda: Failing((0,) * 9, member, stones),
        num_players=2,
        num_actions=9,
        plane_specs={"default": (2, 3, 3)},
    )


def noted(caught: Any) -> str:
    (note,) = caught.value.__notes__
    return str(note)


def searching(nodes: int) -> agents.MCTSAgent:
    return agents.MCTSAgent(Rowwise(9), limit=agents.Limit(nodes=nodes))


@pytest.mark.parametrize("nodes", [1, 6])
@pytest.mark.parametrize("member", MEMBERS)
def test_self_play_names_the_game_and_its_actions(tmp_path: Path, member: str, nodes: int) -> None:
    game = failing(member, 4)
    with pytest.raises(Mine, match=f"{member} fails") as caught:
        training.play_games(searching(nodes), game=game, games=8, seed=2, out=tmp_path / "store")
    note = noted(caught)
    assert f"raised by {member} of the game {game.name!r} in the state Failing(" in note
    assert "side 0" not in note
    assert "games had been finished" in note
    number, moves = told(note)
    assert replayed_fails(game, moves, member, nodes)
    assert number in range(8)


def told(note: str) -> tuple[int, list[int]]:
    """The game's number and what was played in it."""
    number, _, rest = note.partition(", in game ")[2].partition(" at ply ")
    ply, _, after = rest.partition(";")[0].partition(", after ")
    moves = list(map(int, after.split()))
    assert len(moves) == int(ply)
    return int(number), moves


def replayed_fails(game: games.Game, moves: list[int], member: str, nodes: int) -> bool:
    """Whether these are moves of the game, and a search of so many nodes can get to the failure."""
    state = Crosses()
    for move in moves:
        assert state.cells[move] == 0
        state = state.play(move)
    wanted = 5 if member == "returns" else 4
    return wanted - nodes <= len(moves) <= 9


@pytest.mark.parametrize("member", MEMBERS)
def test_matches_name_the_side_that_asked_too(member: str) -> None:
    with pytest.raises(Mine, match=f"{member} fails") as caught:
        arena.play_match(searching(6), searching(6), game=failing(member, 4), games=4)
    assert f"raised by {member} of the game" in noted(caught)
    assert ", which side " in noted(caught)
    assert ", in game " in noted(caught)


def test_players_that_do_not_search(tmp_path: Path) -> None:
    for member in ("play", "legal_actions", "is_terminal"):
        with pytest.raises(Mine) as caught:
            training.play_games(
                "random", game=failing(member, 4), games=8, out=tmp_path / member, concurrency=3
            )
        assert f"raised by {member} of the game" in noted(caught)
        assert len(told(noted(caught))[1]) in (3, 4)


def test_a_start_that_cannot_be_played(tmp_path: Path) -> None:
    with pytest.raises(Mine) as caught:
        training.play_games("random", game=failing("play", 0), games=2, out=tmp_path / "store")
    assert "raised by play of the game 'failing-play-0'" in noted(caught)
    assert "in game 0 at ply 0" in noted(caught)
    assert not (tmp_path / "store").exists()


def test_a_broken_contract_is_told_with_its_game(tmp_path: Path) -> None:
    class Unordered(Failing):
        @property
        def legal_actions(self) -> Any:
            return super().legal_actions[::-1]

        def play(self, action: int) -> "Unordered":
            return Unordered(super().play(action).cells)

    game = games.register(
        "unordered",
        initial_state=Unordered,
        num_players=2,
        num_actions=9,
        plane_specs={"default": (2, 3, 3)},
    )
    with pytest.raises(GameContract, match="do not ascend") as caught:
        training.play_games(searching(4), game=game, games=2, out=tmp_path / "store")
    assert "raised by the game 'unordered'" in noted(caught)


def test_an_agents_own_error_is_not_the_games(tmp_path: Path) -> None:
    def fails(observation: Any, info: Any) -> int:
        raise KeyError("mine")

    with pytest.raises(KeyError) as caught:
        training.play_games(fails, game=failing("", 0), games=2, out=tmp_path / "store")
    assert noted(caught).startswith("raised by the agent that plays all players (fails)")

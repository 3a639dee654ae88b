"""Users' own games through the search: exact values, and every way to break the contract."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from search_fakes import Handle, Pile, drive, pile_pool, zeros

from phasezoo import _core
from phasezoo.errors import GameContract, InvalidEvaluation, InvalidState


@cache
def best(stones: int) -> int:
    """+1 where the player to move wins two-player Nim, else -1."""
    if stones == 0:
        return 1  # the other one has taken the last stone
    return max(-best(stones - taken) for taken in range(1, min(3, stones) + 1))


@pytest.mark.parametrize("stones", range(2, 14))
@pytest.mark.parametrize("batch_size", [1, 8])
def test_nim_is_solved(stones: int, batch_size: int) -> None:
    pool, tree = pile_pool(batch_size=batch_size)
    pool.begin(tree, Pile(stones), nodes=3000, infinite=True)
    drive(pool)
    result = pool.finish(tree)
    assert result.proven == ("win" if best(stones) > 0 else "loss")
    assert result.value == best(stones)
    if best(stones) > 0:
        assert -best(stones - result.action) == 1
    else:
        assert result.policy.max() == 1.0


def test_three_players_have_a_value_each() -> None:
    # With two stones the player to move takes one and the next one has to take the last.
    pool, tree = pile_pool(players=3)
    pool.begin(tree, Pile(2, to_play=1, players=3), nodes=1000)
    drive(pool)
    result = pool.finish(tree)
    assert result.action == 1
    assert result.values.tolist() == [1.0, 1.0, -1.0]
    pool.begin(tree, Pile(5, to_play=1, players=3), nodes=1)
    leaves = pool.collect(1)
    with pytest.raises(InvalidEvaluation, match="3 players fare"):
        pool.complete(leaves, wdl=np.array([[1, 0, 0]], dtype=np.float32))
    with pytest.raises(InvalidEvaluation, match=r"value has 2 numbers, expected float32\[1, 3\]"):
        pool.complete(leaves, value=np.zeros((1, 2), dtype=np.float32))
    pool.complete(leaves, value=np.array([[0.5, -0.25, 0.75]], dtype=np.float32))
    result = pool.finish(tree)
    assert result.values.tolist() == [0.5, -0.25, 0.75]
    assert result.value == -0.25


def test_a_winning_move_of_three_players_is_known_again_at_the_root() -> None:
    """Elsewhere it settles nothing, as it matters to the others what else the player could do."""

    @dataclass(frozen=True)
    class Once(Pile):
        """Whoever takes one stone of ten first has won; others go on."""

        @property
        def is_terminal(self) -> bool:
            return self.stones in (8, 0)

        @property
        def returns(self) -> Any:
            values = np.zeros(3, dtype=np.float32)
            if self.stones == 8:
                values[:] = -1.0
                values[(self.to_play - 1) % 3] = 1.0
            return values

        def play(self, action: int) -> "Once":
            return Once(self.stones - action, (self.to_play + 1) % 3, 3)

    def ended(*, from_above: bool) -> Any:
        pool, tree = pile_pool(players=3, batch_size=1)
        if from_above:
            pool.begin(tree, Once(10, 0, 3), simulations=60)
            drive_three(pool)
            pool.finish(tree)
            pool.advance(tree, 1)
        pool.begin(tree, Once(9, 1, 3), simulations=300)
        drive_three(pool)
        result = pool.finish(tree)
        return result.ended, result.action, pool.inspect(tree).proven

    def drive_three(pool: Any) -> None:
        while pool.running:
            leaves = pool.collect(8)
            pool.complete(leaves, value=np.zeros((len(leaves), 3), dtype=np.float32))

    assert ended(from_above=True) == ended(from_above=False)
    assert ended(from_above=True)[1] == 1


def test_one_player_looks_for_the_best_end() -> None:
    @dataclass(frozen=True)
    class Digits:
        digits: tuple[int, ...] = ()
        to_play: int = 0

        @property
        def is_terminal(self) -> bool:
            return len(self.digits) == 3

        @property
        def legal_actions(self) -> list[int]:
            return [0, 1, 2]

        @property
        def returns(self) -> list[float]:
            return [sum(d * 3**i for i, d in enumerate(self.digits)) / 26]

        def play(self, action: int) -> "Digits":
            return Digits((*self.digits, action))

    pool = _core.SearchPool(Handle("digits", 1, 3), _core.SearchParams())
    tree = pool.add(0)
    pool.begin(tree, Digits(), nodes=200)
    drive(pool)
    result = pool.finish(tree)
    assert (result.action, result.value, result.proven) == (2, 1.0, "win")
    assert result.pv == [2, 2, 2]


def test_subtrees_are_kept_if_the_states_agree() -> None:
    def visits_after(follow: Any, begin_at: Any) -> int:
        pool, tree = pile_pool()
        pool.begin(tree, follow, nodes=40)
        drive(pool, num_actions=4)
        pool.advance(tree, 1)
        pool.begin(tree, begin_at, nodes=1, infinite=True)
        visits = pool.inspect(tree)
        return visits.visits if visits else 0

    assert visits_after(Pile(30), Pile(29, to_play=1)) > 3
    assert visits_after(Pile(30), Pile(28, to_play=1)) == 0

    class Plain(Pile):
        """Without an equality of its own, turn and legal actions decide."""

        __eq__ = object.__eq__
        __hash__ = object.__hash__

        def play(self, action: int) -> "Plain":
            return Plain(self.stones - action, 1 - self.to_play)

    assert visits_after(Plain(30), Plain(29, to_play=1)) > 3
    # The same actions for the same player, and another position, as its key says.
    assert visits_after(Plain(30), Plain(27, to_play=1)) == 0
    assert visits_after(Plain(30), Plain(29, to_play=0)) == 0

    class Incomparable(Plain):
        def __eq__(self, other: object) -> bool:
            message = "the truth value of an array is ambiguous"
            raise ValueError(message)

        __hash__ = object.__hash__

        def play(self, action: int) -> "Incomparable":
            return Incomparable(self.stones - action, 1 - self.to_play)

    assert visits_after(Incomparable(30), Incomparable(29, to_play=1)) == 0


class Broken(Pile):
    """Nim in which something is wrong once two stones are left."""

    wrong: tuple[str, Any]

    def __getattribute__(self, name: str) -> Any:
        wrong, value = type(self).wrong
        if name == wrong and object.__getattribute__(self, "stones") <= 2:
            if isinstance(value, BaseException):
                raise value
            return value
        return super().__getattribute__(name)

    def play(self, action: int) -> Pile:
        return type(self)(self.stones - action, (self.to_play + 1) % self.players, self.players)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("legal_actions", np.array([], dtype=np.int64)), "legal_actions is empty"),
        (("legal_actions", [1, 4]), "legal action 4 is outside 0 to 3"),
        (("legal_actions", [-1, 1]), "legal action -1 is outside"),
        (("legal_actions", [1, 1]), "do not ascend at 1"),
        (("legal_actions", [2, 1]), "do not ascend at 1"),
        (("legal_actions", [0.5]), "not whole numbers"),
        (("legal_actions", None), "not whole numbers"),
        (("to_play", 2), "to_play is 2, expected a player from 0 to 1"),
        (("to_play", -2), "to_play is -2"),
        (("to_play", None), "to_play is None"),
    ],
)
def test_states_that_break_the_contract_are_named(wrong: tuple[str, Any], message: str) -> None:
    state_type = type("Broken", (Broken,), {"wrong": wrong})
    pool, tree = pile_pool()
    pool.begin(tree, state_type(6), nodes=100)
    with pytest.raises(GameContract, match=f"pile: .*{message}") as raised:
        drive(pool)
    assert "stones=" in str(raised.value), "the state is shown"
    assert pool.status(tree) == "failed"
    assert pool.finish(tree).nodes > 0


@pytest.mark.parametrize(
    ("returns", "message"),
    [
        ([1.0], "returns has 1 numbers for 2 players"),
        ([1.0, -1.0, 0.0], "returns has 3 numbers"),
        ([np.nan, 0.0], "a return is NaN"),
        ([2.0, -2.0], "a return is 2"),
        ([1.0, 1.0], "do not add up to zero"),
        ("ab", "not numbers"),
    ],
)
def test_returns_that_break_the_contract_are_named(returns: Any, message: str) -> None:
    class Wrong(Pile):
        @property
        def returns(self) -> Any:
            return returns

        def play(self, action: int) -> Pile:
            return Wrong(self.stones - action, 1 - self.to_play)

    pool, tree = pile_pool()
    pool.begin(tree, Wrong(4), nodes=100)
    with pytest.raises(GameContract, match=message):
        drive(pool)
    assert not pool.is_running(tree)


@pytest.mark.parametrize("error", [KeyError("mine"), KeyboardInterrupt()])
@pytest.mark.parametrize("where", ["is_terminal", "legal_actions", "to_play"])
def test_the_users_own_exceptions_come_back_as_they_were(where: str, error: BaseException) -> None:
    state_type = type("Raising", (Broken,), {"wrong": (where, error)})
    pool, tree = pile_pool(batch_size=4)
    other = pool.add(1)
    pool.begin(tree, state_type(7), nodes=500)
    pool.begin(other, Pile(9), nodes=200)
    with pytest.raises(type(error)) as raised:
        drive(pool)
    assert raised.value is error
    assert (pool.is_running(tree), pool.is_running(other)) == (False, True)
    drive(pool)
    assert pool.finish(other).value == best(9)


def test_a_game_that_calls_the_pool_is_told_so() -> None:
    pool, tree = pile_pool()

    class Nosy(Pile):
        def play(self, action: int) -> Pile:
            pool.collect(1)
            return super().play(action)

    pool.begin(tree, Nosy(9), nodes=10)
    with pytest.raises(InvalidState, match="use another pool"):
        drive(pool)
    pool.begin(tree, Pile(9), nodes=10)
    drive(pool)
    assert pool.finish(tree).nodes > 0


def test_planes_have_the_registered_shape() -> None:
    pool, tree = pile_pool()
    pool.begin(tree, Pile(9), nodes=10)
    leaves = pool.collect(1)
    assert leaves.planes("default").tolist() == [[[[9.0]]]]
    wrong = _core.SearchPool(replace(Handle("pile", 2, 4), shape=(2, 3, 3)), _core.SearchParams())
    tree = wrong.add(0)
    wrong.begin(tree, Pile(9), nodes=10)
    leaves = wrong.collect(1)
    with pytest.raises(GameContract, match=r"planes\(\"default\"\) has shape \[1, 1, 1\]"):
        leaves.planes("default")
    wrong.complete(leaves, value=zeros(leaves))


def test_temperature_reads_the_ply_of_states_that_have_one() -> None:
    class Counting(Pile):
        ply = 30

        def play(self, action: int) -> Pile:
            return Counting(self.stones - action, 1 - self.to_play)

    def actions(state: Pile) -> set[int]:
        pool, tree = pile_pool(temperature=1.0, temperature_plies=20, solver=False, fpu=0.0)
        found = set()
        for _ in range(30):
            pool.begin(tree, state, nodes=20)
            drive(pool)
            found.add(pool.finish(tree).action)
        return found

    assert len(actions(Pile(100))) > 1
    assert len(actions(Counting(100))) == 1


def test_the_plies_that_were_followed_are_forgotten_at_another_root() -> None:
    """Actions are drawn in the first ply alone, of a game that counts none."""

    def actions(*, advance: bool) -> set[int]:
        found = set()
        for seed in range(30):
            pool, _ = pile_pool(temperature=1.0, temperature_plies=1, solver=False, fpu=0.0)
            tree = pool.add(seed)
            pool.begin(tree, Pile(50), nodes=20)
            drive(pool)
            played = pool.finish(tree).action
            if advance:
                pool.advance(tree, played)
            pool.begin(tree, Pile(100), nodes=20)
            drive(pool)
            found.add(pool.finish(tree).action)
        return found

    assert len(actions(advance=True)) > 1
    assert actions(advance=True) == actions(advance=False)

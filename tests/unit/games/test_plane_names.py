"""Every plane of every game has a name, and the same name means the same numbers."""

import numpy as np
import pytest

from phasezoo import games

CHOICES = [
    (name, spec) for name in games.names() for spec in games.make(name).plane_specs
    if games.make(name).native
]  # fmt: skip


@pytest.mark.parametrize(("name", "spec"), CHOICES)
def test_every_plane_has_a_name_of_its_own(name: str, spec: str) -> None:
    game = games.make(name)
    names = game.names_of_planes(spec)
    assert len(set(names)) == len(names) == game.plane_shape(spec)[0]
    assert "plane 0" not in names


@pytest.mark.parametrize("name", sorted({name for name, _ in CHOICES}))
def test_planes_of_the_same_name_hold_the_same_numbers(name: str) -> None:
    game = games.make(name)
    rng = np.random.default_rng(3)
    for _ in range(6):
        state = game.initial_state(seed=int(rng.integers(100)))
        for _ in range(30):
            seen: dict[str, np.ndarray] = {}
            for spec in game.plane_specs:
                planes = games.planes_of(state, spec, 0)
                for title, plane in zip(game.names_of_planes(spec), planes, strict=True):
                    np.testing.assert_array_equal(seen.setdefault(title, plane), plane, title)
            if state.is_terminal:
                break
            actions = [
                int(rng.choice(games.legal_actions_of(state, player)))
                for player in games.acting_players(state)
            ]
            state = state.play(actions if game.num_players > 2 or game.is_hidden else actions[0])


def test_planes_of_a_game_that_says_nothing_are_numbered() -> None:
    game = games.Game("mine", 2, 3, {"default": (2, 1, 1)}, "default", object)
    assert game.names_of_planes() == ("plane 0", "plane 1")

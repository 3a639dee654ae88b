"""Every plane of every game has a name, and the same name means the same numbers."""

from typing import Any

import numpy as np
import pytest

from phasezoo import games
from phasezoo.errors import InvalidConfig
from phasezoo.games import registry

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


def register(plane_names: Any) -> games.Game:
    class State:
        pass

    sizes = {"default": (2, 3, 3), "small": (1, 3, 3)}
    return games.register(
        "named-planes",
        initial_state=State,
        num_players=2,
        num_actions=9,
        plane_specs=sizes,
        plane_names=plane_names,
    )


@pytest.fixture(autouse=True)
def own_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that a test registers are gone behind it."""
    monkeypatch.setattr(registry.REGISTRY, "own", dict(registry.REGISTRY.own))


def test_a_game_of_ones_own_says_what_its_planes_show() -> None:
    game = register({"default": ["own stones", "their stones"]})
    assert game.names_of_planes() == ("own stones", "their stones")
    assert game.names_of_planes("small") == ("plane 0",)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"large": ("a",)}, r"plane_names has 'large', plane_specs only \['default', 'small'\]"),
        ({"default": ("a",)}, r"plane_names\['default'\] is \('a',\); expected 2 texts"),
        ({"default": "ab"}, "is 'ab'; expected 2 texts"),
        ({"default": ("a", 1)}, "expected 2 texts"),
        ({"default": ("a", "\ud800")}, r"'\\ud800'\); expected 2 texts"),
        ({"default": 7}, "is 7; expected 2 texts"),
        (["a", "b"], "expected texts by the name of the planes"),
    ],
)
def test_names_that_fit_no_planes_are_refused(given: Any, told: str) -> None:
    with pytest.raises(InvalidConfig, match=told):
        register(given)

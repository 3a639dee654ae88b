"""The games by name, and by the type of their states."""

import builtins
import copyreg
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from phasezoo.checking import shown, type_name
from phasezoo.errors import GameContract, InvalidConfig, UnknownGame, UnregisteredGame
from phasezoo.games.base import Game, fen_info
from phasezoo.games.options import between, is_unicode
from phasezoo.specs import (
    Registry,
    SpecText,
    joined,
    options_of,
    read_spec,
    write_spec,
    write_value,
)
from phasezoo.types import PlaneShape

_BY_TYPE: dict[type, Game] = {}


@cache
def _package() -> dict[str, Game]:
    from phasezoo.games.catalogue import GAMES  # rooms import this package's files

    return {game.name: game for game in GAMES}


REGISTRY: Registry[Game] = Registry(
    "game",
    "games",
    _package,
    error=UnregisteredGame,
    refusal=InvalidConfig,
    form=r"[^:,=\s\ud800-\udfff]([^:,=\n\ud800-\udfff]*[^:,=\s\ud800-\udfff])?",
    allowed="a text of one line without ':', ',' and '=', and no space around it",
    advice="; games.register(…) adds one of your own",
)
"""The games by name."""


def names() -> tuple[str, ...]:
    """The registered names, and those that installed packages offer, sorted."""
    return REGISTRY.names()


def make(spec: "str | Game", **options: Any) -> Game:
    """The game of a text such as ``"krk"`` or ``"krk:start=uniform"``.

    Args:
        spec: One of :func:`names`, which options may follow as those of agents do
            (``docs/definitions/agents.md``). A :class:`Game` is returned as it is.
        options: What its games start from, or are played by, in games that have a choice; the
            handle's ``option_names`` lists them.

    Raises:
        InvalidConfig: The game has no such option, or not such a value.
        UnregisteredGame: No game has that name.
    """
    if isinstance(spec, Game):
        return spec.with_options(**{**spec.options, **options}) if options else spec
    game, given = REGISTRY.find(spec), options
    if game is None and isinstance(spec, str) and ":" in spec:
        text = read_spec(spec, "game", "krk:start=uniform")
        game = REGISTRY.get_or_raise(text.name)
        if text.first is not None:
            message = f"{spec!r}: {text.first!r} has no key, such as start={text.first}"
            raise InvalidConfig(message)
        known = options_of(game.new_state).by_name
        read = {
            k: known[k].read(value) if k in known else value for k, value in text.options.items()
        }
        given = joined(spec, read, options)
    if game is None:
        raise REGISTRY.unknown(spec)
    return game.with_options(**given) if given else game


def spec_of(game: "str | Game") -> str:
    """The text from which :func:`make` makes a game.

    Raises:
        InvalidConfig: An option's value has no text.
        UnregisteredGame: No game has that name.
    """
    made = make(game)
    texts = {name: write_value(value) for name, value in made.options.items()}
    for name, text in texts.items():
        if text is None:
            message = f"{made.name!r}: {name}={made.options[name]!r} cannot be written as text"
            raise InvalidConfig(message)
    return write_spec(SpecText(made.name, None, {n: t for n, t in texts.items() if t is not None}))


def _by_name(game: Game) -> tuple[Callable[[], Game], tuple[()]]:
    """Pickle by name and options: a user's game must be registered where it is loaded."""
    return partial(make, game.name, **game.options), ()


copyreg.pickle(Game, _by_name)


def register(
    name: str,
    *,
    initial_state: Callable[..., Any],
    num_players: int,
    num_actions: int,
    plane_specs: Mapping[str, PlaneShape],
    default_planes: str | None = None,
    plane_names: Mapping[str, Sequence[str]] | None = None,
) -> Game:
    """Add a game of one's own, and bind the type of its initial state to it.

    Registering a name of one's own again replaces the earlier game (a notebook cell run twice).
    Games may share a type of states that say by ``game`` which game's they are.

    Args:
        name: How the game is asked for.
        initial_state: Makes the initial state (see :class:`phasezoo.types.State` for what a state
            has); called with ``seed=`` if it takes one.
        num_players: 1 to 8.
        num_actions: Size of the action space.
        plane_specs: Channels, height and width of each choice of input planes.
        default_planes: The choice taken by default; without it the first.
        plane_names: What each plane of a choice shows, in a few words, a text for each channel;
            planes of choices left out are called ``"plane 0"`` and so on.

    Raises:
        GameContract: ``initial_state`` raised an error, or makes no state.
        InvalidConfig: The name is no text, or belongs to a game of the package; a size or the shape
            of planes is wrong; ``initial_state`` cannot be called, or makes states of a game of the
            package; or ``plane_names`` do not fit.
    """
    REGISTRY.check_name(name)
    num_players = between(f"{name!r}: num_players", num_players, 1, 8)
    num_actions = between(f"{name!r}: num_actions", num_actions, 1, 2**31 - 1)
    made_by: Any = initial_state
    if not callable(made_by):
        message = (
            f"{name!r}: initial_state={made_by!r}; expected something that makes the first "
            "state when it is called, such as the state's class"
        )
        raise InvalidConfig(message)
    shapes = _checked_shapes(name, plane_specs)
    if default_planes is not None and default_planes not in shapes:
        message = f"{name!r}: default_planes={default_planes!r} is not among {list(shapes)}"
        raise InvalidConfig(message)
    described = _checked_names(name, shapes, plane_names or {})
    try:
        first = initial_state()
    except Exception as error:
        message = f"game {name!r}: initial_state() raised {type(error).__name__}: {error}"
        raise GameContract(message) from error
    state_type = type(first)
    is_builtin = getattr(builtins, state_type.__name__, None) is state_type
    if is_builtin or first is None or isinstance(first, np.generic | np.ndarray):
        message = (
            f"game {name!r}: initial_state() returned {shown(first)}, which is no state; write a "
            "class of states (phasezoo.types.State)"
        )
        raise GameContract(message)
    if any(state_type is one.state_type for one in _package().values()):
        message = (
            f"game {name!r}: initial_state makes states of {first.game}, a game of the package; "
            f"games.make({first.game!r}, …) takes its options, and openings= and starts= positions "
            "to begin from; or wrap the state in a class of your own"
        )
        raise InvalidConfig(message)
    game = Game(
        name=name,
        num_players=num_players,
        num_actions=num_actions,
        plane_specs=shapes,
        default_planes=next(iter(shapes)) if default_planes is None else default_planes,
        state_type=state_type,
        plane_names=described,
        new_state=initial_state,
        state_info=fen_info if hasattr(first, "fen") else None,
    )
    REGISTRY.register(name, game)
    _BY_TYPE[state_type] = game
    return game


def _checked_shapes(game: str, given: Any) -> dict[str, PlaneShape]:
    """Return the shapes of planes, as a game keeps them."""
    if not isinstance(given, Mapping) or not given:
        message = (
            f"{game!r}: plane_specs is {given!r}; expected at least one shape by the name of the "
            "planes, such as {'default': (2, 3, 3)}"
        )
        raise InvalidConfig(message)
    found: dict[str, PlaneShape] = {}
    for planes, shape in given.items():
        sizes = tuple(shape) if isinstance(shape, Sequence) and not isinstance(shape, str) else ()
        are_whole = all(isinstance(n, int | np.integer) and n is not True for n in sizes)
        if len(sizes) != 3 or not are_whole or min(sizes) < 1:
            message = (
                f"{game!r}: plane_specs[{planes!r}] is {shape!r}; expected channels, height and "
                "width, each 1 or more, such as (2, 3, 3)"
            )
            raise InvalidConfig(message)
        channels, height, width = map(int, sizes)
        found[planes] = (channels, height, width)
    return found


def _checked_names(
    game: str, plane_specs: Mapping[str, PlaneShape], given: Any
) -> dict[str, tuple[str, ...]]:
    """Return what planes show, as a game keeps it."""
    if not isinstance(given, Mapping):
        message = f"{game!r}: plane_names={given!r}; expected texts by the name of the planes"
        raise InvalidConfig(message)
    found = {}
    for planes, names in given.items():
        if planes not in plane_specs:
            message = f"{game!r}: plane_names has {planes!r}, plane_specs only {list(plane_specs)}"
            raise InvalidConfig(message)
        channels = plane_specs[planes][0]
        texts = tuple(names) if isinstance(names, Sequence) and not isinstance(names, str) else ()
        if len(texts) != channels or not all(
            isinstance(text, str) and is_unicode(text) for text in texts
        ):
            message = (
                f"{game!r}: plane_names[{planes!r}] is {names!r}; expected {channels} texts, one "
                "for each channel"
            )
            raise InvalidConfig(message)
        found[planes] = texts
    return found


def game_of(state: Any) -> Game:
    """The game that ``state`` belongs to.

    Raises:
        UnknownGame: No registered game has states of that type.
    """
    game = REGISTRY.find(getattr(state, "game", None))
    if game is None or not isinstance(state, game.state_type):
        game = _BY_TYPE.get(type(state))
    if game is not None:
        return game
    advice = (
        "games.make(name).from_text(…) makes one of a position's text"
        if isinstance(state, str)
        else "register the game with games.register(name, initial_state=…) first"
    )
    message = f"{type_name(state)} is no state of a registered game: {advice}"
    raise UnknownGame(message)

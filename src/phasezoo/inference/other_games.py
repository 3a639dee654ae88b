"""Networks of another game than the search's, which a search has to allow."""

from collections.abc import Iterator
from typing import Any

from phasezoo import games
from phasezoo.errors import GameMismatch, InvalidConfig, InvalidPlaneSpec
from phasezoo.inference.evaluator import name_of
from phasezoo.inference.network import NetworkEvaluator

HOW = "in Python, inference.load(…, allow_other_game=True) allows that"


def parts_of(evaluator: Any) -> Iterator[Any]:
    """Yield an evaluator itself, or the experts of a mixture, each once."""
    experts = getattr(evaluator, "experts", None)
    if isinstance(experts, tuple):
        for expert in dict.fromkeys(map(_ById, experts)):
            yield from parts_of(expert.held)
    else:
        yield evaluator


def check_plays(evaluator: Any, game: games.Game) -> None:
    """Refuse what cannot be asked in a search of ``game``."""
    for part in parts_of(evaluator):
        spec = getattr(part, "plane_spec", None)
        if isinstance(part, NetworkEvaluator):
            _check_network(part, game)
        elif isinstance(spec, str):
            _check_planes(part, spec, game)


def common_game(evaluators: Any, game: str | None) -> str | None:
    """Return the game of networks that answer together: ``game``, else the one of all of them."""
    found = [part for each in evaluators for part in parts_of(each)]
    networks = [part for part in found if isinstance(part, NetworkEvaluator)]
    bound = [network for network in networks if not network.allow_other_game]
    for network in bound:
        if network.game != bound[0].game:
            raise GameMismatch(_mixed(bound[0], network))
    if game is None and bound:
        game = bound[0].game
    if game is None:
        for network in networks:
            if network.manifest.num_actions != networks[0].manifest.num_actions:
                raise GameMismatch(_mixed(networks[0], network))
    kinds = {network.manifest.value_kind == "values" for network in networks}
    if len(kinds) > 1 and any(network.manifest.num_players > 2 for network in networks):
        message = (
            "some experts give a value for each player and others one for the player to move: "
            "they must agree"
        )
        raise InvalidConfig(message)
    return game


def has_more_actions(evaluator: Any, game: games.Game) -> bool:
    """Return whether a network knows actions that ``game`` does not have."""
    return isinstance(evaluator, NetworkEvaluator) and (evaluator.policy_size > game.num_actions)


def _check_network(network: NetworkEvaluator, game: games.Game) -> None:
    if network.game == game.name:
        return
    if not network.allow_other_game:
        own, seen = network.manifest, game.plane_specs.get(network.plane_spec, (0, 0, 0))
        could = own.num_actions >= game.num_actions and seen[0] == own.input_shape[0]
        message = (
            f"{network.name} is a network of {network.game}, and {game.name} is played: play "
            f"{network.game}, or give a network of {game.name}{f'; {HOW}' if could else ''}"
        )
        raise GameMismatch(message)
    _check_planes(network, network.plane_spec, game)
    manifest, shape = network.manifest, tuple(game.plane_shape(network.plane_spec))
    if not network.takes(shape) or manifest.num_actions < game.num_actions:
        message = (
            f"{network.name} of {network.game} has planes {list(manifest.input_shape)} and "
            f"{manifest.num_actions} actions; {game.name} has {list(shape)} by that name and "
            f"{game.num_actions} actions, and cannot be played by it"
        )
        raise GameMismatch(message)


def _check_planes(evaluator: Any, spec: str, game: games.Game) -> None:
    try:
        game.plane_shape(spec)
    except InvalidPlaneSpec as error:
        message = f"{name_of(evaluator)} wants planes that are not there: {error}"
        raise InvalidPlaneSpec(message) from error


def _mixed(one: NetworkEvaluator, other: NetworkEvaluator) -> str:
    def said(network: NetworkEvaluator) -> str:
        return f"{network.name} ({network.game}, {network.manifest.num_actions} actions)"

    return f"{said(one)} and {said(other)} answer together, but are of different games: {HOW}"


class _ById:
    """Evaluators are compared by identity, whether or not they can be hashed."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and self.held is other.held

    def __hash__(self) -> int:
        return id(self.held)

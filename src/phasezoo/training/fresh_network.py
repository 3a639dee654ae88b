"""An untrained network: made, tried, and described for its folder."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from phasezoo import networks
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.inference.storage.manifest import Manifest, ValueKind
from phasezoo.inference.storage.packaged import names_network, resolved
from phasezoo.networks import Network, NetworkSpec
from phasezoo.networks.making import described
from phasezoo.networks.output import value_field_of
from phasezoo.networks.registry import Factory
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.data import stream_seed

_WEIGHTS = 1
"""Name of the random stream of initial weights."""


TUNING = {"optimizer": "adamw", "max_lr": 1e-4}
"""Optimiser and peak learning rate for weights that have learned already, unless others are given:
with them a plain loop tuned published networks of 64 channels and 6 blocks."""


@dataclass(frozen=True)
class Beginning:
    """The network and the weights that a training begins with."""

    network: str | Factory | NetworkSpec
    """Text, factory or description that the network is made from."""
    planes: str | None
    """Its input planes; None: the game's default."""
    weights: Path | None
    """The folder of the network whose weights it begins with; None: new ones."""
    is_tuning: bool = False
    """Whether that network was named in place of what one is made from."""

    @classmethod
    def of(
        cls,
        network: str | Factory | NetworkSpec,
        planes: str | None,
        init: str | Path | None = None,
    ) -> "Beginning":
        """Read what a network is made from: its text, or the folder or file of a trained one."""
        if not isinstance(network, str) or not names_network(network):
            return cls(network, planes, None if init is None else Path(init))
        if init is not None:
            message = f"network={network!r} has weights already: leave out init={str(init)!r}"
            raise InvalidConfig(message)
        folder = resolved(network)
        manifest = Manifest.read(folder)
        if manifest.backend == "onnx":
            message = (
                f"network={network!r} is kept as ONNX, which cannot be trained; give one that was "
                "saved by its name"
            )
            raise InvalidConfig(message)
        spec = NetworkSpec(
            manifest.network, manifest.network_options, manifest.network_factory, folder
        )
        return cls(spec, manifest.planes if planes is None else planes, folder, is_tuning=True)

    def settings(self, given: SupervisedConfig, named: Collection[str]) -> SupervisedConfig:
        """Return the knobs, with those of :data:`TUNING` unless others were given."""
        if self.is_tuning and given.keep_statistics is None:
            given = replace(given, keep_statistics=True)
        own = [name for name in TUNING if getattr(given, name) != getattr(SupervisedConfig, name)]
        if not self.is_tuning or own or TUNING.keys() & set(named):
            return given
        return replace(given, **TUNING)  # type: ignore[arg-type]  # fields by name


@dataclass(frozen=True)
class FreshNetwork:
    """A network with its first weights."""

    game: Game
    """Its game."""
    network: Network
    """The network."""
    spec: NetworkSpec
    """The description from which it can be made again."""
    planes: str
    """Its input planes."""
    answered: tuple[str, ...]
    """Its outputs."""
    seed: int
    """Of its weights."""
    settings: SupervisedConfig
    """How it learns, without what it does not answer."""

    @classmethod
    def of(
        cls,
        game: Game,
        network: str | Factory | NetworkSpec,
        planes: str,
        seed: int,
        settings: SupervisedConfig,
        named: Collection[str] = (),
        unset: SupervisedConfig | None = None,
    ) -> "FreshNetwork":
        """Make a network and try it.

        Args:
            game: Its game.
            network: What it is made from.
            planes: Its input planes.
            seed: The training's, of which the weights' is derived unless ``settings`` have one.
            settings: How it learns.
            named: Settings that were given by name.
            unset: Settings that nobody gave, besides the defaults.
        """
        spec = _findable(network)
        init_seed = settings.init_seed
        weights_seed = stream_seed(seed, _WEIGHTS) if init_seed is None else init_seed
        sizes = (game.plane_shape(planes), game.policy_size(planes))
        players = game.num_players
        fresh = networks.make(spec, *sizes, weights_seed, num_players=players)
        answered = networks.check(fresh, *sizes, num_players=players)
        settings = _without_missing(settings, answered, named, str(spec), unset)
        return cls(game, fresh, spec, planes, tuple(answered), weights_seed, settings)

    def manifest_for(self, phase: str | None, gate: str, fingerprint: str | None) -> Manifest:
        """The manifest of its folder.

        Args:
            phase: The phase whose expert it is to be; None: of all phases.
            gate: What names the phase.
            fingerprint: What that gate answers, if it is a user's own.
        """
        game, spec = self.game, self.spec
        return Manifest.of(
            game,
            self.planes,
            network=spec.name,
            gate="none" if phase is None else gate,
            gate_fingerprint=fingerprint,
            phase=phase,
            network_options=dict(spec.options),
            network_factory=spec.factory,
            value_kind=_VALUE_KINDS[str(value_field_of(self.answered, game.num_players))],
            parameters=networks.parameter_counts(self.network),
        )


_VALUE_KINDS: dict[str, ValueKind] = {
    "wdl_logits": "wdl",
    "scalar": "value",
    "values": "values",
}
"""Fields of a manifest that describe a value."""

_TRAINED_BY = {"wdl_weight": "wdl_logits", "plies_weight": "plies"}
"""Outputs that a network needs for the weight of each loss."""


def _findable(network: str | Factory | NetworkSpec) -> NetworkSpec:
    """Return the description in the manifest, from which a network can be made again."""
    spec = described(network)
    try:
        return described(spec)
    except InvalidConfig as error:
        message = (
            f"network {spec.name!r}: its factory is neither registered nor in a module that can be "
            "imported, so nobody could load what was trained; call "
            f"networks.register({spec.name.rpartition('.')[2].strip('<>')!r}, factory) and give "
            "that name"
        )
        raise InvalidConfig(message) from error


def _without_missing(
    settings: SupervisedConfig,
    answered: Sequence[str],
    named: Collection[str],
    network: str,
    unset: SupervisedConfig | None,
) -> SupervisedConfig:
    """The configuration without weights of what the network does not answer."""
    lacking: dict[str, Any] = {}
    for weight, answer in _TRAINED_BY.items():
        share = getattr(settings, weight)
        if answer in answered or share == 0:
            continue
        usual = [getattr(each, weight) for each in (SupervisedConfig, unset or SupervisedConfig)]
        if weight in named or share not in usual:
            message = (
                f"{weight}={share:g}: the network {network} answers {', '.join(answered)} and no "
                f"{answer}; leave the weight out, set it to 0, or give the network such a head"
            )
            raise InvalidConfig(message)
        lacking[weight] = 0.0
    return replace(settings, **lacking)

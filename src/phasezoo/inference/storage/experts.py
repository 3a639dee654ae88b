"""A folder of phase experts and their baseline: ``experts.json`` beside the networks."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

from phasezoo import games
from phasezoo.errors import CheckpointError, InvalidConfig, PhasezooError, UnregisteredGate
from phasezoo.inference.mixture import MixtureOfExperts, gate_of
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.policy_value import paired
from phasezoo.inference.routing import Routing
from phasezoo.inference.storage import packaged
from phasezoo.inference.storage.files import write_file
from phasezoo.inference.storage.manifest import EXPERTS, MANIFEST, PLUGIN_HINT
from phasezoo.runs import jsonable
from phasezoo.runs.saved import read_record, record_bytes
from phasezoo.types import Gate

EXPERTS_FORMAT = 2
"""Format 1 lacks ``value``, and its ``fallback`` is always a phase; it is read all the same."""

ValueSource: TypeAlias = Literal["own", "shared", "distilled", "all"]
"""Origin of a mixture's values: the one network's are ``shared``, else they are the experts', which
``docs/definitions/strategies.md#values`` says how they learned."""

_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
"""A folder inside a folder: relative, and never upwards."""


@dataclass(frozen=True)
class Experts:
    """Experts for the phases of a gate, and the one network that they are compared with.

    Each is a folder with a network (:func:`phasezoo.inference.load`); what they are to each other
    is written down beside them (``docs/definitions/network_files.md``).
    """

    directory: Path
    """Where they are."""
    game: str
    """Registered name of the game."""
    gate: str
    """The gate that names the phases."""
    experts: Mapping[str, str]
    """The folder of each phase's expert, inside ``directory``, in the gate's order."""
    baseline_folder: str | None = None
    """The folder of the network of all phases, if there is one."""
    strategy: str | None = None
    """Training strategy, such as ``staged``."""
    fallback: str | None = None
    """The phase whose expert answers for those that have none, or ``baseline_folder``, if the one
    network does."""
    value: ValueSource = "own"
    """Origin of the mixture's values."""
    training: Mapping[str, Any] = field(repr=False, default_factory=dict)
    """Further information on their training, as JSON."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "directory", Path(self.directory))  # a text will do

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases that have an expert, in the gate's order."""
        return tuple(self.experts)

    def expert(self, phase: str, **options: Any) -> NetworkEvaluator:
        """Load the expert of ``phase``; ``options`` as for :func:`phasezoo.inference.load_network`.

        Raises:
            InvalidConfig: The phase has none.
            CheckpointError: It cannot be loaded.
        """
        if phase not in self.experts:
            message = f"{self.directory}: no expert for {phase!r}; there are {list(self.experts)}"
            raise InvalidConfig(message)
        return _loaded(self.directory / self.experts[phase], options)

    def baseline(self, **options: Any) -> NetworkEvaluator:
        """Load the network of all phases; ``options`` of :func:`phasezoo.inference.load_network`.

        Raises:
            CheckpointError: It does not exist, or cannot be loaded.
        """
        if self.baseline_folder is None:
            message = f"{self.directory}: these experts have no baseline"
            raise CheckpointError(message)
        return _loaded(self.directory / self.baseline_folder, options)

    def by_phase(self, gate: Gate | str | None = None, **options: Any) -> dict[str, Any]:
        """Load the networks whose policies answer each phase.

        They are the phases' experts, and the one network for other phases if that is the fallback.

        Args:
            gate: The gate itself, if it is one of a user's own that is not registered here.
            options: As for :func:`phasezoo.inference.load_network`.

        Raises:
            CheckpointError: A network cannot be loaded, or the gate is not known here.
        """
        found: dict[str, Any] = {n: self.expert(n, **options) for n in self.experts}
        if self._falls_back:
            one = self.baseline(**options)
            found = {name: found.get(name, one) for name in self._known_gate(gate).names}
        return found

    def evaluators(self, gate: Gate | str | None = None, **options: Any) -> dict[str, Any]:
        """Load the evaluators that answer each phase, with the one network's value if it is shared.

        The arguments are those of :meth:`by_phase`.

        Raises:
            CheckpointError: A network cannot be loaded, or the gate is not known here.
        """
        policies = self.by_phase(gate, **options)
        if self.value != "shared":
            return policies
        return paired(policies, self.baseline(**options), tuple(policies))

    @property
    def fallback_phase(self) -> str | None:
        """The phase whose expert answers for those that have none, if it is one."""
        return None if self._falls_back else self.fallback

    @property
    def _falls_back(self) -> bool:
        return self.fallback is not None and self.fallback == self.baseline_folder

    def _known_gate(self, gate: Gate | str | None) -> Gate:
        try:
            found = gate_of(self.gate if gate is None else gate, self.game)
        except PhasezooError as error:
            hint = "" if isinstance(error, UnregisteredGate) else f"; {PLUGIN_HINT}"  # says so
            message = f"{self.directory / EXPERTS}: {error}{hint}"
            raise CheckpointError(message) from error
        unknown = [name for name in self.experts if name not in found.names]
        if gate is None and unknown:
            message = (
                f"{self.directory / EXPERTS}: has an expert for {unknown[0]!r}, and the gate "
                f"{self.gate!r} has the phases {', '.join(found.names)} now: it was replaced. Put "
                "the gate of these experts back, or train others under the new one"
            )
            raise CheckpointError(message)
        return found

    def mixture(
        self,
        routing: Routing = "exact",
        *,
        gate: Gate | str | None = None,
        search_gate: str | Gate | None = None,
        **options: Any,
    ) -> MixtureOfExperts:
        """Return the experts as one evaluator.

        Args:
            routing: Which expert answers which row.
            gate: The gate itself, if it is one of a user's own that is not registered here.
            search_gate: Route by this gate instead, on purpose.
            options: As for :func:`phasezoo.inference.load_network`.

        Raises:
            CheckpointError: A network cannot be loaded, or the gate is not known here.
            GateMismatch: The experts were trained under another gate.
        """
        found = self._known_gate(gate)
        return MixtureOfExperts(
            self.evaluators(found, **options),
            found,
            routing,
            search_gate=search_gate,
            fallback=self.fallback_phase,
            game=self.game,
        )

    def save(self) -> None:
        """Write ``experts.json``; the networks are there already, and the folder counts from now.

        Raises:
            CheckpointError: A name is no folder inside this one, a network is not there, or the
                disk refuses.
        """
        for folder in self._folders():
            _check_folder(folder, self.directory / EXPERTS)
            if not (self.directory / folder / MANIFEST).is_file():
                message = f"{self.directory / folder}: no network there yet; save it first"
                raise CheckpointError(message)
        record = {name: getattr(self, name) for name in _NAMES}
        write_file(self.directory / EXPERTS, record_bytes("experts", EXPERTS_FORMAT, record))

    def _folders(self) -> Iterator[str]:
        yield from self.experts.values()
        if self.baseline_folder is not None:
            yield self.baseline_folder


_NAMES = tuple(each.name for each in fields(Experts) if each.name != "directory")


def load_experts(path: str | Path) -> Experts:
    """Read what a folder of experts says of itself; the networks are loaded when asked for.

    Args:
        path: The folder, or the name of one in the package, such as ``"phasezoo/chess-small"``.

    Raises:
        CheckpointError: There are none, or the file is cut off, changed or of a newer version.
    """
    directory = packaged.resolved(path)
    file = directory / EXPERTS
    if not file.is_file():
        there = f"no {EXPERTS} there" if directory.is_dir() else "no such folder"
        message = f"{directory}: {there}; train_experts leaves {EXPERTS} beside its networks"
        raise CheckpointError(message)
    record = read_record(file, "experts", EXPERTS_FORMAT, "experts")
    unknown = [name for name in record if name not in _NAMES]
    if unknown:
        message = (
            f"{file}: the fields {', '.join(unknown)} are unknown; the file was changed, or "
            "another version wrote it"
        )
        raise CheckpointError(message)
    try:
        found = jsonable.decode(Experts, {"directory": str(directory), **record})
    except InvalidConfig as error:
        message = f"{file}: a field is missing or of a wrong type ({error})"
        raise CheckpointError(message) from error
    if not found.experts:
        message = f"{file}: experts: no phase has an expert; the file was changed"
        raise CheckpointError(message)
    for folder in found._folders():
        _check_folder(folder, file)
    _check_known(found, file)
    return found


def _check_folder(folder: str, file: Path) -> None:
    if not _FOLDER.fullmatch(folder):
        message = f"{file}: {folder!r} is no folder inside {file.parent}"
        raise CheckpointError(message)


def _check_known(found: Experts, file: Path) -> None:
    """Refuse experts of a game that is not known here."""
    try:
        games.make(found.game)
    except PhasezooError as error:
        message = f"{file}: {error}; {PLUGIN_HINT}"
        raise CheckpointError(message) from error


def _loaded(folder: Path, options: Mapping[str, Any]) -> NetworkEvaluator:
    from phasezoo.inference.storage.load import load_network  # which makes mixtures of these

    return load_network(folder, **options)

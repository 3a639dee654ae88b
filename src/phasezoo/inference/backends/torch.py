"""The torch backend: any network, any device, and bfloat16 if a trial says that it is safe."""

import contextlib
import dataclasses
import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from phasezoo import games, networks
from phasezoo._torch import set_threads
from phasezoo.checking import type_name
from phasezoo.errors import InvalidConfig, InvalidEvaluation
from phasezoo.games import PackedPlanes
from phasezoo.games.options import threads_or
from phasezoo.inference.backends.cuda_graphs import GraphedAnswers, check_graphs, padded_size
from phasezoo.inference.backends.modules import Answers, answers_of, probe
from phasezoo.inference.backends.tensors import Floats, ValueForm
from phasezoo.inference.evaluator import Legal
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.storage.expert_metadata import expert_metadata
from phasezoo.inference.storage.manifest import MODEL, Manifest
from phasezoo.networks.blocks import fold_batch_norms
from phasezoo.networks.making import made_as
from phasezoo.networks.precision import float32_convolutions
from phasezoo.types import Gate, InferenceDtype, Planes

MAX_ROWS = 4096
"""Rows a device sees at once; bounds memory, larger batches are answered in parts."""


class TorchEvaluator(NetworkEvaluator):
    """A torch network as an evaluator, wherever it was trained.

    Args:
        network: Answers planes ``float32[B, C, H, W]`` with ``networks.NetworkOutput`` or with a
            pair: policy logits ``[B, A]``, and a value ``[B]`` in [-1, 1], logits or
            probabilities of win, draw and loss ``[B, 3]``, or a value for each player, the one to
            move first. It is taken over: set to eval mode, moved, its batch norms folded.
        game: The game that it plays.
        planes: The planes that it wants; default the game's own.
        gate: The gate that names its phase, or its specification, if it is an expert.
        phase: The phase whose expert it is; None: of all phases.
        name: How errors and reports call it; default its class's name.
        value: What the second of a pair is, if its shape does not say: ``"value"``,
            ``"wdl_logits"``, ``"wdl"`` or ``"values"``.
        device: Where to run, such as ``"cuda"``; None: a GPU if there is one.
        dtype: Number format of the weights and of the arithmetic; answers are float32 always.
        threads: Sets torch's threads for the whole process; None leaves them. A process that was
            forked after torch was loaded has one.
        compiled: Whether ``torch.compile`` makes a program of it first, which takes a while and
            pays on GPUs.
        graphs: Whether a CUDA device replays graphs of it
            (:mod:`phasezoo.inference.backends.cuda_graphs`), for which batches are padded.
        allow_other_game: Whether it may be asked in a search of another game.
        manifest: All that is said of it, in place of ``game`` to ``name``.
        packed: Whether it is given its planes packed, and unpacks them on its device; None: as the
            manifest says, and on other devices than the CPU if the game's planes can be packed.

    Raises:
        InvalidConfig: Its answers do not fit the game, it fails, or there is no such device, or
            ``dtype``, ``compiled`` or ``graphs`` does not work there.
        InvalidGate: There is no such gate.
        InvalidPlaneSpec: The game has no such planes.
        UnknownGame: No game has that name.
    """

    def __init__(
        self,
        network: nn.Module,
        *,
        game: "str | games.Game | None" = None,
        planes: str | None = None,
        gate: str | Gate | None = None,
        phase: str | None = None,
        name: str | None = None,
        value: ValueForm | None = None,
        device: str | None = None,
        dtype: InferenceDtype = "float32",
        threads: int | None = None,
        compiled: bool = False,
        graphs: bool = False,
        allow_other_game: bool = False,
        manifest: Manifest | None = None,
        packed: bool | None = None,
    ) -> None:
        given: Any = network
        if not isinstance(given, nn.Module):
            message = f"{given!r} is no torch.nn.Module; give a network, not what makes it"
            raise InvalidConfig(message)
        self.device = networks.resolve_device(device)
        if graphs:
            check_graphs(self.device, compiled=compiled)
        self.dtype = networks.supported_dtype(dtype, self.device, answers=True)
        network.eval()
        if manifest is None:
            manifest, form = described(network, game, planes, gate, phase, name, value)
        else:
            found = answers_of(network, manifest)
            form = found.form
            manifest = dataclasses.replace(manifest, plies_left=found.plies)
        if packed is not None:
            manifest = dataclasses.replace(manifest, packed=packed)
        wanted = packed
        if packed is None and crosses_bus(self.device) and games.make(manifest.game).native:
            wanted = True
        super().__init__(manifest, allow_other_game=allow_other_game, packed=wanted)
        if (asked := threads_or(threads, None)) is not None:
            set_threads(asked)
        self._original = network.state_dict()
        self._layout = networks.layout_of(network)
        fold_batch_norms(network)
        self.network = network.to(self.device, self.dtype)
        self.form = form
        if compiled:
            networks.compiled(self.network, manifest.input_shape)
        self._answers: Any = Answers(self.network, form, plies=bool(manifest.plies_left))
        self.graphs = graphs
        """Whether CUDA graphs answer."""
        if graphs:
            self._answers = GraphedAnswers(self._answers)
        self._unpack = None
        if self.layout is not None:
            self._unpack = networks.Unpack(self.layout).to(self.device)

    @cached_property
    def fits_boards(self) -> bool:
        """Whether its weights fit boards of any size, as if heads are pooled over the board."""
        if self.manifest.network_options.get("pool") != "global":
            return False
        spec = made_as(self.network) or self.manifest.network_text
        return networks.fits_boards(spec, self.manifest.input_shape, self.manifest.num_actions)

    @property
    def original_weights(self) -> Mapping[str, torch.Tensor]:
        """The weights as they were before batch norms were folded and formats changed."""
        return self._original

    def _arrays(self, planes: Planes | PackedPlanes) -> list[Any]:
        """Floats as they are: it takes either form."""
        if isinstance(planes, PackedPlanes):
            return super()._arrays(planes)
        return [np.ascontiguousarray(planes, dtype=np.float32)]

    @property
    def gathers(self) -> bool:
        """Where logits have a way to go: of a chess position's 4,672, about 35 are looked at."""
        return crosses_bus(self.device)

    def _padded(self, rows: int) -> int:
        if not self.graphs:
            return 0
        whole, rest = divmod(rows, MAX_ROWS)
        size = whole * padded_size(MAX_ROWS) + (padded_size(rest) if rest else 0)
        return size - rows

    @torch.inference_mode()
    def _answer(
        self, arrays: list[Any], legal: Legal | None = None
    ) -> tuple[Floats, Floats, Floats | None]:
        parts = []
        exact = self.device.type == "cuda" and self.dtype == torch.float32
        with float32_convolutions() if exact else contextlib.nullcontext():
            for start in range(0, len(arrays[0]), MAX_ROWS):
                rows = slice(start, start + MAX_ROWS)
                wanted = None if legal is None else _places(legal, rows, self.manifest.num_actions)
                parts.append(self._part([each[rows] for each in arrays], wanted))
        if len(parts) > 1:
            parts = [[torch.cat(tensors) for tensors in zip(*parts, strict=True)]]
        policy, values, *plies = (tensor.numpy() for tensor in parts[0])
        return policy, values, np.maximum(plies[0], 0) if plies else None

    def _part(self, arrays: list[Any], wanted: npt.NDArray[np.int64] | None) -> list[torch.Tensor]:
        """Logits, values and perhaps plies, float32 on the CPU."""
        if self._unpack is not None and arrays[0].ndim == 2:
            rows = self._unpack(*(networks.to_device(each, self.device) for each in arrays))
            rows = rows.to(self.dtype, memory_format=self._layout)
        else:
            rows = networks.to_device(arrays[0], self.device, self.dtype, self._layout)
        found = self._answers(rows)
        if any(len(each) != len(rows) for each in found):
            message = (
                f"{self.name} answers {len(rows)} rows with policies of shape "
                f"{list(found[0].shape)} and values of shape {list(found[1].shape)}"
            )
            raise InvalidEvaluation(message)
        if wanted is not None:
            places = networks.to_device(wanted, self.device)
            found = (found[0].flatten().index_select(0, places), *found[1:])
        return networks.to_host(found)


def _places(legal: Legal, rows: slice, num_actions: int) -> npt.NDArray[np.int64]:
    """``int64[total]``: where the logits of the legal actions of some rows are in their table."""
    offsets, actions = legal
    ends = offsets[rows.start : rows.stop + 1]
    row_of = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    return row_of * num_actions + actions[ends[0] : ends[-1]]


def crosses_bus(device: torch.device) -> bool:
    """Return whether planes have to be copied to a device."""
    return device.type != "cpu"


def described(
    network: nn.Module,
    game: "str | games.Game | None",
    planes: str | None = None,
    gate: str | Gate | None = None,
    phase: str | None = None,
    name: str | None = None,
    value: ValueForm | None = None,
) -> tuple[Manifest, ValueForm]:
    """Return the manifest of a network in eval mode, and how it writes its value."""
    if game is None:
        message = f"{type_name(network)} does not say what it plays: give game="
        raise InvalidConfig(message)
    played = games.make(game)
    spec = played.plane_spec(planes)
    shape = played.plane_shape(spec)
    called = type(network).__name__ if name is None else name
    found = probe(network, shape, played.num_players, called, value)
    actions = played.policy_size(spec)
    if found.num_actions != actions:
        message = (
            f"{called} answers {found.num_actions} actions, {played.name} has {actions} ({spec!r})"
        )
        raise InvalidConfig(message)
    manifest = Manifest.of(
        played,
        spec,
        network=called,
        **expert_metadata(gate, phase, played.name),
        parameters=networks.parameter_counts(network),
        files={MODEL: _digest(network)},  # no file yet, but matches identify networks by it
        value_kind=found.kind,
        plies_left=found.plies,
    )
    return manifest, found.form


def _digest(network: nn.Module) -> str:
    """Return a checksum of the weights, the identity of networks that were not saved."""
    found: Any = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        found.update(name.encode())
        found.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
    return str(found.hexdigest())

"""A model of Stable-Baselines3 as an agent."""

import inspect
import json
import zipfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import gating
from phasezoo._torch import require_torch
from phasezoo.agents.base import mask_in, state_in
from phasezoo.checking import type_name
from phasezoo.errors import CheckpointError, InvalidConfig, needs
from phasezoo.games import game_of
from phasezoo.games.options import flag
from phasezoo.observation.action_parts import flat_mask
from phasezoo.observation.compact import action_of_compact, check_compact, compact_mask
from phasezoo.observation.view import View
from phasezoo.types import ActionMask, Gate

ALGORITHMS = {
    "phasezoo.integrations.sb3": "sb3_contrib:MaskablePPO",
    "sb3_contrib.common.maskable": "sb3_contrib:MaskablePPO",
    "sb3_contrib.qrdqn": "sb3_contrib:QRDQN",
    "stable_baselines3.common.policies": "stable_baselines3:PPO",
    "stable_baselines3.dqn": "stable_baselines3:DQN",
}
"""The algorithm that trained a policy, by the module that its class is from."""


class SB3Agent:
    """Plays what a model of Stable-Baselines3 predicts; in matches, and as an opponent.

    A game whose planes, actions or number of phases are not those that the model was trained on is
    refused when a match or an environment begins. Algorithms that know masks are given the mask.
    Others may answer with an illegal action, which is dealt with as anybody's.

    Args:
        model: The model, or the file that ``model.save()`` wrote. Such a file holds pickled
            objects: load only what you trust.
        algorithm: The class that trained it, such as ``sb3_contrib.MaskablePPO``; default what the
            file's policy is known to be trained by. Not needed with a model.
        planes: The planes that it was trained on; default those of the environment or match.
        gate: The gate that says the phases it was trained on, in matches and environments that have
            none.
        compact_actions: Whether it was trained on the game's compact actions.
        deterministic: Whether it plays the likeliest action rather than drawing one.
        name: How reports call it.

    Raises:
        CheckpointError: The file is missing, or is no model of Stable-Baselines3.
        InvalidConfig: ``algorithm`` cannot load the file, or is not known by its policy; or the
            model was trained on observations that are no planes.
        MissingDependency: Stable-Baselines3 is not installed.
    """

    def __init__(
        self,
        model: Any,
        algorithm: Any = None,
        *,
        planes: str | None = None,
        gate: Any = None,
        compact_actions: bool = False,
        deterministic: bool = True,
        name: str | None = None,
    ) -> None:
        if isinstance(model, str | Path):
            model = _loaded(Path(model), algorithm)
        if not hasattr(model, "predict") or not hasattr(model, "observation_space"):
            message = (
                f"SB3Agent: {type_name(model)} is no model of Stable-Baselines3; give one, "
                "or the file that model.save() wrote"
            )
            raise InvalidConfig(message)
        self.model = model
        self.plane_spec = planes
        self.gate = gate
        self.compact_actions = flag("compact_actions", compact_actions)
        self.deterministic = deterministic
        self.name = type(model).__name__ if name is None else name
        self._takes_masks = "action_masks" in inspect.signature(model.predict).parameters
        self._parts: Mapping[str, Any] | None = getattr(model.observation_space, "spaces", None)
        if self._parts is not None and "observation" not in self._parts:
            message = (
                f"{self.name} was trained on observations with the parts {', '.join(self._parts)}; "
                "phasezoo can show planes, or planes and mask (observation='masked')"
            )
            raise InvalidConfig(message)

    def check_view(self, view: View) -> None:
        """Refuse, before the first move, what the model was not trained on.

        Args:
            view: What it would be shown of a game.

        Raises:
            InvalidConfig: These are other planes, actions or phases.
        """
        game = view.game
        check_compact(game, self.compact_actions)
        is_compact = view.compact or self.compact_actions
        self._check_actions(game.num_compact if is_compact else game.num_actions)
        if not view.has_planes or view.packed:
            shown = "packed" if view.packed else view.observation
            message = (
                f"{self.name} was trained on planes and is shown observation={shown!r}; say which "
                "planes it needs by planes="
            )
            raise InvalidConfig(message)
        self._check_planes(view.plane_shape)
        if view.gate is not None:
            self.check_gate(view.gate)

    def check_gate(self, gate: Gate | None) -> None:
        """Refuse a gate with another number of phases than the model was trained on.

        Args:
            gate: Says its phases; None: all are phase 0.

        Raises:
            InvalidConfig: The gate has another number of phases.
        """
        count = self._num_phases
        if count is None or count == (1 if gate is None else len(gate.names)):
            return
        found = "there is no gate here"
        if gate is not None:
            found = f"gate {gating.spec_of(gate)!r} has {len(gate.names)}"
        message = (
            f"{self.name} was trained on {count} phases, and {found}; give the gate that it was "
            "trained with by gate=, and no other to the match or environment"
        )
        raise InvalidConfig(message)

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> Any:
        """The model's action: an index, or if actions have parts ``int64[K]``.

        Raises:
            InvalidConfig: The model was trained on other observations or actions.
            InvalidState: There is no action mask; or compact actions need ``info["state"]``, which
                is missing.
        """
        mask = flat_mask(mask_in(observation, info, self.name))
        if not self.compact_actions:
            return self._answer(observation, mask, info)
        state = state_in(info, self.name)
        game = game_of(state)
        check_compact(game, self.compact_actions)
        if len(mask) == game.num_compact:  # the environment takes these indices itself
            return self._answer(observation, mask, info)
        index = self._answer(observation, compact_mask(game, state, mask), info)
        return action_of_compact(game, state, index)

    def _answer(self, observation: Any, mask: ActionMask, info: Mapping[str, Any]) -> Any:
        """The model's prediction, by its own numbering."""
        self._check_actions(len(mask))
        shown = self._shown(observation, mask, info)
        masks = {"action_masks": mask.astype(np.bool_)} if self._takes_masks else {}
        action, _ = self.model.predict(shown, deterministic=self.deterministic, **masks)
        return int(action) if np.ndim(action) == 0 else np.asarray(action, dtype=np.int64)

    def _shown(self, observation: Any, mask: Any, info: Mapping[str, Any]) -> Any:
        """The observation in the form that the model was trained on."""
        planes = observation["observation"] if isinstance(observation, Mapping) else observation
        self._check_planes(np.shape(planes))
        if self._parts is None:
            return planes
        shown = {"observation": planes, "action_mask": mask}
        if self._num_phases is not None:
            phase = info["phase"]
            if phase >= self._num_phases:
                message = (
                    f"{self.name} was trained on {self._num_phases} phases and is given phase "
                    f"{phase}; give the gate that it was trained with by gate="
                )
                raise InvalidConfig(message)
            shown["phase"] = np.eye(self._num_phases, dtype=np.float32)[phase]
        return {key: shown[key] for key in self._parts}

    def _check_actions(self, shown: int) -> None:
        count = getattr(self.model.action_space, "n", None)
        if count not in (None, shown):
            message = (
                f"{self.name} was trained on {count} actions and is shown {shown}; say by "
                "compact_actions= whether it was trained on compact ones"
            )
            raise InvalidConfig(message)

    def _check_planes(self, shown: tuple[int, ...]) -> None:
        space = self.model.observation_space
        wanted = (space if self._parts is None else self._parts["observation"]).shape
        if shown != wanted:
            message = (
                f"{self.name} was trained on planes {list(wanted)} and is shown {list(shown)}; say "
                "which it needs by planes="
            )
            raise InvalidConfig(message)

    @property
    def _num_phases(self) -> int | None:
        """How many phases the model was trained on; None if it sees none."""
        parts = self._parts or {}
        return int(parts["phase"].shape[0]) if "phase" in parts else None


def _loaded(path: Path, algorithm: Any) -> Any:
    """The model in a file."""
    require_torch()
    file = path if path.is_file() else path.with_name(f"{path.name}.zip")
    if not file.is_file():
        message = f"{path}: no such file; give the one that model.save() wrote"
        raise CheckpointError(message)
    kind = _trained_by(file) if algorithm is None else algorithm
    if not hasattr(kind, "load"):
        message = f"algorithm={algorithm!r}: expected a class such as sb3_contrib.MaskablePPO"
        raise InvalidConfig(message)
    try:
        return kind.load(file)
    except (KeyError, TypeError, ValueError, RuntimeError, zipfile.BadZipFile) as error:
        message = f"{file}: {getattr(kind, '__name__', kind)} cannot load it: {error}"
        raise CheckpointError(message) from error


def _trained_by(file: Path) -> Any:
    """The algorithm that trained the policy in a file, found without unpickling anything."""
    try:
        with zipfile.ZipFile(file) as archive:
            data = json.loads(archive.read("data"))
        module = str(data["policy_class"]["__module__"])
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        message = f"{file}: no model that Stable-Baselines3 saved"
        raise CheckpointError(message) from error
    name = next((name for start, name in ALGORITHMS.items() if module.startswith(start)), None)
    if name is None:
        message = f"{file}: a policy of {module!r}; say by algorithm= which class trained it"
        raise InvalidConfig(message)
    if name == "stable_baselines3:PPO" and "clip_range" not in data:
        name = "stable_baselines3:A2C"  # their policies are of one class
    package, _, kind = name.partition(":")
    with needs(f"{file} needs Stable-Baselines3", "sb3"):
        return getattr(import_module(package), kind)

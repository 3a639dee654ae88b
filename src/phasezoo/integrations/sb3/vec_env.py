"""Native vectors as Stable-Baselines3's ``VecEnv``, and a learner that trains on them."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from phasezoo import agents
from phasezoo.envs import GameVectorEnv
from phasezoo.errors import InvalidConfig, InvalidState
from phasezoo.games.queries import result_text
from phasezoo.observation.action_parts import flat_mask
from phasezoo.runs.whole import appearing


@dataclass(frozen=True)
class SB3Learner:
    """A model of Stable-Baselines3, or of its contributions, from the options of an environment.

    A learner of :func:`phasezoo.experiments.generalise`. The training data are the environment's id
    with its options, ``("KRK-v0", {"start": "dtm", "dtm": (1, 4)})``.
    """

    algorithm: Any
    """The class, such as ``sb3_contrib.MaskablePPO``."""
    steps: int
    """Steps of the environments."""
    n_envs: int = 8
    """Environments at once."""
    policy: Any = "MlpPolicy"
    """The policy."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the algorithm."""

    def __call__(
        self, data: tuple[str, Mapping[str, Any]], seed: int, out: Path
    ) -> agents.SB3Agent:
        """Train, or load what is finished; answers with an agent."""
        path = out.with_suffix(".zip")
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)  # before it learns, and not after
            name, options = data
            env = make_vec_env(name, self.n_envs, seed=seed % 2**31, **options)
            model = self.algorithm(self.policy, env, seed=seed % 2**31, **self.options)
            model.learn(self.steps)
            with appearing(path) as file:  # so that a cut file is not taken for a finished one
                model.save(file)
        return agents.SB3Agent(path, self.algorithm)


Infos = dict[str, Any]
Indices = int | Iterable[int] | None

COUNTS = ("to_play", "ply", "phase", "illegal_action")
"""Entries of every info, as they are in the vector's arrays."""


def make_vec_env(
    env_id: str,
    n_envs: int = 1,
    seed: int | None = None,
    *,
    with_phase: bool = False,
    **options: Any,
) -> "GameVecEnv":
    """Many games stepped together in native code, for any algorithm of Stable-Baselines3.

    Args:
        env_id: One of our Gymnasium ids, such as ``"KRK-v0"``.
        n_envs: How many games.
        seed: Seeds game ``i`` with ``seed + i``.
        with_phase: Whether observations show the phase; see :class:`GameVecEnv`.
        options: Those of the environment, such as ``opponent=``, ``planes=``, ``gate=``.

    Raises:
        InvalidConfig: No native vector steps that environment, or an option is outside its range.
    """
    spec = gymnasium.spec(env_id.rpartition(":")[2])
    if "autoreset_mode" in options:
        message = "autoreset_mode=: Stable-Baselines3 needs 'SameStep', so leave it out"
        raise InvalidConfig(message)
    if not str(spec.vector_entry_point).startswith("phasezoo."):
        message = (
            f"{env_id!r} has no native vector; use stable_baselines3.common.env_util.make_vec_env, "
            "which steps environments one by one"
        )
        raise InvalidConfig(message)
    # Infos hold what those of scalar environments do where it costs next to nothing.
    options["infos"] = tuple(dict.fromkeys((*options.get("infos", ()), "reason")))
    vector = gymnasium.make_vec(env_id, num_envs=n_envs, autoreset_mode="SameStep", **options)
    envs = GameVecEnv(vector.unwrapped, with_phase=with_phase)
    if seed is not None:
        envs.seed(seed)
    return envs


class GameVecEnv(VecEnv):  # type: ignore[misc]
    """A :class:`phasezoo.envs.GameVectorEnv` as a ``VecEnv``: the games that ``DummyVecEnv`` plays.

    Infos have what those of the scalar environment have but masks and states, which are made when
    they are asked for: ``env_method("action_masks")``, ``get_attr("game_state")``; and what the
    vector's option ``infos=`` leaves out, such as ``"fen"``. As with a ``Monitor`` around every
    environment, the info of a game that ended has ``episode``: its return ``r``, length ``l`` and
    the seconds ``t`` since these environments were made.

    Args:
        vector: Made with ``autoreset_mode="SameStep"``.
        with_phase: Whether observations become dictionaries with ``observation``, the planes, and
            ``phase``, ``float32[phases]`` with a 1 at the phase by the vector's gate; with masked
            observations the phase is added to them.

    Raises:
        InvalidConfig: The vector is not one of phasezoo, does not reset in the same step, or has no
            gate to say phases.
    """

    def __init__(self, vector: Any, *, with_phase: bool = False) -> None:
        if not isinstance(vector, GameVectorEnv):
            message = f"{type(vector).__name__}: expected a phasezoo.envs.GameVectorEnv"
            raise InvalidConfig(message)
        if not vector.copies:
            message = (
                "copy=False: algorithms of Stable-Baselines3 keep observations beyond the next "
                "step, which would overwrite them; leave it out"
            )
            raise InvalidConfig(message)
        if vector.autoreset_mode != AutoresetMode.SAME_STEP:
            message = (
                f"autoreset_mode={vector.autoreset_mode.value!r}: Stable-Baselines3 needs a vector "
                "made with autoreset_mode='SameStep'"
            )
            raise InvalidConfig(message)
        self.vector = vector
        """The games."""
        self._phases = self._phase_rows(vector) if with_phase else None
        space = vector.single_observation_space
        if self._phases is not None:
            one_hot = spaces.Box(0.0, 1.0, (len(self._phases),), dtype=np.float32)
            parts = dict(space) if isinstance(space, spaces.Dict) else {"observation": space}
            space = spaces.Dict({**parts, "phase": one_hot})
        super().__init__(vector.num_envs, space, vector.single_action_space)
        self._actions: npt.NDArray[Any] | None = None
        self._masks: npt.NDArray[Any] | None = None
        self._returns = np.zeros(vector.num_envs)
        self._lengths = np.zeros(vector.num_envs, dtype=np.int64)
        self._made = time.time()

    @property
    def spec(self) -> Any:
        """How Gymnasium made the vector."""
        return self.vector.spec

    def reset(self) -> Any:
        """Begin all games, with the seeds and options that were set.

        Raises:
            InvalidConfig: Options differ between games.
        """
        if any(options != self._options[0] for options in self._options):
            message = "set_options(): these games begin together, so give all of them one dict"
            raise InvalidConfig(message)
        seed = None if all(each is None for each in self._seeds) else list(self._seeds)
        observations, infos = self.vector.reset(seed=seed, options=self._options[0] or None)
        self._reset_seeds()
        self._reset_options()
        self._masks = infos["action_mask"]
        self._returns[:] = 0.0
        self._lengths[:] = 0
        self.reset_infos = self._infos_of(infos)
        return self._with_phase(observations, infos["phase"])

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the actions for :meth:`step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[Infos]]:
        """Play them.

        Returns:
            Observations, rewards float32[N], which games ended, infos.
        """
        if self._actions is None:
            message = "step_wait() needs actions: call step_async() first"
            raise InvalidState(message)
        actions, self._actions = self._actions, None
        observations, rewards, terminated, truncated, infos = self.vector.step(actions)
        self._masks = infos["action_mask"]
        self._returns += rewards
        self._lengths += 1
        each = self._infos_of(infos)
        dones = terminated | truncated
        if dones.any():
            final = self._infos_of(infos["final_info"])
            for row in np.flatnonzero(dones).tolist():
                self.reset_infos[row], each[row] = each[row], final[row]
                each[row] |= self._ended(
                    infos, row, cut=bool(truncated[row] and not terminated[row])
                )
        shown = self._with_phase(observations, infos["phase"])
        return shown, rewards.astype(np.float32), dones, each

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """``bool[N, A]``: what may be played, the masks of parts one after the other.

        Raises:
            InvalidState: No game has begun.
        """
        if self._masks is None:
            message = "action_masks() needs games: call reset() first"
            raise InvalidState(message)
        if self._masks.dtype == object:
            return np.stack([flat_mask(mask) for mask in self._masks]).astype(np.bool_)
        masks: npt.NDArray[np.bool_] = self._masks.view(np.bool_)
        return masks

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the result of ``action_masks()``, or of ``render()``, of each game.

        Raises:
            AttributeError: There is no such method of one game.
        """
        if method_name not in ("action_masks", "render") or method_args or method_kwargs:
            raise AttributeError(self._missing("method", method_name))
        shown = self.action_masks() if method_name == "action_masks" else self.vector.render()
        return [None if shown is None else shown[row] for row in self._rows(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of each game: ``game_state``, or one that they share, such as ``gate``.

        Raises:
            AttributeError: There is no such attribute of one game.
        """
        rows = self._rows(indices)
        if attr_name == "action_masks":
            return [partial(self._mask, row) for row in rows]
        if attr_name == "game_state":
            return [self.vector.states[row] for row in rows]
        if attr_name not in ("game", "gate", "metadata", "render_mode", "spec"):
            raise AttributeError(self._missing("attribute", attr_name))
        return [getattr(self.vector, attr_name)] * len(rows)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Refuse: games of a native vector share their options, which cannot be changed.

        Raises:
            InvalidConfig: Always.
        """
        message = (
            f"set_attr({attr_name!r}): games stepped in native code cannot be changed one by one; "
            "make the environments anew with other options"
        )
        raise InvalidConfig(message)

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """Whether each game is as if wrapped so: by a ``Monitor``, whose statistics it has."""
        return [issubclass(wrapper_class, Monitor)] * len(self._rows(indices))

    def get_images(self) -> list[Any]:
        """A picture of each game, if the vector was made with ``render_mode="rgb_array"``."""
        shown = self.vector.render() if self.render_mode == "rgb_array" else None
        return [None] * self.num_envs if shown is None else list(shown)

    def close(self) -> None:
        """Close the vector."""
        self.vector.close()

    def _rows(self, indices: Indices) -> Sequence[int]:
        return list(self._get_indices(indices))

    def _mask(self, row: int) -> npt.NDArray[np.bool_]:
        mask: npt.NDArray[np.bool_] = self.action_masks()[row]
        return mask

    def _missing(self, kind: str, name: str) -> str:
        return (
            f"{name!r}: games stepped in native code have no such {kind}; there are "
            "env_method('action_masks'), env_method('render'), get_attr('game_state'), and the "
            "methods of .vector, which knows all games"
        )

    @staticmethod
    def _phase_rows(vector: GameVectorEnv) -> npt.NDArray[np.float32]:
        """``float32[phases, phases]``: what shows each phase."""
        if vector.gate is None:
            message = "with_phase=True needs a gate that says the phase: give gate='plies:10' too"
            raise InvalidConfig(message)
        return np.eye(len(vector.gate.names), dtype=np.float32)

    def _with_phase(self, observations: Any, phases: npt.NDArray[np.int64] | int) -> Any:
        """Observations of all games or of one, with the phase if it is shown."""
        if self._phases is None:
            return observations
        parts = observations if isinstance(observations, dict) else {"observation": observations}
        return {**parts, "phase": self._phases[phases]}

    def _infos_of(self, infos: Infos) -> list[Infos]:
        """The info of every game."""
        columns = [infos[key].tolist() for key in COUNTS]
        found = [
            {
                "to_play": to_play,
                "ply": ply,
                "phase": phase,
                "illegal_action": illegal,
                "result": None,
                "TimeLimit.truncated": False,
            }
            for to_play, ply, phase, illegal in zip(*columns, strict=True)
        ]
        if self.vector.game.tells_winners:
            for info in found:
                info["winners"] = None
        for name in self.vector.extra_infos:
            for info, value in zip(found, infos[name].tolist(), strict=True):
                info[name] = None if value != value else value  # nan stands for None
        return found

    def _ended(self, infos: Infos, row: int, *, cut: bool) -> Infos:
        """Return the additions to the info of an ended game; its sums begin anew."""
        final = infos["final_info"]
        phase = final["phase"][row]
        info: Infos = {
            "terminal_observation": self._with_phase(infos["final_obs"][row], phase),
            "TimeLimit.truncated": cut,
            "episode": {
                "r": round(float(self._returns[row]), 6),
                "l": int(self._lengths[row]),
                "t": round(time.time() - self._made, 6),
            },
        }
        self._returns[row], self._lengths[row] = 0.0, 0
        if final["_result"][row]:
            if self.vector.game.tells_winners:
                info["winners"] = tuple(np.flatnonzero(final["winners"][row]).tolist())
                info["result"] = "win" if info["winners"] else "tie"
            else:
                info["result"] = result_text(int(final["result"][row]), 0)
        return info

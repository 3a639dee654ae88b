"""Many board games stepped in native code, as a Gymnasium vector environment."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack, overload

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from phasezoo import _core, games
from phasezoo.envs import rendering
from phasezoo.envs.learner import learner_of
from phasezoo.envs.opponents import opponents_of
from phasezoo.envs.options import VectorOptions, learner_view, make_runner, read_options
from phasezoo.envs.spaces import action_space, observation_space
from phasezoo.envs.starts import given_options, start
from phasezoo.envs.vector_infos import ExtraInfos, VectorGate
from phasezoo.envs.vector_opponents import VectorOpponents
from phasezoo.envs.vector_seeds import GameSeeds
from phasezoo.errors import IllegalAction, InvalidArray, InvalidConfig
from phasezoo.games.options import between, one_of
from phasezoo.observation import OBSERVATIONS
from phasezoo.observation.action_parts import flat_masks, masks_of, split_indices

Flags = npt.NDArray[np.bool_]
Infos = dict[str, Any]
Step = tuple[Any, npt.NDArray[np.float64], Flags, Flags, Infos]


class Columns(NamedTuple):
    """Arrays of all games after a step, in the native vector's order; a row for each game."""

    planes: Any
    """``float32[N, C, H, W]``, or if they are packed their bits and their numbers."""
    rewards: npt.NDArray[np.float64]
    terminations: Flags
    truncations: Flags
    action_mask: npt.NDArray[np.int8]
    to_play: npt.NDArray[np.int64]
    ply: npt.NDArray[np.int64]
    phase: npt.NDArray[np.int64]
    illegal_action: Flags
    result: npt.NDArray[np.int8]
    has_result: Flags
    winners: Flags
    """``bool[N, players]``."""


class States(Sequence[Any]):
    """The states of all games, each made when it is asked for."""

    def __init__(self, vector: _core.GameVector) -> None:
        self._vector = vector

    def __len__(self) -> int:
        return len(self._vector)

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> list[Any]: ...
    def __getitem__(self, row: int | slice) -> Any:
        rows = range(len(self))[row]
        if isinstance(rows, range):
            return [self._vector.state(each) for each in rows]
        return self._vector.state(rows)

    def __iter__(self) -> Iterator[Any]:
        return (self._vector.state(row) for row in range(len(self)))


class GameVectorEnv(VectorEnv[Any, Any, Any]):
    """N games of one kind stepped together in native code, threads taking a few rows at a time.

    Does what ``SyncVectorEnv`` over :class:`phasezoo.envs.GymEnv` does: the same seeds and actions
    give the same observations, rewards, flags and infos. ``infos`` holds arrays only, each with
    Gymnasium's presence array ``_key``: ``action_mask`` int8[N, A], ``to_play``, ``ply``, ``phase``
    int64[N], ``illegal_action`` bool[N], ``result`` int8[N] (of two players: +1 the first has won,
    0 nobody, -1 the other; of more: +1 the learner or their team has won, without an opponent the
    first player, 0 nobody, -1 others; present if the rules ended a game in this step). Games whose
    results are a win or a tie also have ``winners`` bool[N, players]. Where actions have
    parts, ``action_mask`` is object[N], a tuple of masks for each game. States, FENs and legal
    actions are made on demand: :attr:`states`, :meth:`fens`, :meth:`legal_actions`.

    Arrays come from a recycled pool: one is filled again only when nobody else holds it, so they
    may be kept.

    Args:
        num_envs: How many games.
        game: A game of the package.
        options: Those of :class:`phasezoo.envs.options.VectorOptions`. The opponents ``"random"``,
            ``"tablebase"`` and the game's own players run natively where all opponents are such; an
            agent gets all waiting boards in one batch; a callable is asked board by board. A gate
            that is a callable is asked with all states at once. ``illegal="raise"`` raises before
            any game has moved.

    Raises:
        InvalidConfig: An option is outside its range, or does not exist.
        InvalidGate: The gate does not fit the game.
        InvalidPlaneSpec: The game has no such planes, or they do not show so many moves.
        UnknownAgent: No agent has that name.
        UnknownGame: No game has that name.
    """

    def __init__(
        self,
        num_envs: int = 1,
        game: "str | games.Game" = "chess",
        **options: Unpack[VectorOptions],
    ) -> None:
        given = read_options(self, VectorOptions, options)
        super().__init__()
        self._runner = runner = make_runner(game, given)
        self.game, self.gate = runner.game, runner.gate
        one_of("observation", given.observation, OBSERVATIONS)
        self._view = learner_view(self.game, given)
        shown_to_others = replace(self._view, compact=False)
        if not self.game.native:
            message = (
                f"{self.game.name!r} is a game of your own, which native code cannot step; use "
                "gymnasium.vector.SyncVectorEnv over phasezoo.envs.GymEnv"
            )
            raise InvalidConfig(message)
        self.num_envs = num_envs = between("num_envs", num_envs, 1, sys.maxsize)
        self.autoreset_mode = _mode(given.autoreset_mode)
        self.metadata = {
            "render_modes": list(rendering.MODES),
            "render_fps": 2,
            "autoreset_mode": self.autoreset_mode,
        }
        self.render_mode = rendering.check_mode(self.game, given.render_mode)
        self.copies = given.copy
        """Whether every step has new arrays."""
        players = self.game.num_players
        self._gate = VectorGate(self.gate, players)
        kinds = () if given.opponent is None else opponents_of(given.opponent, shown_to_others)
        self._outside = (
            None if self._runs_natively(kinds) else VectorOpponents(kinds, runner, self._gate)
        )
        self._vector = _core.GameVector(
            self.game.name,
            num_envs,
            planes=self._view.planes if self._view.has_planes else None,
            packed=self._view.packed,
            gate=self._gate.native,
            learner=learner_of(given.agent_color, players),
            opponent=_name_of(kinds) if self._outside is None else "outside",
            illegal=given.illegal,
            max_plies=given.max_plies,
            autoreset=self.autoreset_mode.value,
            threads=given.threads,
            copy=given.copy,
            compact=self._view.compact,
            move_numbers=len(given.infos) > 0,
            game_options=dict(self.game.options),
            max_steps=None if given.max_episode_steps == -1 else given.max_episode_steps,
        )
        self._extra = ExtraInfos(self.game, self._vector, given.infos)
        self._draws_start = self.game.draws_start(self.game.options)
        self._seeds = GameSeeds(num_envs)
        self._flips = given.opponent is not None
        self.single_observation_space = observation_space(self._view)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.single_action_space = action_space(self._view)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def _runs_natively(self, kinds: Sequence[Any]) -> bool:
        """Whether the native vector plays all opponents: there are none, or all have one name."""
        named = all(isinstance(kind, str) and kind == kinds[0] for kind in kinds)
        if "tablebase" in kinds and not self.game.core_solves:
            return False
        # A gate in Python that never goes back has to see every ply, the opponents' too.
        return named and not (kinds and self._gate.sees_every_ply)

    @property
    def states(self) -> States:
        """The states of all games, ``states[i]`` being game ``i``'s; made on demand."""
        return States(self._vector)

    def fens(self) -> list[str]:
        """The FEN of every game."""
        return self._vector.fens()

    @property
    def extra_infos(self) -> tuple[str, ...]:
        """Names of the entries that infos have on request: the option ``infos=``."""
        return self._extra.names

    def reasons(self) -> list[str | None]:
        """Why every game has ended, such as ``"checkmate"``; None while it goes on.

        Under SAME_STEP no game stays ended; ``infos=("reason",)`` puts it into ``final_info``.
        """
        return self._vector.reasons()

    def legal_actions(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The learners' legal actions.

        Returns:
            ``offsets`` int64[N + 1] and ``actions`` int32[total]: those of game ``i``, ascending,
            are ``actions[offsets[i]:offsets[i + 1]]``; none in finished games.
        """
        return self._vector.legal_actions()

    def sample_actions(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """``int64[N]``: a uniformly random legal action for every game; any in finished ones.

        Where actions have parts, ``int64[N, parts]``.

        Args:
            rng: Gives one random word per game.
        """
        words = rng.integers(0, 0xFFFFFFFFFFFFFFFF, self.num_envs, dtype=np.uint64, endpoint=True)
        chosen = self._vector.sample(words)
        parts = self.game.action_parts
        return chosen if parts is None else split_indices(chosen, parts)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, Infos]:
        """Begin games.

        Args:
            seed: Seeds game ``i`` with ``seed + i``; or a list with a seed, or None, for each.
            options: ``fen`` and ``moves`` (a list of UCI) for a start of all games; ``reset_mask``
                (bool[N]) to begin some games alone.

        Returns:
            Observations of all games, and infos of those that were reset.

        Raises:
            InvalidArray: ``reset_mask`` has another shape or type, or selects nothing.
            InvalidConfig: An option is not known, or the game is over there.
            InvalidFen: The FEN is not a position of the game.
            InvalidUci: A move is not legal where it stands.
        """
        given = given_options(options)
        mask = self._reset_mask(given.pop("reset_mask", None))
        if given.get("fen") is None and given.get("moves") and self._draws_start:
            message = (
                f"games of {self.game.name!r} start from different positions here, so that moves "
                "alone mean different games: give the fen too"
            )
            raise InvalidConfig(message)
        position = start(self.game, given, 0) if given else None
        if position is not None:
            self._runner.begin(position)
        if seed is not None and isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        if self._outside is not None:
            self._outside.forget(range(self.num_envs) if mask is None else np.flatnonzero(mask))
        reseeded = self._seeds.seed(seed, mask)
        self._vector.reset(mask, self._seeds.next, reseeded, position)
        self._seeds.draw(self._vector.restarted())
        self._look()
        seen = self._finish()
        present = np.ones(self.num_envs, dtype=np.bool_) if mask is None else mask
        return self._observations(seen), self._infos(seen, present)

    def step(self, actions: Any) -> Step:
        """Play one action in every game.

        Args:
            actions: ``int[N]``, or ``int[N, parts]`` where actions have parts. Under NEXT_STEP
                those of games that ended in the last step are ignored: they begin anew.

        Returns:
            Observations, rewards float64[N], terminations, truncations bool[N], infos.

        Raises:
            IllegalAction: An action is outside the action space; or it is not legal and
                ``illegal="raise"``; no game has moved then. Or an opponent answered with an illegal
                one; only a reset helps then.
            InvalidArray: ``actions`` has another shape or type.
            InvalidState: No game has begun, or under DISABLED one is over.
        """
        chosen = self._indices(np.ascontiguousarray(actions))
        if self._outside is None and self._gate.is_native:
            seen = Columns(*self._vector.step(chosen, self._seeds.next))
        else:
            self._vector.begin_step(chosen, self._seeds.next)
            self._look()
            seen = self._finish()
        restarted = self._vector.restarted()
        if restarted:
            self._seeds.draw(restarted)
        infos = self._infos(seen, np.ones(self.num_envs, dtype=np.bool_))
        if self.autoreset_mode == AutoresetMode.SAME_STEP and restarted:
            self._add_finals(infos, self._vector.ended())
        return self._observations(seen), seen.rewards, seen.terminations, seen.truncations, infos

    def render(self) -> tuple[Any, ...] | None:
        """The states as ``render_mode`` says, one picture for each game."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() draws nothing: make the environment with render_mode=")
            return None
        return tuple(
            rendering.render(
                self.game,
                state,
                self.render_mode,
                flipped=self._flips and learner == 1,
                player=learner if self.game.is_hidden else None,
            )
            for state, learner in zip(self.states, self._vector.learners(), strict=True)
        )

    def _indices(self, given: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Actions as indices."""
        parts = self.game.action_parts
        shapes = [(self.num_envs,)] if parts is None else [(self.num_envs, len(parts))]
        if given.shape not in shapes or given.dtype.kind not in "iu":
            message = (
                f"actions is {given.dtype}{list(given.shape)}; needed are whole numbers "
                f"{list(shapes[0])}"
            )
            raise InvalidArray(message)
        if parts is None:
            return given.astype(np.int64, copy=False)
        wrong = np.flatnonzero(((given < 0) | (given >= np.array(parts))).any(axis=1))
        if len(wrong):
            row = int(wrong[0])
            message = (
                f"action {given[row].tolist()} of game {row}: expected {len(parts)} whole numbers "
                f"below {parts}. No game has moved"
            )
            raise IllegalAction(message)
        steps = np.cumprod([1, *parts[:-1]], dtype=np.int64)
        return given.astype(np.int64) @ steps

    def _look(self) -> None:
        """Games have begun or moved on: gates in Python see them."""
        self._gate.look(self._vector, first=True)
        if self._outside is not None:
            self._outside.look(self._vector)

    def _finish(self) -> Columns:
        """Let opponents from outside answer until nobody is awaited; then what the learners see."""
        while self._outside is not None:
            rows, players = self._vector.waiting()
            if not rows:
                break
            self._vector.reply(self._outside.answer(self._vector, rows, players))
            self._gate.look(self._vector, first=False)
            self._outside.look(self._vector)
        seen = Columns(*self._vector.observe())
        self._gate.write(seen.phase)
        return seen

    def _observations(self, seen: Columns) -> Any:
        if not self._view.has_planes:
            return np.zeros((self.num_envs, 0), dtype=np.float32)
        planes = self._as_observed(seen.planes)
        if self._view.observation == "planes":
            return planes
        masks = flat_masks(seen.action_mask, self.game.action_parts)
        return {"observation": planes, "action_mask": masks}

    def _as_observed(self, planes: Any) -> Any:
        """Planes as they are observed: as they come, or packed as a dictionary of both arrays."""
        return dict(zip(("bits", "numbers"), planes, strict=True)) if self._view.packed else planes

    def _infos(self, seen: Columns, present: Flags, *, last: bool = False) -> Infos:
        """The infos of the games that are ``present``.

        ``last`` is for those that ended in this step and have been followed by others already.
        """
        infos: Infos = {}
        for key in ("action_mask", "to_play", "ply", "phase", "illegal_action"):
            infos[key] = getattr(seen, key)
            infos[f"_{key}"] = present.copy()
        infos["action_mask"] = self._masks(seen.action_mask)
        infos["result"], infos["_result"] = seen.result, seen.has_result & present
        if self.game.tells_winners:
            infos["winners"], infos["_winners"] = seen.winners, infos["_result"].copy()
        self._extra.add(infos, present, last=last)
        return infos

    def _masks(self, masks: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
        """Masks as they are shown: where actions have parts, a tuple for each game."""
        parts = self.game.action_parts
        if parts is None:
            return masks
        shown = np.empty(len(masks), dtype=object)
        for row, mask in enumerate(masks):
            shown[row] = masks_of(mask, parts)
        return shown

    def _add_finals(self, infos: Infos, rows: list[int]) -> None:
        """Add the last observations and infos of games that ended in this step (SAME_STEP)."""
        if not rows:
            return
        planes, to_play, ply, phase, illegal, result, has_result, winners, masks = (
            self._vector.finals(rows)
        )
        if not self._view.has_planes:
            planes = np.zeros((len(rows), 0), dtype=np.float32)

        def spread(values: Any, dtype: Any) -> npt.NDArray[Any]:
            """Values of the games that ended, in a column for all."""
            given = np.asarray(values)
            column = np.zeros((self.num_envs, *given.shape[1:]), dtype=dtype)
            column[rows] = given
            return column

        last = Columns(
            planes=planes,
            rewards=np.zeros(0),
            terminations=np.zeros(0, dtype=np.bool_),
            truncations=np.zeros(0, dtype=np.bool_),
            action_mask=spread(masks, np.int8),
            to_play=spread(to_play, np.int64),
            ply=spread(ply, np.int64),
            phase=spread(self._gate.final_phases(rows, phase), np.int64),
            illegal_action=spread(illegal, np.bool_),
            result=spread(result, np.int8),
            has_result=spread(has_result, np.bool_),
            winners=spread(winners, np.bool_),
        )
        observations = np.full(self.num_envs, None, dtype=object)
        flat = flat_masks(last.action_mask, self.game.action_parts)
        for place, row in enumerate(rows):
            shown = (planes[0][place], planes[1][place]) if self._view.packed else planes[place]
            observations[row] = self._as_observed(shown)
            if self._view.observation == "masked":
                observations[row] = {"observation": observations[row], "action_mask": flat[row]}
        ended = np.zeros(self.num_envs, dtype=np.bool_)
        ended[rows] = True
        infos["final_obs"], infos["_final_obs"] = observations, ended.copy()
        infos["final_info"] = self._infos(last, ended, last=True)
        infos["_final_info"] = ended

    def _reset_mask(self, mask: Any) -> Flags | None:
        if mask is None:
            return None
        given = np.asarray(mask)
        if given.shape != (self.num_envs,) or given.dtype != np.bool_ or not given.any():
            message = (
                f"reset_mask is {given.dtype}{list(given.shape)}, {np.count_nonzero(given)} of it "
                f"set; needed is bool[{self.num_envs}] with at least one set"
            )
            raise InvalidArray(message)
        return np.ascontiguousarray(given)


def _name_of(kinds: Sequence[str]) -> str:
    """Return the native vector's name of the opponents that it plays itself."""
    return {"tablebase": "best"}.get(kinds[0], kinds[0]) if kinds else "none"


def _mode(given: str | AutoresetMode) -> AutoresetMode:
    if isinstance(given, AutoresetMode):
        return given
    for mode in AutoresetMode:
        if given in (mode.value, mode.name):
            return mode
    known = ", ".join(repr(mode.value) for mode in AutoresetMode)
    message = f"autoreset_mode={given!r}: expected one of {known}"
    raise InvalidConfig(message)

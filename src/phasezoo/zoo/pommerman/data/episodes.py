"""Episodes of Pommerman as stored games: what every living player saw and did."""

import json
from typing import Self

from phasezoo import _core
from phasezoo.data.store import GameStore
from phasezoo.errors import StoreError, UnknownGame
from phasezoo.games.base import Game
from phasezoo.games.options import at_least, between
from phasezoo.games.registry import make


class EpisodeStore(GameStore):
    """Episodes that agents played against each other, by default as for the published networks.

    Four unbiased simple agents play, and every action of a living player is a position to learn
    from (``docs/definitions/data.md#pommermans-episodes``): a million positions are played in about
    a second. What comes out is a store of games as any other, which can be saved and opened again.

    Args:
        game: One of Pommerman's, such as ``"pommerman-ffa"``.
        positions: Positions wanted, one for every ply and player who is still in; all of the last
            episode's are kept, which makes some more.
        seed: Decides the episodes; the first ones are the same however many are played.
        agent: Who plays, such as ``"simple_unbiased"`` or ``"simple"``.
        fog: Whether players see four cells far; None: as the mode has it.
        collapse: Whether the board shrinks from step 500 on.
        threads: Threads that play; default all that this process may use.

    Raises:
        InvalidConfig: There is no such agent, or a number is out of range.
        UnknownGame: The game is not one of Pommerman.
    """

    def __init__(
        self,
        game: str,
        positions: int,
        *,
        seed: int = 0,
        agent: str = "simple_unbiased",
        fog: bool | None = None,
        collapse: bool = False,
        threads: int | None = None,
    ) -> None:
        at_least("positions", positions, 1)
        between("seed", seed, 0, 2**64 - 1)
        made = make(game)
        if made.state_type is not _core.PommermanState:
            message = f"{game!r} is no game of Pommerman"
            raise UnknownGame(message)
        made = made.with_options(fog=fog, collapse=collapse or None)
        seeds, actions, offsets, returns = _core.play_episodes(
            made.name,
            positions,
            seed=seed,
            agent=agent,
            options=json.dumps(dict(made.options)),
            threads=threads,
        )
        starts = {episode: f"seed:{drawn}" for episode, drawn in enumerate(seeds.tolist())}
        super().__init__(made, actions, offsets, returns, starts=starts)

    @classmethod
    def sample(cls, game: str | Game = "pommerman-ffa") -> Self:
        """Not for episodes: they are played, not packaged.

        Raises:
            StoreError: Always.
        """
        name = game.name if isinstance(game, Game) else game
        message = (
            f"the package holds no episodes; play some: EpisodeStore({name!r}, positions=100_000)"
        )
        raise StoreError(message)

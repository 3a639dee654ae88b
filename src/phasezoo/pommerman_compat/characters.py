"""Figures, who is with them and against them, and what they lay: bombs and flames."""

from typing import Any

from phasezoo.pommerman_compat.constants import (
    DEFAULT_BLAST_STRENGTH,
    DEFAULT_BOMB_LIFE,
    Action,
    GameType,
    Item,
)

__all__ = ["Bomb", "Bomber", "Flame", "figure_of", "sides"]

_TEAMS = (GameType.Team, GameType.TeamRadio)


def sides(agent_id: int, game_type: GameType) -> tuple[Item, list[Item]]:
    """The team mate and the enemies of a player, as observations list them.

    Who has no mate has :attr:`Item.AgentDummy` for one. Enemies are in order of ids, and with teams
    the dummy follows them.
    """
    players = 2 if game_type is GameType.OneVsOne else 4
    agents = [Item(Item.Agent0.value + player) for player in range(players)]
    if game_type in _TEAMS:
        return agents[(agent_id + 2) % 4], [*agents[(agent_id + 1) % 2 :: 2], Item.AgentDummy]
    return Item.AgentDummy, agents[:agent_id] + agents[agent_id + 1 :]


def figure_of(agent: Any) -> Any:
    """The figure of an agent, whose own attributes may hide the figure's; or what is given."""
    return vars(agent).get("_character", agent)


class Bomber:
    """A figure's place and powers, kept current by :class:`phasezoo.agents.LegacyPommermanAgent`.

    Args:
        agent_id: The player's number; None until the game is known.
        game_type: What is played.
    """

    def __init__(self, agent_id: int | None = None, game_type: GameType | None = None) -> None:
        self.ammo = 1
        self.is_alive = True
        self.blast_strength = DEFAULT_BLAST_STRENGTH
        self.can_kick = False
        self.position: tuple[int, int] | None = None
        self.game_type = game_type
        self.agent_id: int | None = None
        self.teammate: Item | None = None
        self.enemies: list[Item] = []
        if agent_id is not None:
            self.set_agent_id(agent_id)

    def set_agent_id(self, agent_id: int) -> None:
        """Become a player, in a game of four for oneself if no other is known."""
        self.agent_id = agent_id
        self.teammate, self.enemies = sides(agent_id, self.game_type or GameType.FFA)

    def set_start_position(self, start_position: tuple[int, int]) -> None:
        """Say where the figure starts; :meth:`reset` brings it there."""
        self.start_position = start_position

    def reset(
        self,
        ammo: int = 1,
        is_alive: bool = True,
        blast_strength: int | None = None,
        can_kick: bool = False,
    ) -> None:
        """Go to the start with the powers of a new game, or those that are given.

        Args:
            ammo: Bombs in hand.
            is_alive: Whether it lives.
            blast_strength: Of its bombs; None for that of a new game.
            can_kick: Whether it kicks bombs.
        """
        self.position = getattr(self, "start_position", self.position)
        self.ammo, self.is_alive, self.can_kick = ammo, is_alive, can_kick
        self.blast_strength = DEFAULT_BLAST_STRENGTH if blast_strength is None else blast_strength

    def maybe_lay_bomb(self) -> "Bomb | None":
        """A new bomb under the figure, if it has one."""
        if self.ammo <= 0 or self.position is None:
            return None
        self.ammo -= 1
        return Bomb(self, self.position, DEFAULT_BOMB_LIFE + 1, self.blast_strength)

    def incr_ammo(self) -> None:
        """One bomb more, ten at most."""
        self.ammo = min(self.ammo + 1, 10)

    def die(self) -> None:
        """Be dead."""
        self.is_alive = False

    def in_range(self, flames: Any) -> bool:
        """Whether the figure's cell is marked in an array of cells."""
        return self.position is not None and bool(flames[self.position] == 1)

    def to_json(self) -> dict[str, Any]:
        """The figure as recordings of games hold it."""
        return {
            "agent_id": self.agent_id,
            "is_alive": self.is_alive,
            "position": self.position,
            "ammo": self.ammo,
            "blast_strength": self.blast_strength,
            "can_kick": self.can_kick,
        }


class Bomb:
    """A bomb on the board.

    Args:
        bomber: The figure whose it is.
        position: Row and column.
        life: Steps until it explodes.
        blast_strength: It reaches one cell less beyond its own.
        moving_direction: Where it rolls, a member of :class:`Action`; None if it lies still.
    """

    def __init__(
        self,
        bomber: Any,
        position: tuple[int, int],
        life: int,
        blast_strength: int,
        moving_direction: Action | None = None,
    ) -> None:
        self.bomber = bomber
        self.position = position
        self.life = life
        self.blast_strength = blast_strength
        self.moving_direction = moving_direction

    def tick(self) -> None:
        """One step less until it explodes."""
        self.life -= 1

    def fire(self) -> None:
        """Let it explode now."""
        self.life = 0

    def stop(self) -> None:
        """Let it lie still."""
        self.moving_direction = None

    def is_moving(self) -> bool:
        """Whether it rolls."""
        return self.moving_direction is not None

    def exploded(self) -> bool:
        """Whether it has exploded."""
        return self.life == 0

    def to_json(self) -> dict[str, Any]:
        """The bomb as recordings of games hold it."""
        direction = self.moving_direction
        return {
            "position": [int(at) for at in self.position],
            "bomber_id": self.bomber.agent_id,
            "life": int(self.life),
            "blast_strength": int(self.blast_strength),
            "moving_direction": None if direction is None else Action(direction).value,
        }


class Flame:
    """A flame on the board.

    Args:
        position: Row and column.
        life: Steps that it goes on burning after the next one.
    """

    def __init__(self, position: tuple[int, int], life: int = 2) -> None:
        self.position = position
        self._life = life

    @property
    def life(self) -> int:
        """Steps that it goes on burning after the next one."""
        return self._life

    def tick(self) -> None:
        """One step less to burn."""
        self._life -= 1

    def is_dead(self) -> bool:
        """Whether it goes out in the next step."""
        return self._life == 0

    def to_json(self) -> dict[str, Any]:
        """The flame as recordings of games hold it."""
        return {"position": [int(at) for at in self.position], "life": int(self._life)}

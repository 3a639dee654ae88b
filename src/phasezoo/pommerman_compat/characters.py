"""The figure that an agent moves, and who is with it and against it."""

from typing import Any

from phasezoo.pommerman_compat.constants import DEFAULT_BLAST_STRENGTH, GameType, Item

__all__ = ["Bomber", "sides"]

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
        """Take the seat of a player, in a game of four for oneself if no other is known."""
        self.agent_id = agent_id
        self.teammate, self.enemies = sides(agent_id, self.game_type or GameType.FFA)

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

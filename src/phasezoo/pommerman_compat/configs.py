"""The original's configurations, each a dictionary that a function makes.

Scripts take the environment's options and the figure from them::

    config = configs.ffa_competition_env()
    env = Pomme(**config["env_kwargs"])
    agent = MyAgent(config["agent"](0, config["game_type"]))
"""

from collections.abc import Callable
from typing import Any

from phasezoo.pommerman_compat import constants
from phasezoo.pommerman_compat.characters import Bomber
from phasezoo.pommerman_compat.constants import GameType

__all__ = [
    "ENVIRONMENTS",
    "config_of",
    "ffa_competition_env",
    "ffa_competition_fast_env",
    "ffa_v0_env",
    "ffa_v0_fast_env",
    "ffa_v1_env",
    "one_vs_one_env",
    "radio_competition_env",
    "radio_v2_env",
    "team_competition_env",
    "team_competition_fast_env",
    "team_competition_v1_env",
    "team_v0_env",
    "team_v0_fast_env",
]

ENVIRONMENTS: dict[str, tuple[str, GameType, bool, int]] = {
    "OneVsOne-v0": ("v0", GameType.OneVsOne, False, 15),
    "PommeFFACompetition-v0": ("v0", GameType.FFA, False, 15),
    "PommeFFACompetitionFast-v0": ("v0", GameType.FFA, False, 1000),
    "PommeFFAFast-v0": ("v0", GameType.FFA, False, 1000),
    "PommeFFA-v1": ("v1", GameType.FFA, False, 15),
    "PommeTeam-v0": ("v0", GameType.Team, False, 15),
    "PommeTeamFast-v0": ("v0", GameType.Team, False, 2000),
    "PommeTeamCompetition-v0": ("v0", GameType.Team, True, 15),
    "PommeTeamCompetitionFast-v0": ("v0", GameType.Team, True, 1000),
    "PommeTeamCompetition-v1": ("v1", GameType.Team, True, 15),
    "PommeRadio-v2": ("v2", GameType.TeamRadio, True, 15),
    "PommeRadioCompetition-v2": ("v2", GameType.TeamRadio, True, 15),
}
"""The original's ids: version, kind of game, whether there is fog, pictures a second."""


def config_of(env_id: str) -> dict[str, Any]:
    """The configuration of an id."""
    version, game_type, fog, fps = ENVIRONMENTS[env_id]
    small = game_type is GameType.OneVsOne
    entry_point = f"pommerman.envs.{version}:Pomme"
    kwargs: dict[str, Any] = {
        "game_type": game_type,
        "board_size": constants.BOARD_SIZE_ONE_VS_ONE if small else constants.BOARD_SIZE,
        "num_rigid": constants.NUM_RIGID_ONE_VS_ONE if small else constants.NUM_RIGID,
        "num_wood": constants.NUM_WOOD_ONE_VS_ONE if small else constants.NUM_WOOD,
        "num_items": constants.NUM_ITEMS_ONE_VS_ONE if small else constants.NUM_ITEMS,
        "max_steps": constants.MAX_STEPS,
        "render_fps": fps,
        "env": entry_point,
    }
    if fog:
        kwargs |= {"agent_view_size": constants.AGENT_VIEW_SIZE, "is_partially_observable": True}
    if version == "v1":
        kwargs["first_collapse"] = constants.FIRST_COLLAPSE
    if version == "v2":
        kwargs["radio_vocab_size"] = constants.RADIO_VOCAB_SIZE
        kwargs["radio_num_words"] = constants.RADIO_NUM_WORDS
    return {
        "agent": Bomber,
        "env_id": env_id,
        "env_entry_point": entry_point,
        "game_type": game_type,
        "env_kwargs": kwargs,
    }


def _config_maker(env_id: str) -> Callable[[], dict[str, Any]]:
    def make() -> dict[str, Any]:
        return config_of(env_id)

    return make


# Names of the original, some of them of older releases.
one_vs_one_env = _config_maker("OneVsOne-v0")
ffa_competition_env = _config_maker("PommeFFACompetition-v0")
ffa_competition_fast_env = _config_maker("PommeFFACompetitionFast-v0")
ffa_v0_env = _config_maker("PommeFFACompetition-v0")
ffa_v0_fast_env = _config_maker("PommeFFAFast-v0")
ffa_v1_env = _config_maker("PommeFFA-v1")
team_v0_env = _config_maker("PommeTeam-v0")
team_v0_fast_env = _config_maker("PommeTeamFast-v0")
team_competition_env = _config_maker("PommeTeamCompetition-v0")
team_competition_fast_env = _config_maker("PommeTeamCompetitionFast-v0")
team_competition_v1_env = _config_maker("PommeTeamCompetition-v1")
radio_v2_env = _config_maker("PommeRadio-v2")
radio_competition_env = _config_maker("PommeRadioCompetition-v2")

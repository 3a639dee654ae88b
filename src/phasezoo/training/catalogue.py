"""Which rooms bring data of their own: the only file of this layer that names them."""

from phasezoo.zoo.pommerman.data.episodes import EpisodeStore
from phasezoo.zoo.pommerman.data.settings import POMMERMAN

__all__ = ["POMMERMAN", "EpisodeStore"]

"""The loop of self-play with its games on a Ray cluster."""

from collections.abc import Callable, Sequence
from typing import Any

from phasezoo.inference.counts import Counts
from phasezoo.integrations.ray.actors import Actors
from phasezoo.integrations.ray.game_actor import packed
from phasezoo.training.selfplay.loop import SelfPlay
from phasezoo.training.selfplay.outcome import SelfPlayOutcome, version_folder
from phasezoo.training.selfplay.recording import PlayedGame


class RaySelfPlay(SelfPlay):
    """Learns by play as :class:`phasezoo.training.SelfPlay` does, with its games on many machines.

    The process that runs it learns, and keeps games and versions in its directory; connect it to
    the cluster before (``ray.init(address="auto")``). A game is the same wherever it is played, and
    so is the run, whatever dies; it may go on without Ray, and the other way round.

    Args:
        *given: As for :class:`phasezoo.training.SelfPlay`.
        actors: Actors that play (1 or more), each with ``config.concurrency`` games at once.
        setup: Called in each actor first, to register games and networks of one's own.
        resources: What an actor needs, as options of ``ray.remote``, such as ``{"num_gpus": 1}``;
            None: a core.
        deaths: Deaths of actors after which the run ends (0 or more).
        share: Games that an actor gets at a time (1 or more); None: four times those at once.
        patience: Seconds after which it is an error that no actor has started.
        **options: As for :class:`phasezoo.training.SelfPlay`.

    Raises:
        InvalidConfig: Ray is not connected, or an option is out of range.
        PhasezooError: What else :class:`phasezoo.training.SelfPlay` raises.
    """

    def __init__(
        self,
        *given: Any,
        actors: int,
        setup: Callable[[], None] | None = None,
        resources: dict[str, Any] | None = None,
        deaths: int = 100,
        share: int | None = None,
        patience: float = 300,
        **options: Any,
    ) -> None:
        super().__init__(*given, **options)
        self.actors = Actors(
            self._generation,
            self._players,
            actors,
            setup=setup,
            resources=resources,
            deaths=deaths,
            share=share,
            patience=patience,
        )
        """Who plays."""

    def run(self) -> SelfPlayOutcome:
        """See :meth:`phasezoo.training.SelfPlay.run`; the actors end with it."""
        try:
            return super().run()
        finally:
            self.actors.close()

    def generate(
        self, version: int, numbers: Sequence[int], finished: Callable[[PlayedGame], None]
    ) -> Counts:
        """Let the actors play."""
        data = packed(version_folder(self.out, version))
        return self.actors.play(version, data, numbers, finished)

"""Game actors of a Ray cluster: who gets which games, and what happens if one dies."""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ray
from ray import cloudpickle
from ray.exceptions import ObjectLostError, RayActorError, RayTaskError

from phasezoo.errors import InvalidConfig, WorkersFailed
from phasezoo.games.options import at_least
from phasezoo.inference.counts import Counts
from phasezoo.integrations.ray.game_actor import GameActor
from phasezoo.training.selfplay.generation import Generation, Players
from phasezoo.training.selfplay.recording import PlayedGame

_LOGGER = logging.getLogger(__name__)

AHEAD = 16
"""Games that an actor may have ended without their being taken; it waits then."""


@dataclass
class _Job:
    """A job of an actor."""

    actor: Any
    games: Any
    """Gives the games as they end."""
    left: list[int]
    """The numbers of those that have not."""


class Actors:
    """Plays games of self-play on the actors of a cluster.

    An actor gets so many games at a time, and the games come back one by one as they end. If an
    actor dies, alone or with its node, another takes its place, and plays those of its games that
    had not come back; nothing else is lost. A game depends on its number and version alone, so that
    it is the same wherever it is played.

    Args:
        generation: How games are played.
        players: Makes the agents of versions.
        count: Actors (1 or more).
        setup: Called in each actor first, to register games and networks of one's own.
        resources: What an actor needs, as options of ``ray.remote``: ``{"num_cpus": 2}``,
            ``{"num_gpus": 0.5}``.
        deaths: Deaths of actors after which a run ends (0 or more); each is one, however many
            are on a node.
        share: Games that an actor gets at a time (1 or more); None: four times those at once.
        patience: Seconds after which it is an error that no actor has started.

    Raises:
        InvalidConfig: A number is out of range, or Ray is not connected.
    """

    def __init__(
        self,
        generation: Generation,
        players: Players,
        count: int,
        *,
        setup: Callable[[], None] | None = None,
        resources: dict[str, Any] | None = None,
        deaths: int = 100,
        share: int | None = None,
        patience: float = 300,
    ) -> None:
        self._count = at_least("actors", count, 1)
        self._deaths = at_least("deaths", deaths, 0)
        most = 4 * generation.concurrency if share is None else at_least("share", share, 1)
        self._share = most
        if not ray.is_initialized():
            message = "Ray is not connected: call ray.init() first"
            raise InvalidConfig(message)
        # As bytes: what they are made of may be known only after the setup.
        pickler: Any = cloudpickle
        self._given = ray.put((setup, pickler.dumps((generation, players))))
        self._patience = patience
        self._needs: dict[str, Any] = {"num_cpus": 1, **(resources or {})}
        try:
            self._remote = ray.remote(**self._needs)(_Remote)
        except (ValueError, TypeError) as error:
            message = (
                f"resources={resources!r}: expected options of ray.remote, such as "
                f"{{'num_gpus': 1}} or {{'resources': {{'name': 1}}}}: {error}"
            )
            raise InvalidConfig(message) from error
        self._actors: list[Any] = []
        self._starting: dict[Any, Any] = {}
        self.died = 0
        """Actors that have died so far."""

    def play(
        self,
        version: int,
        data: bytes,
        numbers: Sequence[int],
        finished: Callable[[PlayedGame], None],
    ) -> Counts:
        """Play games to their ends.

        Args:
            version: Which one plays.
            data: What :func:`phasezoo.integrations.ray.game_actor.packed` made of it.
            numbers: Which games.
            finished: Called here with each, once, as it ends.

        Returns:
            Work of inference, of all actors together.

        Raises:
            WorkersFailed: Too many actors died, or none could start.
            Exception: What an actor raised, with its traceback.
        """
        sent = ray.put(data)
        waiting = deque(numbers)
        share = max(1, min(self._share, -(-len(waiting) // self._count)))
        self._start()
        idle = deque(self._actors)
        jobs: dict[Any, _Job] = {}
        counts = Counts()
        try:
            while waiting or jobs:
                while waiting and idle:
                    taken = [waiting.popleft() for _ in range(min(share, len(waiting)))]
                    actor = idle.popleft()
                    games = actor.play.remote(version, sent, taken)
                    jobs[games] = _Job(actor, games, taken)
                patience = None if jobs else self._patience
                ready, _ = ray.wait([*jobs, *self._starting], timeout=patience)
                self._check_started(ready)
                for one in ready:
                    if one in self._starting:
                        self._started(one, idle)
                    else:
                        self._take(jobs, one, waiting, idle, counts, finished)
        except BaseException:
            self.close()  # nobody takes what they play
            raise
        return counts

    def close(self) -> None:
        """End all actors."""
        for actor in [*self._actors, *self._starting.values()]:
            ray.kill(actor)
        self._actors, self._starting = [], {}

    def _take(
        self,
        jobs: dict[Any, _Job],
        games: Any,
        waiting: deque[int],
        idle: deque[Any],
        counts: Counts,
        finished: Callable[[PlayedGame], None],
    ) -> None:
        """Take what an actor has next."""
        job = jobs[games]
        try:
            item = ray.get(next(games))
        except StopIteration:
            del jobs[games]
            waiting.extendleft(reversed(job.left))  # lost on their way
            idle.append(job.actor)
        except RayActorError as error:
            del jobs[games]
            waiting.extendleft(reversed(job.left))
            self._actors.remove(job.actor)
            ray.kill(job.actor)  # it may be out of reach alone
            self._replace(error)
        except ObjectLostError as error:
            # A large game had ended, and waited in the store of a node that died.
            _LOGGER.warning("a game was lost with its node and is played again: %s", error)
        except RayTaskError as error:
            raised: Any = error
            raise raised.as_instanceof_cause() from error
        else:
            if isinstance(item, Counts):
                counts.add(item)
            else:
                job.left.remove(item.number)
                finished(item)

    def _start(self) -> None:
        """Ask for the actors that are missing; they play once the cluster has room for them."""
        for _ in range(self._count - len(self._actors) - len(self._starting)):
            actor: Any = self._remote.remote(self._given)
            self._starting[actor.ready.remote()] = actor

    def _started(self, ready: Any, idle: deque[Any]) -> None:
        """An actor is there, or has died at once."""
        actor = self._starting.pop(ready)
        try:
            ray.get(ready)
        except RayActorError as error:
            if error.actor_init_failed:  # another would fail as well
                raise
            self._replace(error)
        else:
            self._actors.append(actor)
            idle.append(actor)

    def _replace(self, error: RayActorError) -> None:
        """Ask for an actor in place of one that died."""
        self.died += 1
        _LOGGER.warning("an actor died and is replaced (%d so far): %s", self.died, error)
        if self.died > self._deaths:
            message = f"{self.died} actors died, deaths={self._deaths} allows no more: {error}"
            raise WorkersFailed(message) from error
        self._start()

    def _check_started(self, ready: list[Any]) -> None:
        """Refuse to wait longer for actors that the cluster has no room for."""
        if ready:
            return
        cluster: Any = ray
        message = (
            f"no actor has started in {self._patience} s: each needs {self._needs}, and free in "
            f"the cluster is {cluster.available_resources()}; ask for fewer actors or less for "
            "each, or add nodes"
        )
        raise WorkersFailed(message)


class _Remote:
    """A :class:`GameActor` as Ray makes it."""

    def __init__(self, given: tuple[Callable[[], None] | None, bytes]) -> None:
        setup, pickled = given
        if setup is not None:
            setup()
        self._actor = GameActor(*cloudpickle.loads(pickled))

    def ready(self) -> None:
        """Nothing: who hears of it knows that it has been made."""

    @ray.method(num_returns="streaming", _generator_backpressure_num_objects=AHEAD)
    def play(self, version: int, data: bytes, numbers: list[int]) -> Any:
        """See :meth:`GameActor.play`."""
        yield from self._actor.play(version, data, numbers)

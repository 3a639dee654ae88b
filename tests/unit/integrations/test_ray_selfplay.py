"""Self-play on a Ray cluster of two nodes on this machine: whatever dies, the run is the same."""

import os
import signal
import subprocess
import sys
import time
import types
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasezoo import inference, training
from phasezoo.errors import InvalidConfig, InvalidEvaluation, WorkersFailed
from phasezoo.inference.counts import Counts
from phasezoo.training.selfplay.config import self_play_settings

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = [pytest.mark.ray, pytest.mark.timeout(600)]

HELPERS = Path(__file__).parents[2] / "helpers"


def setup() -> None:
    """In every actor: the games of the tests."""
    sys.path.insert(0, str(HELPERS))
    import selfplay_games

    selfplay_games.register()


class Rowwise:
    """A network's answers, asked row by row, so that they are alike in any company."""

    def __init__(self, network: Any) -> None:
        self.plane_spec = network.plane_spec
        self._network = network

    def evaluate(self, planes: Any) -> inference.Evaluation:
        answers = [self._network.evaluate(planes[row : row + 1]) for row in range(len(planes))]
        return inference.Evaluation(
            policy_logits=np.concatenate([answer.policy_logits for answer in answers]),
            value=np.concatenate([answer.values() for answer in answers]).astype(np.float32),
        )


def rowwise(folder: Path, **_: Any) -> Rowwise:
    return Rowwise(inference.load(folder, backend="torch", threads=1))


OPTIONS: dict[str, Any] = {
    "network": "mlp-16x1",
    "updates": 2,
    "games_per_update": 24,
    "nodes": 6,
    "concurrency": 4,
    "shard_games": 8,
    "samples_per_new": 1.0,
    "learning": self_play_settings(threads=1, batch_size=16, max_lr=0.01),
    "watching": training.Watching(probe_every=0),
    "seed": 5,
    "load": rowwise,
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray
    from ray.cluster_utils import Cluster

    setup()
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # actors cannot import it
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the run leaves without Ray."""
    out = tmp_path_factory.mktemp("whole") / "run"
    setup()
    training.SelfPlay("own-crosses", out=out, **OPTIONS).run()
    return left_behind(out)


def left_behind(out: Path) -> dict[str, Any]:
    files = [*out.glob("games/*.parquet"), *out.glob("versions/**/model.safetensors")]
    return {str(file.relative_to(out)): file.read_bytes() for file in files}


def on_ray(out: Path, **options: Any) -> Any:
    from phasezoo.integrations.ray import RaySelfPlay

    given = {"actors": 2, "setup": setup, "share": 6, **OPTIONS, **options}
    return RaySelfPlay(given.pop("game", "own-crosses"), out=out, **given)


def test_an_actor_and_a_node_are_killed_and_the_run_is_the_same(
    cluster: Any, tmp_path: Path, whole: dict[str, Any]
) -> None:
    import ray

    node = cluster.add_node(num_cpus=1)  # for the second actor
    cluster.wait_for_nodes()
    killed: list[str] = []

    def kill(event: Any) -> None:
        if (event.update, event.doing) == (1, "playing") and event.done == 5 and not killed:
            ray.kill(loop.actors._actors[0])
            killed.append("actor")
        second = (event.update, event.doing) == (2, "playing") and event.done >= 24 + 5
        if second and "node" not in killed:
            killed.append("node")
            cluster.remove_node(node)
            cluster.add_node(num_cpus=1)

    loop = on_ray(tmp_path / "run", progress=kill)
    outcome = loop.run()
    assert killed == ["actor", "node"]
    assert loop.actors.died >= 2
    assert [update.games for update in outcome.updates] == [24, 48]
    assert left_behind(tmp_path / "run") == whole


def test_a_run_goes_on_without_ray(cluster: Any, tmp_path: Path, whole: dict[str, Any]) -> None:
    on_ray(tmp_path / "run", updates=1, actors=1).run()
    training.SelfPlay("own-crosses", out=tmp_path / "run", **OPTIONS).run()
    assert left_behind(tmp_path / "run") == whole


def test_a_driver_that_is_killed_goes_on_where_it_was(
    cluster: Any, tmp_path: Path, whole: dict[str, Any]
) -> None:
    for done in (5, 24 + 7):
        words = [sys.executable, "-c", DIE, cluster.address, str(tmp_path / "run"), str(done)]
        child = subprocess.run(words, cwd=Path(__file__).parent, check=False, timeout=300)
        assert child.returncode == -signal.SIGKILL
    outcome = on_ray(tmp_path / "run").run()
    assert [update.games for update in outcome.updates] == [24, 48]
    assert left_behind(tmp_path / "run") == whole


DIE = """
import sys
sys.path.insert(0, ".")
import test_ray_selfplay
test_ray_selfplay.play_and_die(*sys.argv[1:])
"""


def play_and_die(address: str, out: str, done: str) -> None:
    """Drive the run from a process that is killed after so many games."""
    import ray

    setup()
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    ray.init(address=address, log_to_driver=False)

    def kill(event: Any) -> None:
        if event.doing == "playing" and event.done >= int(done):
            os.kill(os.getpid(), signal.SIGKILL)

    on_ray(Path(out), progress=kill).run()


def test_games_that_are_lost_with_the_store_of_a_node_are_played_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a cluster: games above 100 KB wait in the store of their node, which may die."""
    import ray
    from ray.exceptions import ObjectLostError, ObjectReconstructionFailedError

    from phasezoo.integrations.ray import actors as module
    from phasezoo.integrations.ray.actors import Actors, _Job

    def game(number: int) -> Any:
        return types.SimpleNamespace(number=number)

    def get(item: Any) -> Any:
        if isinstance(item, BaseException):
            raise item
        return item

    monkeypatch.setattr(module.ray, "get", get)
    lost = ObjectReconstructionFailedError("00" * 28, None, "")
    assert isinstance(lost, ObjectLostError)
    assert not isinstance(lost, ray.exceptions.RayActorError)
    games = iter([game(3), lost, game(5), Counts()])
    actor = object()
    jobs: dict[Any, Any] = {games: _Job(actor, games, [3, 4, 5])}
    waiting, idle, finished = deque([9]), deque[Any](), list[int]()
    for _ in range(5):
        Actors._take(
            Actors.__new__(Actors),
            jobs,
            games,
            waiting,
            idle,
            Counts(),
            lambda played: finished.append(played.number),
        )
    assert finished == [3, 5]
    assert list(waiting) == [4, 9]
    assert list(idle) == [actor]
    assert not jobs


class Broken(Rowwise):
    def evaluate(self, planes: Any) -> inference.Evaluation:
        answer = super().evaluate(planes)
        answer.value[:] = np.nan
        return answer


def test_what_an_actor_raises_ends_the_run_with_its_traceback(cluster: Any, tmp_path: Path) -> None:
    load = {"load": lambda folder, **options: Broken(rowwise(folder)._network)}
    with pytest.raises(InvalidEvaluation, match=r"(?s)generation\.py.*finished"):
        on_ray(tmp_path / "run", actors=1, **load).run()


def test_actors_that_keep_dying_end_the_run(cluster: Any, tmp_path: Path) -> None:
    def agent(evaluator: Any) -> Any:
        import os

        os._exit(1)

    with pytest.raises(WorkersFailed, match="3 actors died"):
        on_ray(tmp_path / "run", actors=1, agent=agent, deaths=2).run()


def test_actors_that_cannot_be_are_an_error(cluster: Any, tmp_path: Path) -> None:
    needs = {"resources": {"num_cpus": 64}, "patience": 1.0}
    with pytest.raises(WorkersFailed, match=r"no actor has started in 1\.0 s: .*64"):
        on_ray(tmp_path / "run", actors=1, **needs).run()

    def fails() -> None:
        message = "no such game"
        raise ValueError(message)

    with pytest.raises(Exception, match="no such game"):
        on_ray(tmp_path / "other", actors=1, setup=fails).run()


def test_what_is_refused(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="actors=0"):
        on_ray(tmp_path / "run", actors=0)
    with pytest.raises(InvalidConfig, match="deaths=-1"):
        on_ray(tmp_path / "run", deaths=-1)
    with pytest.raises(InvalidConfig, match=r"resources=.*'foo'.*such as \{'num_gpus': 1\}"):
        on_ray(tmp_path / "run", resources={"foo": 1})


def test_who_takes_games_decides_the_pace() -> None:
    """Without Ray: no more games are played ahead than may wait."""
    from phasezoo.integrations.ray.game_actor import WAITING, GameActor
    from phasezoo.training.selfplay.generation import Generation

    class Fake:
        ended = 0

        def play(self, agent: Any, numbers: Any, finished: Any) -> Any:
            for number in numbers:
                finished(number)
                Fake.ended += 1

    actor = GameActor(Generation.__new__(Generation), None)  # type: ignore[arg-type]
    actor._generation, actor._version = Fake(), (0, b"")  # type: ignore[assignment]
    games = actor.play(0, b"", range(1000))
    taken = [next(games) for _ in range(5)]
    assert taken == list(range(5))  # type: ignore[comparison-overlap]
    time.sleep(0.3)
    assert Fake.ended <= 5 + WAITING + 1
    games.close()  # type: ignore[attr-defined]

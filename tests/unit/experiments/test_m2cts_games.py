"""The comparison of phase experts with one network in other games than chess."""

import dataclasses
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import pytest

from phasezoo import agents, arena, games, gating
from phasezoo.apps import cli
from phasezoo.arena import stream
from phasezoo.arena.opening_choice import unseen_openings
from phasezoo.arena.openings import draws_starts
from phasezoo.data import store
from phasezoo.data.positions import phases_in_chunks
from phasezoo.errors import RunDirectoryError, StoreError
from phasezoo.experiments.catalogue import GAMES
from phasezoo.experiments.networks import TrainingRun
from phasezoo.games import registry
from phasezoo.gating import registry as gates
from phasezoo.inference.storage.manifest import Manifest
from phasezoo.training import GameStore, StoreWriter, train_supervised

TINY = {
    "arms": (),
    "network": "resnet-8x1",
    "positions": 1000,
    "optimizer": "adamw",
    "learning_rate": 0.003,
    "validation_positions": 64,
    "watched_positions": 16,
    "test_games": 6,
    "resamples": 100,
    "exact_positions": 60,
    "searched_positions": 6,
    "games_played": 4,
    "nodes": 4,
    "max_plies": 30,
    "concurrency": 4,
    "threads": 1,
    "device": "cpu",
}


def few(game, folder, games=150):
    path = folder / f"{game}.parquet"
    GameStore.sample(game).subset(np.arange(games)).save(path)
    return path


@pytest.mark.parametrize(
    "game",
    [
        "connect-four",
        *(pytest.param(game, marks=pytest.mark.slow) for game in ("crazyhouse", "krk")),
    ],
)
def test_experts_meet_one_network_in_other_games(game, tmp_path):
    study = GAMES[game]
    config = dataclasses.replace(study.default, games=few(game, tmp_path), **TINY)
    results = study.reproduce(config, tmp_path / "run")
    assert results.dataset.game == game
    assert results.matches.total.games == 4
    assert f"--game {game}" in results.command
    # A game without SAN has no PGN, and no empty files that look like it.
    written = [path.read_text() for path in (tmp_path / "run").rglob("*.pgn")]
    assert all(written)
    assert bool(written) == hasattr(games.make(game).state_type, "san")
    page = (tmp_path / "run" / "report.html").read_text()
    # The paper's figures are of chess.
    assert "Table XV" not in page
    assert game in page


@dataclass(frozen=True)
class Race:
    """Whoever takes the last of twenty stones, one to three at a time, wins; all takings count."""

    taken: tuple[int, ...] = ()

    @property
    def ply(self):
        return len(self.taken)

    @property
    def to_play(self):
        return self.ply % 2

    @property
    def stones(self):
        return 20 - sum(self.taken)

    @property
    def key(self):
        return int.from_bytes(blake2b(bytes(self.taken), digest_size=8).digest())

    @property
    def is_terminal(self):
        return self.stones == 0

    @property
    def legal_actions(self):
        return np.arange(min(3, self.stones), dtype=np.int64)

    @property
    def returns(self):
        sign = 1.0 if self.ply % 2 else -1.0
        return np.array([sign, -sign] if self.is_terminal else [0, 0], dtype=np.float32)

    def play(self, action):
        return Race((*self.taken, int(action) + 1))

    def planes(self, spec, player=None):
        return (np.arange(25) < self.stones).reshape(1, 5, 5).astype(np.float32)


@pytest.fixture
def race(monkeypatch):
    monkeypatch.setattr(registry.REGISTRY, "own", dict(registry.REGISTRY.own))
    planes = {"default": (1, 5, 5)}
    games.register("race", initial_state=Race, num_players=2, num_actions=3, plane_specs=planes)
    return games.make("race")


def test_a_game_of_ones_own_runs_with_a_gate_and_a_store(race, tmp_path):
    match = arena.play_match(
        agents.RandomAgent(seed=1), agents.RandomAgent(seed=2), game=race, games=120, seed=3
    )
    with StoreWriter(tmp_path / "store", game=race) as writer:
        writer.extend(match)
    study = GAMES["chess"]
    config = dataclasses.replace(
        study.default, game="race", games=tmp_path / "store", gate="plies:5", **TINY
    )
    config = dataclasses.replace(config, network="mlp-8x1", games_played=20)
    results = study.reproduce(config, tmp_path / "run")
    assert results.dataset.phases == ["up to 5", "over 5"]
    assert "--game race" in results.command
    # It brings no openings and always starts alike: without random ones, all games were the same.
    assert results.dataset.openings >= 10
    assert results.matches.total.games == 20


def test_a_run_goes_on_with_the_gate_that_it_was_begun_with_alone(race, tmp_path, monkeypatch):
    monkeypatch.setattr(gates.REGISTRY, "own", dict(gates.REGISTRY.own))
    match = arena.play_match(
        agents.RandomAgent(seed=1), agents.RandomAgent(seed=2), game=race, games=120, seed=3
    )
    with StoreWriter(tmp_path / "store", game=race) as writer:
        writer.extend(match)
    study, out = GAMES["chess"], tmp_path / "run"
    config = dataclasses.replace(
        study.default, game="race", games=tmp_path / "store", gate="halves", **TINY
    )
    config = dataclasses.replace(config, network="mlp-8x1")

    def gate(stones):
        gating.register("halves", names=("many", "few"))(lambda state: int(state.stones < stones))

    def stop(*_):
        raise KeyboardInterrupt

    gate(12)
    with monkeypatch.context() as stopped:
        stopped.setattr(TrainingRun, "train", stop)
        with pytest.raises(KeyboardInterrupt):
            study.reproduce(config, out)
    gate(8)
    for again in (lambda: study.resume(out), lambda: study.reproduce(config, out)):
        with pytest.raises(RunDirectoryError, match="gate 'halves' names other phases now"):
            again()
    (out / "labels.json").unlink()
    with pytest.raises(RunDirectoryError, match="was removed, and a gate has changed"):
        study.resume(out)
    gate(12)
    assert study.resume(out).dataset.gate == "halves"


def test_games_for_values_have_every_phase_before_anything_is_trained(race, tmp_path, monkeypatch):
    monkeypatch.setattr(gates.REGISTRY, "own", dict(gates.REGISTRY.own))
    gating.register("halves", names=("many", "few"))(lambda state: int(state.stones < 12))
    players = agents.RandomAgent(seed=1), agents.RandomAgent(seed=2)
    for name, count, plies in (("store", 120, None), ("begun", 4, 2)):
        match = arena.play_match(*players, game=race, games=count, seed=3, max_plies=plies)
        with StoreWriter(tmp_path / name, game=race) as writer:
            writer.extend(match)
    study = GAMES["chess"]
    config = dataclasses.replace(
        study.default,
        **{**TINY, "game": "race", "gate": "halves", "network": "mlp-8x1"},
        games=tmp_path / "store",
        value_games=tmp_path / "begun",
    )
    with pytest.raises(StoreError, match="value_games: have no positions of phase 'few'"):
        study.reproduce(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    whole = dataclasses.replace(config, value_games=tmp_path / "store")
    with pytest.raises(StoreError, match="every test position occurs in train"):
        study.reproduce(whole, tmp_path / "run")


def test_a_gate_in_python_labels_the_games_once(tmp_path, monkeypatch):
    monkeypatch.setattr(gates.REGISTRY, "own", dict(gates.REGISTRY.own))
    gating.register("late", names=("early", "later"))(lambda state: int(state.ply >= 20))
    labelled = []

    def counted(gate, states_of, game, *rest):
        labelled.append(len(game))
        return phases_in_chunks(gate, states_of, game, *rest)

    monkeypatch.setattr(store, "phases_in_chunks", counted)
    path = few("connect-four", tmp_path)
    study = GAMES["connect-four"]
    config = dataclasses.replace(study.default, games=path, **TINY, gate="late")
    study.reproduce(config, tmp_path / "run")
    parts = GameStore.open(path).split(stream(config.seed, "split")).positions()
    assert labelled == [len(table) for table in parts.values()]


def refused(capsys, *words):
    assert cli.main(["reproduce", "m2cts", *words]) != 0
    return capsys.readouterr().err


def test_what_cannot_be_compared_is_refused_before_anything_is_written(race, tmp_path, capsys):
    out = tmp_path / "run"
    assert "no-such-game" in refused(capsys, "--game", "no-such-game", "--out", str(out))
    # No games of it come with the package.
    error = refused(capsys, "--game", "race", "--gate", "plies:5", "--out", str(out))
    assert "--games" in error
    error = refused(capsys, "--game", "race", "--out", str(out))
    assert "--gate lichess (the default): " in error
    assert cli.main(["reproduce", "m2cts", "--gate", "lichss", "--out", str(out)]) != 0
    shown = capsys.readouterr()
    assert "did you mean 'lichess'?" in shown.err
    assert "Reading the games" not in shown.out + shown.err
    three, planes = type("Three", (Race,), {}), {"default": (1, 5, 5)}
    games.register("three", initial_state=three, num_players=3, num_actions=3, plane_specs=planes)
    for more in ((), ("--from-scratch",)):
        error = refused(capsys, *more, "--game", "three", "--gate", "plies:5", "--out", str(out))
        assert "--game three: experts and one network meet in games of two players" in error
    store = few("krk", tmp_path)
    error = refused(capsys, "--game", "connect-four", "--games", str(store), "--out", str(out))
    assert "krk" in error
    assert "connect-four" in error
    assert not out.exists()


def test_few_openings_that_are_left_are_not_played_instead_of_all():
    suite = arena.OpeningSuite.load("connect-four")
    keys = np.array([suite.state(index).key for index in range(len(suite))], dtype=np.uint64)
    for seen in (0, 1, len(suite) - 10):
        left, dropped = unseen_openings("connect-four", keys[:seen], 100, seed=1)
        assert (len(left), dropped) == (len(suite) - seen, seen)
    for seen in (len(suite) - 9, len(suite) - 1, len(suite)):
        assert unseen_openings("connect-four", keys[:seen], 100, seed=1) == (suite, 0)


def test_a_game_that_brings_no_openings_gets_random_ones(race):
    nothing = np.array([], dtype=np.uint64)
    suite, dropped = unseen_openings("race", nothing, 30, seed=1)
    assert (len(suite), dropped) == (30, 0)
    assert len({suite.state(index).key for index in range(30)}) == 30
    assert unseen_openings("race", nothing, 30, seed=1) == (suite, 0)
    # No more than there are: three first moves, and nine pairs of them.
    assert {len(line) for line in unseen_openings("race", nothing, 9, seed=1)[0].lines} == {2}
    seen = np.array([suite.state(index).key for index in range(20)], dtype=np.uint64)
    assert unseen_openings("race", seen, 30, seed=1)[1] == 20
    assert not draws_starts("race")
    assert unseen_openings("race", nothing, 1, seed=1) == (arena.OpeningSuite("race", ((),)), 0)
    # King and rook always start alike too, and networks have seen nearly all positions of it.
    assert len(unseen_openings("krk", nothing, 30, seed=1)[0]) == 30


def test_where_starts_are_drawn_the_start_is_the_only_opening(race, monkeypatch):
    def begun(seed=None):
        return Race((1 + (seed or 0) % 3,))

    planes = {"default": (1, 5, 5)}
    games.register("begun", initial_state=begun, num_players=2, num_actions=3, plane_specs=planes)
    assert draws_starts("begun")
    suite, dropped = unseen_openings("begun", np.array([], dtype=np.uint64), 30, seed=1)
    assert (suite.lines, dropped) == (((),), 0)


def test_openings_that_all_games_have_are_kept_and_played_once_with_each_side(tmp_path):
    study = GAMES["connect-four"]
    path = tmp_path / "games.parquet"
    first = arena.OpeningSuite.load("connect-four")
    with StoreWriter(path.with_suffix(""), "connect-four") as writer:
        for number in range(10 * len(first)):
            state = first.state(number % len(first))
            actions = [int(move) for move in first.lines[number % len(first)]]
            draw = np.random.default_rng(number)
            while not state.is_terminal:
                actions.append(int(draw.choice(state.legal_actions)))
                state = state.play(actions[-1])
            writer.add(actions=actions, returns=state.returns)
    settings = TINY | {"games_played": 4 * len(first), "nodes": 1, "exact_positions": 1}
    config = dataclasses.replace(
        study.default, games=path.with_suffix(""), gate="plies:14", **settings
    )
    results = study.reproduce(config, tmp_path / "run")
    assert (results.dataset.openings, results.dataset.openings_dropped) == (len(first), 0)
    assert results.matches.total.games == 2 * len(first)
    assert results.matches.total.duplicates == 0


def test_all_networks_begin_with_a_trained_one(tmp_path):
    study = GAMES["connect-four"]
    games_of = few("connect-four", tmp_path)
    begun = train_supervised(
        GameStore.open(games_of), network="resnet-8x1", positions=500, seed=3, out=tmp_path / "one"
    )
    config = dataclasses.replace(
        study.default,
        games=games_of,
        **TINY
        | {
            "network": str(begun.path),
            "optimizer": study.default.optimizer,
            "learning_rate": study.default.learning_rate,
            "value_weight": 0.2,
        },
    )
    results = study.reproduce(config, tmp_path / "run")
    weights = Manifest.read(begun.path).files["model.safetensors"]
    for card in results.networks:
        folder = tmp_path / "run" / "networks" / card.name
        identity = Manifest.read(folder).training["identity"]
        assert identity["initial_weights_sha256"] == weights
        # Rates for new weights would destroy what it knows.
        assert (identity["optimizer"], identity["max_lr"]) == ("adamw", 1e-4)
        shares = [identity[f"{part}_weight"] for part in ("policy", "value", "wdl", "plies")]
        assert sum(shares) == pytest.approx(1)
        assert sorted(shares[1:3]) == [0.0, 0.2]
    assert str(begun.path) in (tmp_path / "run" / "report.html").read_text()

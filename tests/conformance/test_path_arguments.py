"""Paths that no system has are refused in words, wherever one is given."""

import pytest

from phasezoo import agents, arena, gating, training
from phasezoo.errors import InvalidConfig, InvalidGate, PhasezooError, StoreError

LONG = "x" * 5000
NUL = "a\0b"


def store() -> training.GameStore:
    return training.GameStore.sample("krk").subset(range(2))


CALLS = {
    "open": lambda path: training.GameStore.open(path),
    "save": lambda path: store().save(path),
    "log": lambda path: arena.play_match("random", "random", game="krk", games=2, log=path),
    "selfplay": lambda path: training.SelfPlay("connect-four", out=path, updates=1),
    "train": lambda path: training.train_supervised(
        store(), network="resnet-8x1", positions=64, out=path
    ),
    "experts": lambda path: training.train_experts(
        store(), gate="box", network="resnet-8x1", positions=64, out=path
    ),
    "writer": lambda path: training.StoreWriter(path, "connect-four"),
    "play": lambda path: training.play_games("random", game="krk", games=1, seed=1, out=path),
}


@pytest.mark.parametrize("path", [LONG, NUL], ids=["long", "zero byte"])
@pytest.mark.parametrize("call", CALLS)
def test_no_path(call, path):
    if call in ("selfplay", "train", "experts"):
        pytest.importorskip("torch")
    with pytest.raises((InvalidConfig, StoreError), match="cannot be the path of a") as caught:
        CALLS[call](path)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("path", [LONG, NUL], ids=["long", "zero byte"])
def test_no_path_in_a_text(path):
    with pytest.raises(InvalidGate):
        gating.make(f"learned:{path}")
    with pytest.raises(InvalidConfig):
        arena.OpeningSuite.read(path, "connect-four")
    with pytest.raises(InvalidConfig) as caught:
        arena.play_match("random", "random", game="connect-four", games=2, openings=path)
    assert len(str(caught.value)) < 300
    with pytest.raises(PhasezooError):
        agents.make(f"uci:{path}")


def test_no_path_of_tables():
    pytest.importorskip("chess")
    with pytest.raises(InvalidConfig, match="cannot be the path of a directory"):
        agents.Syzygy(LONG)

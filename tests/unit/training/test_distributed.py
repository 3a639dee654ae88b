"""Two processes on a CPU learn what one learns, and only the first of them writes."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from training_runs import ARGUMENTS, train

from phasezoo.errors import InvalidConfig
from phasezoo.training.distributed import Team, in_team, synchronised
from phasezoo.training.metrics import read_metrics

CODE = """
import sys
from pathlib import Path
from training_runs import train
result = train(Path(sys.argv[1]), network="resnet-8x1", symmetries=True)
print(result.describe())
"""


def together(out: Path, size: int) -> list[str]:
    """Train in ``size`` processes, as torchrun starts them; returns what each says."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(size)}
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", CODE, str(out)],
            env={**os.environ, **shared, "RANK": str(rank), "PYTHONPATH": paths},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(size)
    ]
    said = [worker.communicate(timeout=240)[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * size
    return said


@pytest.mark.slow
def test_two_processes_learn_what_one_learns(tmp_path: Path) -> None:
    train(tmp_path / "one", network="resnet-8x1", symmetries=True)
    said = together(tmp_path / "two", 2)
    assert said[0] == said[1]
    one, two = read_metrics(tmp_path / "one"), read_metrics(tmp_path / "two")
    assert len(one) == len(two)
    for name in ("positions", "validation/loss", "train/loss", "train/grad_norm", "train/wdl_loss"):
        expected = [row[name] for row in one if row[name] is not None]
        found = [row[name] for row in two if row[name] is not None]
        np.testing.assert_allclose(found, expected, rtol=2e-3)
    assert one[-1]["positions"] == ARGUMENTS["positions"]


@pytest.mark.parametrize("how", ["heads", "policies", "blocks", "router"])
def test_what_learns_in_one_process_is_refused_before_anything_is_written(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.contextmanager
    def two(device: torch.device, batch_size: int) -> Iterator[tuple[Team, torch.device]]:
        yield Team(0, 2), device

    monkeypatch.setattr("phasezoo.training.supervised.in_team", two)
    with pytest.raises(InvalidConfig, match="it trains in one"):
        train(tmp_path / "run", network=f"resnet-8x1:phase_{how}=3", gate="lichess")
    assert not (tmp_path / "run").exists()


def test_every_position_of_a_batch_is_somebodys() -> None:
    for size in (5, 8, 9):
        parts = [Team(rank, 3).places(size) for rank in range(3)]
        assert np.concatenate(parts).tolist() == list(range(size))
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_one_process_is_no_team(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with in_team(torch.device("cpu"), 1) as (team, device):
        assert (team.size, team.is_first, device.type) == (1, True, "cpu")
        assert team.first(lambda: 3) == 3
        assert team.gathered("own") == ["own"]


def test_batch_norms_over_one_process_are_torchs_own(tmp_path: Path) -> None:
    """With a team of one, means over all processes are those of the batch."""
    store = f"file://{tmp_path / 'store'}"
    torch.distributed.init_process_group("gloo", init_method=store, rank=0, world_size=1)
    try:
        torch.manual_seed(1)
        plain = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
        other = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
        other.load_state_dict(plain.state_dict())
        other = synchronised(other)
        assert list(other.state_dict()) == list(plain.state_dict())
        for _ in range(3):
            rows = torch.rand(8, 3, 5, 5)
            answers = [network(rows) for network in (plain, other)]
            torch.testing.assert_close(*answers)
            for network, answer in zip((plain, other), answers, strict=True):
                network.zero_grad()
                answer.square().sum().backward()
            for mine, theirs in zip(other.parameters(), plain.parameters(), strict=True):
                torch.testing.assert_close(mine.grad, theirs.grad, rtol=1e-4, atol=1e-4)
        for name, value in other.state_dict().items():
            torch.testing.assert_close(value, plain.state_dict()[name])
        rows = torch.rand(4, 3, 5, 5)
        torch.testing.assert_close(other.eval()(rows), plain.eval()(rows))
        with pytest.raises(InvalidConfig, match="batch_size=2"), in_team(torch.device("cpu"), 2):
            pass
    finally:
        torch.distributed.destroy_process_group()

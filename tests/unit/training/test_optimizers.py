"""The optimisers of trainings do what torch's do, without what torch imports for them."""

import copy
import subprocess
import sys

import pytest

pytest.importorskip("torch")

import torch

from phasezoo.training import steps

KINDS = [
    ("SGD", {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.01, "nesterov": True, "foreach": True}),
    ("AdamW", {"lr": 0.01, "weight_decay": 0.1, "foreach": True}),
]


@pytest.mark.parametrize(("name", "options"), KINDS)
def test_they_step_as_those_of_torch(name, options):
    torch.manual_seed(3)
    own = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.ReLU(), torch.nn.Linear(7, 2))
    theirs = copy.deepcopy(own)
    pair = [
        (own, getattr(steps, name)(own.parameters(), **options)),
        (theirs, getattr(torch.optim, name)(theirs.parameters(), **options)),
    ]
    for step in range(12):
        inputs = torch.randn(6, 5)
        for network, optimizer in pair:
            optimizer.zero_grad(set_to_none=True)
            network(inputs).square().sum().backward()
            optimizer.step()
        if step == 5:  # as a training that goes back does
            for _, optimizer in pair:
                optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for mine, other in zip(own.parameters(), theirs.parameters(), strict=True):
        assert mine.requires_grad
        assert torch.isfinite(mine).all()
        assert torch.equal(mine, other)


def test_a_training_imports_neither_a_compiler_nor_pandas(tmp_path):
    code = (
        "import sys; from phasezoo import training\n"
        "store = training.GameStore.sample('krk').subset(range(20))\n"
        "training.train_supervised(store, network='resnet-8x1', positions=64, batch_size=32,\n"
        "    validation_positions=16, device='cpu', threads=1, out=sys.argv[1])\n"
        "print(sorted({'torch._dynamo', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=280)
    assert done.stdout.splitlines()[-1] == "[]"

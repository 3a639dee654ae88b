"""Devices and number formats: asked for, tried by somebody else first, refused in one sentence."""

import pytest
import torch

from phasezoo import _trial
from phasezoo.errors import InvalidConfig
from phasezoo.networks import precision


def test_float32_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "probe", lambda *_: pytest.fail("float32 was tried"))
    assert precision.supported_dtype("float32", torch.device("cpu")) is torch.float32


def test_bfloat16_is_what_the_trial_says() -> None:
    failure = precision.probe("bfloat16", "cpu")
    if failure is None:
        assert precision.supported_dtype("bfloat16", torch.device("cpu")) is torch.bfloat16
    else:
        with pytest.raises(InvalidConfig, match="use float32"):
            precision.supported_dtype("bfloat16", torch.device("cpu"))


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "ended by SIGILL"),
        ("import sys; sys.exit(3)", "not finite"),
        ("raise RuntimeError('no such kernel')", "no such kernel"),
        ("import sys; sys.exit(1)", "without a message"),
        ("import time; time.sleep(60)", "did not end within"),
    ],
)
def test_a_trial_that_fails_says_how(
    program: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision, "_PROBE", program)
    if "sleep" in program:
        monkeypatch.setattr(_trial, "SECONDS", 1.0)
    failure = precision.probe.__wrapped__("bfloat16", "cpu")
    assert failure is not None
    assert expected in failure


def test_a_format_that_fails_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "probe", lambda *_: "was ended by SIGILL")
    with pytest.raises(InvalidConfig, match="SIGILL; use float32"):
        precision.supported_dtype("bfloat16", torch.device("cpu"))


@pytest.mark.parametrize("dtype", ["float16", "int8", ""])
def test_other_formats_are_refused(dtype: str) -> None:
    with pytest.raises(InvalidConfig, match="'float32' or 'bfloat16'"):
        precision.supported_dtype(dtype, torch.device("cpu"))


@pytest.mark.parametrize("device", ["gpu", "cuda:99", "cpu:x", ""])
def test_a_device_that_is_not_here_is_refused(device: str) -> None:
    with pytest.raises(InvalidConfig, match="use cpu"):
        precision.resolve_device(device)


def test_no_device_means_the_best_one() -> None:
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert precision.resolve_device(None).type == expected


def test_a_format_that_a_setting_would_help_is_refused_with_the_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    tried = []

    def probe(dtype: str, device: str, instructions: str | None = None) -> str | None:
        tried.append(instructions)
        return None if instructions else "was ended by SIGILL"

    monkeypatch.setattr(precision, "probe", probe)
    with pytest.raises(InvalidConfig, match="ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 before Python"):
        precision.supported_dtype("bfloat16", torch.device("cpu"))
    assert tried == [None, "AVX512_CORE_BF16"]


def test_a_trial_is_told_which_instructions_it_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import os, sys; sys.exit(os.environ.get('ONEDNN_MAX_CPU_ISA') != 'AVX2')"
    monkeypatch.setattr(precision, "_PROBE", program)
    assert precision.probe.__wrapped__("bfloat16", "cpu", "AVX2") is None
    assert precision.probe.__wrapped__("bfloat16", "cpu", "AVX512_CORE") is not None

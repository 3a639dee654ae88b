"""Fixtures and options that all tests share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of golden arrays, suites and games that a user does not have."""
    folder = Path(os.environ.get("PHASEZOO_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(
            "the shared test data is not on this machine (set PHASEZOO_SHARED to its folder)"
        )
    return folder

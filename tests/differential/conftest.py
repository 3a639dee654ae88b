"""Gaviota's tables, where this machine has them."""

import chess.gaviota
import pytest


@pytest.fixture(scope="session")
def gaviota(shared_dir):
    folder = shared_dir / "data" / "tablebases"
    if not any(folder.glob("*.gtb.cp4")):
        pytest.skip(f"Gaviota's tables are not in {folder}")
    with chess.gaviota.open_tablebase(str(folder)) as tables:
        yield tables

"""Packed planes beside float planes: their size, and what making and answering them costs.

On a CPU nothing crosses a bus: what is gained there is memory, not time of a network's.
"""

import tempfile

import numpy as np

from benchmarks.common import Row, compared, sized
from benchmarks.encode import boards
from phasezoo import games, inference, networks
from phasezoo.training import GameStore, Sampler

NETWORK = "rise-32x4"
BATCH = 64
CALLS = sized(10, 1)
REPEATS = 7


def rows() -> list[Row]:
    """Bytes of a position; then rows a second encoded, sampled and answered, floats beside them."""
    states = boards()
    packed, floats = games.encode(states[:BATCH], packed=True), games.encode(states[:BATCH])
    size = Row(
        "packed planes, bytes of a chess position (v2)",
        packed.nbytes / BATCH,
        "bytes",
        "about 400",
        "floats",
        floats.nbytes / BATCH,
    )
    return [size, encoded(states), sampled(), answered(floats)]


def encoded(states: list) -> Row:
    """Planes of many states, a new array each time."""

    def made(packed: bool) -> float:
        games.encode(states, "v2", threads=1, packed=packed)
        return len(states)

    name = f"packed planes of {len(states):,} boards, one thread"
    return compared(
        name, "boards/s", "≥ floats", lambda: made(True), "floats", lambda: made(False), REPEATS
    )


def sampled() -> Row:
    """Training batches of the sample games."""
    store = GameStore.sample("chess")
    table = store.positions()
    by_form = {
        packed: Sampler(store, table, batch_size=512, threads=1, packed=packed)
        for packed in (True, False)
    }

    def made(packed: bool) -> float:
        for index in range(4):
            by_form[packed].batch(index)
        return 4 * 512

    name = "packed batches of 512 from a store, one thread"
    return compared(
        name, "rows/s", "≥ floats", lambda: made(True), "floats", lambda: made(False), REPEATS
    )


def answered(floats: np.ndarray) -> Row:
    """A network of ONNX Runtime on one thread, planes made before."""
    packed = games.make("chess").plane_layout("v2").pack(floats)
    with tempfile.TemporaryDirectory() as folder:
        inference.save(networks.make(NETWORK), f"{folder}/network", game="chess", planes="v2")
        takes_bits, takes_floats = (
            inference.load(f"{folder}/network", "onnx", threads=1, packed=form)
            for form in (True, False)
        )

    def bits() -> float:
        for _ in range(CALLS):
            takes_bits.evaluate(packed)
        return CALLS * BATCH

    def plain() -> float:
        for _ in range(CALLS):
            takes_floats.evaluate(floats)
        return CALLS * BATCH

    name = f"{NETWORK} in ONNX Runtime on packed planes, batch {BATCH}, one thread"
    return compared(name, "rows/s", "≥ 0.95 of floats", bits, "floats", plain, REPEATS)

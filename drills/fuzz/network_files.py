"""Files of networks: manifests of networks, experts and gates, and their weights."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from drills.fuzz.mutations import mutated, mutated_json, mutated_value
from drills.fuzz.target import Target
from phasezoo import inference
from phasezoo.errors import CheckpointError, InvalidGate
from phasezoo.gating.learned import GateManifest
from phasezoo.inference.storage import packaged
from phasezoo.inference.storage.experts import load_experts
from phasezoo.inference.storage.manifest import MANIFEST, MODEL, Manifest
from phasezoo.inference.storage.weights import parse_tensors
from phasezoo.runs.saved import digest

GATE = {
    "format_version": 1,
    "kind": "gate",
    "game": "chess",
    "planes": "minimal",
    "network": "gate-mlp",
    "input_shape": [12, 8, 8],
    "names": ["a", "b"],
    "files": {"router.safetensors": "0" * 64},
    "training": {},
    "phasezoo": "0",
}


def manifest(folder: Path) -> Target:
    """``manifest.json`` of a network and of a learned gate, and ``experts.json``."""
    small, many = packaged.resolved("phasezoo/krk-small"), packaged.resolved("phasezoo/chess-small")
    known: list[tuple[str, Any, Callable[[Path], object]]] = [
        (MANIFEST, json.loads((small / MANIFEST).read_text()), Manifest.read),
        ("experts.json", json.loads((many / "experts.json").read_text()), load_experts),
        (MANIFEST, GATE, GateManifest.read),
    ]
    target = folder / "experts"
    shutil.copytree(many, target)

    def drawn(draw: Random) -> tuple[int, bytes]:
        kind = draw.choice((0, 0, 0, 1, 1, 2))
        text = mutated_json(draw, known[kind][1])
        return kind, text.encode("utf-8", "surrogatepass" if draw.random() < 0.3 else "replace")

    def read(given: tuple[int, bytes]) -> None:
        name, _, reader = known[given[0]]
        (target / name).write_bytes(given[1])
        reader(target)

    return Target(drawn, read, (CheckpointError, InvalidGate))


def safetensors(folder: Path) -> Target:
    """Weights: the parser reads all, and one in 50, with the right checksum, becomes a network."""
    source = packaged.resolved("phasezoo/krk-small")
    target = folder / "network"
    shutil.copytree(source, target)
    whole = (source / MODEL).read_bytes()
    size = int.from_bytes(whole[:8], "little")
    header, record = json.loads(whole[8 : 8 + size]), json.loads((source / MANIFEST).read_text())

    def drawn(draw: Random) -> tuple[bool, bytes]:
        return draw.random() < 0.02, changed(draw)

    def changed(draw: Random) -> bytes:
        kind = draw.random()
        if kind < 0.3:
            head = mutated(
                draw, whole[: 8 + size], (), (b"F16", b"F4", b"I64", b'"dtype":', b"[0,0]")
            )
            return head + whole[8 + size :]
        if kind < 0.35:
            return mutated(draw, whole, (), ())
        text = json.dumps(mutated_value(draw, header) if kind < 0.9 else _typed(draw, header))
        head = text.encode("utf-8", "replace")
        head += b" " * (-len(head) % 8)
        length = len(head) if draw.random() < 0.9 else draw.choice((0, 2**32, 2**63, len(head) * 2))
        return length.to_bytes(8, "little") + head + whole[8 + size :]

    def read(given: tuple[bool, bytes]) -> None:
        is_built, data = given
        if not is_built:
            parse_tensors(data, "drill")
            return
        (target / MODEL).write_bytes(data)
        changed = json.dumps({**record, "files": {**record["files"], MODEL: digest(data)}})
        (target / MANIFEST).write_text(changed)
        inference.load(target, backend="torch", threads=1)

    return Target(drawn, read, (CheckpointError,))


def _typed(draw: Random, header: dict[str, Any]) -> dict[str, Any]:
    """Return a header in which a tensor has another number format or shape."""
    changed = json.loads(json.dumps(header))
    name = draw.choice([name for name in changed if name != "__metadata__"])
    kinds = (
        "F64",
        "F16",
        "BF16",
        "I32",
        "U32",
        "U64",
        "BOOL",
        "F8_E4M3",
        "F8_E8M0",
        "F4",
        "C64",
        "X",
    )
    if draw.random() < 0.6:
        changed[name]["dtype"] = draw.choice(kinds)
    else:
        changed[name]["shape"] = draw.choice(([], [1], [-1], [2**62, 2**62], [0], [1] * 70, [1.5]))
    return changed

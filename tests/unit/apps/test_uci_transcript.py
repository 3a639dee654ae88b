"""The session that docs/howto/engine.md shows is what the engine says."""

import re

import pytest
from uci_fakes import Spoken

MOVE = re.compile(r"\b[a-h][1-8][a-h][1-8][nbrq]?\b")
NUMBER = re.compile(r"-?\d[\d.]*")


def plain(line):
    """A line without what differs between machines: moves of lines, counts, times, versions."""
    if line.startswith(("info string position", "option", "bestmove a1a8")):
        return line if "Threads" not in line else "Threads"
    masked = NUMBER.sub("#", MOVE.sub("@", line)).removesuffix(" #")
    return re.sub(r"(@ ?)+", "@", masked).strip()


def transcript(repository):
    text = (repository / "docs" / "howto" / "engine.md").read_text()
    block = re.search(r"^```uci\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return block[1].splitlines()


def test_the_transcript(repository):
    pytest.importorskip("onnxruntime")
    spoken = Spoken(None)
    expected, seen, asks = transcript(repository), 0, 0
    for line in expected:
        if line.startswith("> "):
            start = len(spoken.lines)
            spoken.send(line[2:])
            asks += line.startswith("> go") and "infinite" not in line
            if "infinite" in line:
                continue
            if line.startswith(("> go", "> stop")):
                spoken.until("bestmove", start)
            seen = start
            continue
        heard = [plain(each) for each in spoken.lines[seen:]]
        assert plain(line) in heard, (line, spoken.lines[seen:])
        seen += heard.index(plain(line)) + 1
    assert asks == 3
    assert len(spoken.moves()) == 4

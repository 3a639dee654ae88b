"""Positions and moves as texts: FEN and columns, UCI, SAN."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from drills.fuzz.mutations import mutated_text
from drills.fuzz.target import Target
from phasezoo import games
from phasezoo.errors import IllegalAction, InvalidFen, InvalidSan, InvalidState, InvalidUci

BOARDS = ("chess", "chess960", "atomic", "crazyhouse", "krk")

COLUMNS = "connect-four"

FEN_WORDS = (
    "w", "b", " ", "/", "-", "KQkq", "HAha", "K", "q", "e3", "d6", "a9", "~", "Q~", "[QNbp]",
    "[]", "8", "9", "0", "11111111", "rnbqkbnr", "PPPPPPPP", "k", "kk", "p", "3+2", "+0+0", "99",
    "101",
)  # fmt: skip
MOVE_WORDS = (
    "e2e4", "e7e8q", "e1g1", "e1c1", "e1h1", "0000", "P@e4", "@", "N@", "Z0", "--", "O-O",
    "0-0-0", "Nf3", "Nbd7", "exd5", "e8=Q", "e8Q", "R1a3", "Qh4e1", "x", "=", "+", "#", "!?",
    "e.p.", "♘f3", "a1", "h8", "k", "q",
)  # fmt: skip


def positions(game: games.Game, count: int, seed: int) -> list[Any]:
    """States of random games, of all lengths."""
    draw, found = Random(seed), []
    while len(found) < count:
        state = game.initial_state(seed=draw.randrange(2**32))
        for _ in range(draw.choice((0, 3, 12, 40, 90, 200))):
            if state.is_terminal:
                break
            state = state.play(int(draw.choice(state.legal_actions)))
        found.append(state)
    return found


def fen(folder: Path) -> Target:
    """FEN of every board game, and the columns of Connect Four."""
    known = {name: games.make(name) for name in (*BOARDS, COLUMNS)}
    texts = {
        name: [str(game.text_of(state)) for state in positions(game, 60, 1)]
        for name, game in known.items()
    }
    everything = [text for each in texts.values() for text in each]

    def drawn(draw: Random) -> tuple[str, str]:
        name = draw.choice(list(known))
        text = draw.choice(texts[name] if draw.random() < 0.9 else everything)
        kind = draw.random()
        if kind < 0.6:
            text = _fields(draw, text, everything)
        if kind < 0.4:
            return name, text
        return name, mutated_text(draw, text, (draw.choice(everything),), FEN_WORDS)

    def read(given: tuple[str, str]) -> None:
        name, text = given
        state = known[name].from_text(text)
        again = known[name].from_text(known[name].text_of(state))
        assert again == state and hash(again) == hash(state), "its text is another state"
        assert np.isfinite(state.planes()).all(), "planes are not finite"
        legal = state.legal_actions
        assert int(state.action_mask.sum()) == len(legal), "mask and actions differ"
        if len(legal):
            _check_move(state, int(legal[len(text) % len(legal)]))

    return Target(drawn, read, (InvalidFen, InvalidState))


def _check_move(state: Any, action: int) -> None:
    """A legal action is played, and its notation is read as itself."""
    state.play(action)
    if hasattr(state, "uci"):
        assert state.parse_uci(state.uci(action)) == action, "its UCI is another move"
        assert state.parse_san(state.san(action)) == action, "its SAN is another move"


def _fields(draw: Random, text: str, others: list[str]) -> str:
    """Return a FEN with fields or ranks of another, or out of order."""
    fields, other = text.split(" "), draw.choice(others).split(" ")
    at = draw.randrange(len(fields))
    if at == 0 or draw.random() < 0.4:
        ranks, theirs = fields[0].split("/"), other[0].split("/")
        ranks[draw.randrange(len(ranks))] = draw.choice(theirs)
        fields[0] = "/".join(ranks)
    elif draw.random() < 0.2:
        draw.shuffle(fields)
    else:
        fields[at] = draw.choice(
            (*other, "-", "0", "1", "50", "32767", "65536", "4294967296", "-1")
        )
    return " ".join(fields)


def moves(folder: Path) -> Target:
    """Moves in UCI and SAN, alone and as the moves after a position."""
    known = {name: games.make(name) for name in BOARDS}
    states = [(name, s) for name, game in known.items() for s in positions(game, 40, 2)]
    texts = sorted(
        {t for _, s in states for a in s.legal_actions[:12] for t in (s.uci(a), s.san(a))}
    )

    def drawn(draw: Random) -> tuple[int, str, list[str]]:
        at, way = draw.randrange(len(states)), draw.choice(("uci", "uci", "san", "san", "moves"))
        if way == "moves":
            line = list(states[at][1].moves) or ["e2e4", "e7e5"]
            place = draw.randrange(len(line))
            line[place] = _move(draw, line[place], texts)
            return at, way, line
        state = states[at][1]
        own = [state.uci(a) if way == "uci" else state.san(a) for a in state.legal_actions[:3]]
        return at, way, [_move(draw, draw.choice(own or texts), texts)]

    def read(given: tuple[int, str, list[str]]) -> None:
        at, way, line = given
        name, state = states[at]
        if way == "moves":
            start = state.start_fen or known[name].initial_state(seed=1).fen
            assert known[name].from_fen(start, line).ply == len(line)
            return
        action = state.parse_uci(line[0]) if way == "uci" else state.parse_san(line[0])
        assert action in state.legal_actions or state.is_terminal, "it is not legal"

    return Target(drawn, read, (InvalidUci, InvalidSan, InvalidFen, IllegalAction, InvalidState))


def _move(draw: Random, text: str, others: list[str]) -> str:
    kind = draw.random()
    if kind < 0.3:
        return text if kind < 0.15 else draw.choice(others)
    return mutated_text(draw, text, (draw.choice(others),), MOVE_WORDS)

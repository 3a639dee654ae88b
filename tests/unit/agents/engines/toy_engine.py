"""A UCI engine that plays drawn moves and, if told so, misbehaves.

    python toy_engine.py [mode[:n]] …

Modes: ``crash:n``, ``hang:n``, ``illegal:n``, ``none:n`` and ``nonsense:n`` at its n-th move (from
1, counted since it was started); ``garbage`` beside good answers; ``slow:ms`` before each answer;
``load:ms`` before the first readyok; ``mute`` says no uciok; ``deaf`` ignores quit; ``variants``
plays atomic and crazyhouse too; ``option:line`` is told among the options, ``named:name`` what it
is called (``latin:name`` in Latin-1); ``says:line`` is said thrice before each answer;
``ponder:move`` is the move that it ponders on; ``log:path`` writes what it is told to a file.
"""

import os
import random
import sys
import time
from pathlib import Path

import chess
import chess.variant

OPTIONS = [
    "Threads type spin default 1 min 1 max 4",
    "Style type combo default calm var calm var wild",
]
OPTIONS += ["UCI_Chess960 type check default false", "Lazy type check default false"]
VARIANTS = "UCI_Variant type combo default chess var chess var atomic var crazyhouse"


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Toy:
    def __init__(self, words: list[str]) -> None:
        self.modes = dict(word.partition(":")[::2] for word in words)
        self.options = [word.partition(":")[2] for word in words if word.startswith("option:")]
        self.lines = [word.partition(":")[2] for word in words if word.startswith("says:")]
        self.moves = 0
        self.kind = chess.Board
        self.chess960 = False
        self.board = chess.Board()
        self.rng = random.Random(1)

    def is_now(self, mode: str) -> bool:
        return mode in self.modes and self.moves == int(self.modes[mode])

    def obey(self, line: str) -> bool:
        if "log" in self.modes:
            with Path(self.modes["log"]).open("a") as file:
                file.write(f"{os.getpid()} {line}\n")
        word, _, rest = line.partition(" ")
        if word == "quit" and "deaf" not in self.modes:
            return False
        if word == "uci":
            name = self.modes.get("latin")
            if name is None:
                say(f"id name {self.modes.get('named', 'Toy')}")
            else:
                sys.stdout.buffer.write(f"id name {name}\n".encode("latin-1"))
            for option in [*OPTIONS, *([VARIANTS] if "variants" in self.modes else [])]:
                say(f"option name {option}")
            for option in self.options:
                say(f"option {option}")
            if "mute" not in self.modes:
                say("uciok")
        elif word == "isready":
            time.sleep(int(self.modes.pop("load", 0)) / 1000)
            say("readyok")
        elif word == "ucinewgame":
            self.rng = random.Random(1)
        elif word == "setoption":
            self.set(*rest.removeprefix("name ").split(" value "))
        elif word == "position":
            self.place(rest)
        elif word == "go":
            self.go()
        return True

    def set(self, name: str, value: str) -> None:
        if name == "UCI_Variant":
            self.kind = chess.variant.find_variant(value)
        if name == "UCI_Chess960":
            self.chess960 = value == "true"

    def place(self, text: str) -> None:
        start, _, moves = text.partition(" moves ")
        fen = chess.STARTING_FEN if start == "startpos" else start.removeprefix("fen ")
        self.board = self.kind(fen, chess960=self.chess960)
        for move in moves.split():
            self.board.push_uci(move)

    def go(self) -> None:
        self.moves += 1
        time.sleep(int(self.modes.get("slow", 0)) / 1000)
        if self.is_now("crash"):
            sys.exit(3)
        if self.is_now("hang"):
            time.sleep(1000)
        if "garbage" in self.modes:
            say("info depth twelve score cp lots pv zz9 nodes")
            say("\x00\x7f what is this")
            sys.stdout.buffer.write(b"\xff\xfe\n")
        move = self.rng.choice(list(self.board.legal_moves)).uci()
        for mode, answer in (("illegal", "a1a1"), ("none", "(none)"), ("nonsense", "hello there")):
            move = answer if self.is_now(mode) else move
        say("info depth 3 seldepth 5 nodes 42 score cp 35 time 1")
        for line in 3 * self.lines:
            say(line)
        ponder = self.modes.get("ponder")
        say(f"bestmove {move}" + (f" ponder {ponder}" if ponder else ""))


def main() -> None:
    toy = Toy(sys.argv[1:])
    for line in sys.stdin:
        if not toy.obey(line.strip()):
            return


main()

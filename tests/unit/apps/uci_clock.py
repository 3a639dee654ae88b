"""Games of two engines by the clock, each a process, with a referee who measures."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from phasezoo import games


class Player:
    """An engine's process."""

    def __init__(self, agent, overhead_ms):
        command = [sys.executable, "-m", "phasezoo", "uci", "--agent", agent]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._say(f"setoption name Move Overhead value {overhead_ms}")
        self.ready()

    def ready(self):
        self.ask("isready", "readyok")

    def ask(self, line, end):
        """The line that answers."""
        self._say(line)
        while not (answer := self._process.stdout.readline()).startswith(end):
            assert answer, "the engine has ended"
        return answer

    def move(self, moves, clock):
        """The move, and the seconds that it took."""
        listed = f" moves {' '.join(moves)}" if moves else ""
        began = time.perf_counter()
        self._say(f"position startpos{listed}")
        answer = self.ask(f"go {clock}", "bestmove")
        return answer.split()[1], time.perf_counter() - began

    def begin(self):
        self._say("ucinewgame")
        self.ready()

    def close(self):
        with self._process:
            self._say("quit")

    def _say(self, line):
        self._process.stdin.write(f"{line}\n")


class Played(NamedTuple):
    """A game."""

    plies: int
    loser: int | None
    """Whose clock ran out."""
    least: float
    """The least time that was left after a move, in seconds."""
    last: list
    """Seconds left and taken of the last moves."""


def play(players, opening, seconds, increment, most_plies):
    """One game from after the moves of an opening."""
    state, moves, left = games.make("chess").from_fen(START, opening), list(opening), [seconds] * 2
    least, last = seconds, []
    for player in players:
        player.begin()
    while not state.is_terminal and len(moves) < most_plies:
        side = state.to_play
        times = [round(1000 * each) for each in left]
        added = round(1000 * increment)
        clock = f"wtime {times[0]} btime {times[1]} winc {added} binc {added}"
        move, took = players[side].move(moves, clock)
        last = [*last[-11:], (side, round(left[side], 3), round(took, 3))]
        left[side] -= took
        least = min(least, left[side])
        if left[side] < 0:
            return Played(len(moves), side, left[side], last)
        left[side] += increment
        state = state.play(state.parse_uci(move))
        moves.append(move)
    return Played(len(moves), None, least, last)


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def match(
    agent,
    count,
    *,
    seconds=1.0,
    increment=0.01,
    overhead_ms=100,
    at_once=1,
    most_plies=400,
    progress=None,
):
    """Games of an engine against itself, some at once, each with another opening."""
    state = games.make("chess").from_fen(START)
    openings = [
        [state.uci(int(action)), state.play(int(action)).uci(int(reply))]
        for action in state.legal_actions
        for reply in state.play(int(action)).legal_actions
    ]
    numbers, lock, found = iter(range(count)), threading.Lock(), []

    def work(_):
        players = [Player(agent, overhead_ms) for _ in range(2)]
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                break
            opening = openings[number * 7 % len(openings)]
            game = play(players, opening, seconds, increment, most_plies)
            found.append(game)
            if progress is not None:
                progress(number, game)
        for player in players:
            player.close()

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(work, range(at_once)))
    return found


class Pauses:
    """Watches how long this machine leaves a thread without a core."""

    def __init__(self):
        self.longest = 0.0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *details):
        self._ends.set()
        self._thread.join()

    def _watch(self):
        while True:
            began = time.perf_counter()
            if self._ends.wait(0.002):
                return
            self.longest = max(self.longest, time.perf_counter() - began - 0.002)

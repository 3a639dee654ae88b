"""An engine in this process, whose lines are collected."""

import threading

from phasezoo.apps.uci.engine import Engine

FAST = "mcts:nodes=16,batch_size=4"
"""An agent that knows nothing and is quick."""


class Spoken:
    """An engine, and what it has said."""

    def __init__(self, agent=FAST):
        self.lines = []
        self._heard = threading.Condition()
        self.engine = Engine(agent, self._hear)

    def _hear(self, text):
        with self._heard:
            self.lines += text.split("\n")
            self._heard.notify_all()

    def send(self, *lines):
        """Say lines; what was answered since, as far as that is known now."""
        start = len(self.lines)
        for line in lines:
            self.engine.handle(line)
        return self.lines[start:]

    def ask(self, *lines):
        """Say lines, the last of which asks for a move; everything up to that move."""
        start = len(self.lines)
        for line in lines:
            self.engine.handle(line)
        return self.until("bestmove", start)

    def until(self, word, start=0, has=""):
        """Return the lines from one on, up to one that begins with a word and has another."""

        def end():
            found = range(start, len(self.lines))
            lines = ((at, self.lines[at]) for at in found)
            return next((at for at, line in lines if line.startswith(word) and has in line), None)

        with self._heard:
            assert self._heard.wait_for(lambda: end() is not None, timeout=60), self.lines[start:]
            return self.lines[start : end() + 1]

    def moves(self):
        """All answers."""
        return [line for line in self.lines if line.startswith("bestmove")]


def told(line, word):
    """The word after ``word`` in a line."""
    words = line.split()
    return words[words.index(word) + 1]


def first_legal(observation, info):
    """An agent of one's own."""
    return int(info["action_mask"].argmax())

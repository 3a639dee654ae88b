"""The engine: what it answers to every line, in any order of lines.

Nothing heavy is imported here before a position, ``isready`` or ``go`` needs it, so that the
greeting comes at once.
"""

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from phasezoo.apps.uci.alarm import Alarm
from phasezoo.apps.uci.commands import Place, read_go, read_line, read_place, read_setting
from phasezoo.apps.uci.options import NETWORKS, VARIANTS, Options, packaged_agents

if TYPE_CHECKING:
    from phasezoo.apps.uci.player import Player
    from phasezoo.apps.uci.search import Search

PATIENCE = 10.0
"""Seconds in which a search has to have ended after ``quit``."""


class Engine:
    """Answers lines of the Universal Chess Interface.

    One thread searches, whoever calls :meth:`handle` reads. A search of a few milliseconds is not
    worth the other thread, which may have to wait for a core longer than that. Every ``go`` is
    answered by exactly one ``bestmove``; a ``go`` during a search stops that one first.

    Args:
        agent: The agent's text (:func:`phasezoo.agents.make`); None: the package's network of the
            variant that is played.
        write: Writes a line, or several between line breaks, at once.
        version: What the engine calls its version.
        loaded: Called when an agent was loaded, before anything is searched.
    """

    def __init__(
        self,
        agent: str | None,
        write: Callable[[str], None],
        version: str = "",
        loaded: Callable[[], object] | None = None,
    ) -> None:
        self._texts = packaged_agents() if agent is None else _playable(agent)
        self.options = Options(tuple(self._texts))
        self.failure: Exception | None = None
        """Why no agent can be loaded; the engine has ended then."""
        self._write = write
        self._version = version
        self._settle = loaded
        self._writing = threading.Lock()
        self._place = Place(None, ())
        self._state: Any = None
        self._refused = ""
        """Why the last position cannot be played; empty if it can."""
        self._agent: Any = None
        self._loaded: tuple[Any, ...] | None = None
        """Options that the agent was loaded with; None if it has to be loaded."""
        self._player: Player | None = None
        self._made: tuple[Any, ...] | None = None
        """Agent and options that the player was made with."""
        self._games = 0
        self._search: Search | None = None
        self._jobs: queue.SimpleQueue[tuple[Search, Player | None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._alarm = Alarm()

    def handle(self, line: str) -> bool:
        """Do what a line says; False if it was ``quit``, or no agent can be loaded."""
        command = read_line(line)
        if command is None:
            if line.strip():
                self._info(f"unknown command: {' '.join(line.split())[:80]}")
            return True
        if command.name == "quit":
            self.close()
            return False
        answer = getattr(self, f"_on_{command.name}", None)
        if answer is not None:
            answer(command.words)
        if self.failure is not None:
            self.close()
        return self.failure is None

    def close(self) -> None:
        """Stop what is searched, answer it, and leave."""
        self._alarm.close()
        if self._thread is None:
            return
        if self._search is not None:
            self._search.stop()
        self._jobs.put(None)
        self._thread.join(PATIENCE)
        self._thread = None

    def _on_uci(self, words: Sequence[str]) -> None:
        lines = [f"id name phasezoo {self._version}".rstrip(), "id author the phasezoo developers"]
        self._say("\n".join([*lines, *self.options.lines(), "uciok"]))

    def _on_isready(self, words: Sequence[str]) -> None:
        if not self._is_searching:
            self._prepare()
        if self.failure is None:
            self._say("readyok")

    def _on_setoption(self, words: Sequence[str]) -> None:
        game = self.options.game
        setting = read_setting(words)
        complaint = setting if isinstance(setting, str) else self.options.set(setting)
        if complaint is not None:
            self._info(complaint)
        if self.options.game != game:
            is_start = self._place == Place(None, ()) and not self._refused
            self._forget()
            if not is_start:
                now = self.options.game
                self._refused = f"position: {now} is played now, and not {game}: send a new one"

    def _on_ucinewgame(self, words: Sequence[str]) -> None:
        self._stop_and_wait()
        self._games += 1
        self._forget()
        self._made = None

    def _forget(self) -> None:
        """Go back to the start of the game."""
        self._place, self._state, self._refused = Place(None, ()), None, ""

    def _on_position(self, words: Sequence[str]) -> None:
        from phasezoo import games
        from phasezoo.apps.uci.positions import mended_fen, state_at
        from phasezoo.errors import PhasezooError
        from phasezoo.specs.text import one_line

        place = read_place(words)
        if isinstance(place, str):
            self._refused = place
            return
        game, sent = games.make(self.options.game), place.fen
        try:
            if sent is not None:
                fen, left_out = mended_fen(sent, game)
                place = replace(place, fen=fen)
                for text in left_out:
                    self._info(f"position: {text}")
            self._state = state_at(place, game)
        except PhasezooError as error:
            reason = str(error).replace(f"'{place.fen}'", f"'{sent}'")
            self._refused = f"position: {one_line(reason)}"
            return
        self._place, self._refused = place, ""

    def _on_go(self, words: Sequence[str]) -> None:
        from phasezoo import games
        from phasezoo.apps.uci.positions import state_at, unclaimed
        from phasezoo.apps.uci.search import Search, View

        go, complaints = read_go(words)
        for complaint in complaints:
            self._info(complaint)
        self._stop_and_wait()
        state, refused = None, self.options.refusal or self._refused
        if not refused:
            game = games.make(self.options.game)
            if self._state is None:
                self._state = state_at(self._place, game)
            state = unclaimed(self._state, game)
            if state is not self._state:
                self._info("drawn, if a player claims it: goes on as if nobody did")
        options = self.options
        view = View(
            options.number("Move Overhead"),
            options.number("Hash"),
            options.is_on("UCI_ShowWDL"),
            options.number("MultiPV"),
        )
        search = Search(go, state, view, self._say, self._alarm, refused)
        self._prepare()
        self._search = search
        if self._player is not None and self._player.searches and search.is_short:
            search.run(self._player)
        else:
            self._jobs.put((search, self._player))

    def _on_stop(self, words: Sequence[str]) -> None:
        if self._search is not None:
            self._search.stop()

    def _on_ponderhit(self, words: Sequence[str]) -> None:
        if self._search is not None:
            self._search.ponderhit()

    @property
    def _is_searching(self) -> bool:
        return self._search is not None and not self._search.done.is_set()

    def _stop_and_wait(self) -> None:
        if self._search is not None:
            self._search.stop()
            self._search.done.wait()
            self._search = None

    def _prepare(self) -> None:
        """Load the agent as the options want it, if it is not, and all that a search needs."""
        from phasezoo.apps.uci import positions, report, search  # noqa: F401 - no clock runs yet

        self._alarm.start()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="phasezoo-uci", daemon=True)
            self._thread.start()
        try:
            self._load()
        except Exception as error:  # whatever agents and evaluators of one's own raise
            self.failure = error
            self._say(report.error_line(error))

    def _load(self) -> None:
        """Load the agent if the options want it otherwise; make a player of it for each game."""
        from phasezoo import games
        from phasezoo.apps.uci import player

        options = self.options
        loaded = (options.game, *options.loaded)
        is_new = self._loaded != loaded
        if is_new:
            self._loaded, self._agent, self._made, self._player = loaded, None, None, None
            text = self._texts.get(options["UCI_Variant"]) or next(iter(self._texts.values()))
            # The package's networks differ: what the options say may be meant for another one.
            left_out = self._info if len(set(self._texts.values())) > 1 else None
            self._agent = player.load(text, options, left_out)
        made = (options.game, options["Hash"], self._games)
        if self._made == made or self._agent is None:
            return
        self._made, self._player = made, None
        agent = player.with_settings(self._agent, options)
        found = player.Player(agent, games.make(options.game), self._games)
        if is_new:
            found.warm_up()
            if self._settle is not None:
                self._settle()
        self._player = found

    def _work(self) -> None:
        """Search what is asked for, until there is nothing any more."""
        while (job := self._jobs.get()) is not None:
            search, player = job
            search.run(player)

    def _info(self, text: str) -> None:
        self._say(f"info string {' '.join(text.split())}")

    def _say(self, text: str) -> None:
        with self._writing:
            self._write(text)


def _playable(text: str) -> dict[str, str]:
    """The agent's text for each variant that it plays."""
    if not any(f"{name}=" in text for name in NETWORKS):
        # Nothing is imported for it.
        return dict.fromkeys(VARIANTS, text)
    from phasezoo.apps.uci.player import variants_of

    return dict.fromkeys(variants_of(text), text)

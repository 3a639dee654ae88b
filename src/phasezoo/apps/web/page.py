"""One open page: its requests and their answers."""

import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from phasezoo import games, gating
from phasezoo.agents import names as agent_names
from phasezoo.apps.web.agents import Agents, form_of
from phasezoo.apps.web.fields import LONGEST_MESSAGE, Fields, read_message
from phasezoo.apps.web.outbox import Outbox
from phasezoo.apps.web.phases import suggested_gates
from phasezoo.apps.web.pictures import Sight
from phasezoo.apps.web.positions import begins_as_pgn, is_pgn, started
from phasezoo.apps.web.recordings import Recording, games_in, pasted, recording
from phasezoo.apps.web.search import Searcher
from phasezoo.apps.web.session import GameSession
from phasezoo.apps.web.sessions import Sessions
from phasezoo.apps.web.showing import shown, text_of
from phasezoo.apps.web.storage import SAMPLES, TRAINING, Storage
from phasezoo.apps.web.training_runs import followed
from phasezoo.envs.rendering.choice import pointing_of, sides_of
from phasezoo.errors import InvalidConfig, PhasezooError
from phasezoo.games.failures import describe_failure

MOST_GAMES = 64
"""Games that a page watches at once."""

MOST_PACE = 10.0
"""Seconds between plies of agents."""

Handler = Callable[[Fields], Awaitable[Any]]


class Page:
    """Answers the messages of one page; each may name only games that it knows the name of.

    Args:
        sessions: All games.
        agents: All agents.
        storage: Finished games and runs that may be looked into.
        outbox: Takes messages for the page.
    """

    def __init__(
        self, sessions: Sessions, agents: Agents, storage: Storage, outbox: Outbox
    ) -> None:
        self._sessions = sessions
        self._agents = agents
        self._storage = storage
        self._outbox = outbox
        self._sights: dict[str, Sight] = {}
        self._at: dict[str, int | None] = {}
        self._drawn: dict[str, str] = {}
        self._does: dict[str, Handler] = {
            name.removeprefix("do_"): getattr(self, name)
            for name in dir(type(self))
            if name.startswith("do_")
        }

    async def hear(self, text: str) -> None:
        """Answer a message; whatever is wrong with it, the answer says so."""
        number: Any = None
        try:
            given = read_message(text)
            number = given.get("re")
            if not isinstance(number, int | None):
                number = None
            answer = await self._carry_out(given)
        except PhasezooError as error:
            self._outbox.reply(_refusal(number, type(error).__name__, str(error)))
        except Exception:
            logging.getLogger("phasezoo.web").exception("a message could not be answered")
            message = "the server failed; its log has more"
            self._outbox.reply(_refusal(number, "InternalError", message))
        else:
            self._outbox.reply({"re": number, "ok": answer})

    async def _carry_out(self, given: Mapping[str, Any]) -> Any:
        fields = Fields(given)
        what = fields.text("do", 40)
        does = self._does.get(what)
        if does is None:
            message = f"{what!r}: no such request; known are {', '.join(sorted(self._does))}"
            raise InvalidConfig(message)
        return await does(fields)

    def leave(self) -> None:
        """The page was closed."""
        for name in list(self._sights):
            self._sessions.leave(name, self._changed)
        self._sights.clear()

    # What pages may ask for

    async def do_hello(self, fields: Fields) -> dict[str, Any]:
        """List the games, and the agents that play them."""
        listed = {}
        for name in games.names():
            game = games.make(name)
            pointing = pointing_of(game)
            listed[name] = {
                "num_players": game.num_players,
                "sides": sides_of(game),
                "at_once": bool(game.search_others),
                "hidden": game.is_hidden,
                "options": list(game.option_names),
                "position": _notation(game),
                "pgn": hasattr(game.state_type, "san"),
                "draws": game.draws_start(game.options) or "start" in game.option_names,
                "gates": suggested_gates(game),
                "agents": self._agents.suggestions(game),
                "flips": pointing is not None and pointing.flips,
            }
        return {"games": listed, "agents": list(agent_names()), "storage": self._storage.names()}

    async def do_new(self, fields: Fields) -> dict[str, str]:
        """Begin a game, or go on with one whose moves are given, and watch it."""
        self._check_room()
        game = games.make(fields.text("game", 200), **_options(fields.mapping("options")))
        given, found = fields.text_or_none("position", LONGEST_MESSAGE), None
        if given and hasattr(game.state_type, "san") and begins_as_pgn(given):
            found = await self._sessions.workers.run(lambda: pasted(given))
            game = found.game
        seed = fields.number_or("seed", None, 0, 2**53)
        seed = secrets.randbelow(2**32) if seed is None else seed
        texts = fields.texts_or_none("players", game.num_players)
        if found is not None and not any(texts):
            return await self._opened(found, fields)
        start = started(game, fields, seed) if found is None else found.start
        searchers = [await self._searcher(text, game, k, seed) for k, text in enumerate(texts)]
        gates = await self._gates(fields, game)
        session = self._sessions.open(game, start)
        if found is not None:
            _show(found, session)
            session.plays = True
        session.compare(gates)
        for player, searcher in enumerate(searchers):
            session.assign(player, searcher)
        session.pace = fields.seconds("pace", 0.0, MOST_PACE)
        persons = [player for player, text in enumerate(texts) if text is None]
        self._watch(session, _sight_of(game, persons))
        session.go_on()
        return {"game": session.name}

    async def do_join(self, fields: Fields) -> dict[str, str]:
        """Watch a game that goes on."""
        session = self._session(fields)
        self._join(session)
        self._drawn.pop(session.name, None)  # the page may show another game's picture meanwhile
        self._changed(session)
        return {"game": session.name}

    async def do_leave(self, fields: Fields) -> None:
        """Watch a game no longer."""
        name = fields.text("game", 64)
        if self._sights.pop(name, None) is not None:
            self._at.pop(name, None)
            self._drawn.pop(name, None)
            self._outbox.drop(name)
            self._sessions.leave(name, self._changed)

    async def do_play(self, fields: Fields) -> None:
        """A person's action."""
        session = self._session(fields)
        at = session.play(fields.number("ply", 0, 10**6), fields.number("action", 0, 2**31))
        self._go_to(session, at)

    async def do_undo(self, fields: Fields) -> None:
        """Take moves back."""
        session = self._session(fields)
        self._at[session.name] = None
        session.undo(fields.number_or("to", None, 0, 10**6))

    async def do_set(self, fields: Fields) -> None:
        """Begin anew from a position."""
        session = self._session(fields)
        seed = fields.number_or("seed", 0, 0, 2**53)
        start = started(session.game, fields, 0 if seed is None else seed)
        self._at[session.name] = None
        session.title = None
        session.begin(start)
        session.plays = True
        session.go_on()

    async def do_show(self, fields: Fields) -> None:
        """Look at another ply or variation, or at it from another side."""
        session = self._session(fields)
        self._join(session)
        sight = self._sights[session.name]
        players = session.game.num_players - 1
        viewer = sight.viewer
        if "viewer" in fields:
            viewer = fields.number_or("viewer", None, 0, players)
        self._sights[session.name] = Sight(fields.flag("flipped", sight.flipped), viewer)
        if "position" in fields:
            self._go_to(session, session.switch(fields.number("position", 0, 2**31)))
        elif "at" in fields:
            self._go_to(session, fields.number_or("at", None, 0, session.ply))
        self._changed(session)

    async def do_assign(self, fields: Fields) -> None:
        """Let an agent, or a person, play for a player."""
        session = self._session(fields)
        player = fields.number("player", 0, session.game.num_players - 1)
        text = fields.text_or_none("agent")
        searcher = await self._searcher(text, session.game, player, secrets.randbelow(2**32))
        session.assign(player, searcher)
        session.run(on=True)

    async def do_form(self, fields: Fields) -> dict[str, Any]:
        """The options of an agent, and their values in a text."""
        return form_of(fields.text("agent"))

    async def do_spell(self, fields: Fields) -> str:
        """The text of an agent with the options of a form, or one that was typed, if it is read."""
        if "text" in fields:
            return self._agents.checked_text(fields.text("text"))
        return self._agents.text_of_form(fields.text("name", 200), fields.mapping("options"))

    async def do_run(self, fields: Fields) -> None:
        """Let agents move, or not."""
        session = self._session(fields)
        session.pace = fields.seconds("pace", session.pace, MOST_PACE)
        session.run(on=fields.flag("on"))

    async def do_hurry(self, fields: Fields) -> None:
        """Those who think play what they have found."""
        self._session(fields).hurry()

    async def do_look(self, fields: Fields) -> None:
        """Let an agent look at the position on the board."""
        session = self._session(fields)
        on = fields.flag("on")
        player = fields.number_or("player", 0, 0, session.game.num_players - 1) or 0
        searcher = None
        if on:
            searcher = await self._searcher(fields.text("agent"), session.game, player, 0)
        session.look(searcher, player)

    async def do_review(self, fields: Fields) -> None:
        """Let an agent analyse every position of the game."""
        session = self._session(fields)
        searcher = None
        if fields.flag("on"):
            searcher = await self._searcher(fields.text("agent"), session.game, 0, 0)
        session.review(searcher)

    async def do_gates(self, fields: Fields) -> None:
        """Show phases by one gate or two; without any, by those of the agents who play."""
        session = self._session(fields)
        session.compare(await self._gates(fields, session.game))
        self._changed(session)

    async def do_text(self, fields: Fields) -> str:
        """A game, or the position on the board, as a text."""
        return text_of(self._session(fields), fields.text("kind", 20))

    async def do_paste(self, fields: Fields) -> dict[str, str]:
        """Open a game in PGN, or set a game that is watched to a position."""
        text = fields.text("position", LONGEST_MESSAGE)
        game = games.make(fields.text("kind", 200))
        session = self._session(fields) if "game" in fields else None
        if session is not None:
            game = session.game
        if not text.strip():
            message = "the text is empty: paste a position or PGN"
            raise InvalidConfig(message)
        if is_pgn(game, text):
            self._check_room()
            found = await self._sessions.workers.run(lambda: pasted(text))
            return await self._opened(found, fields)
        if session is not None:
            await self.do_set(fields)
            return {"game": session.name}
        return await self.do_new(Fields({**fields.given, "game": game.name, "players": []}))

    # What lies in the folders of runs

    async def do_storage(self, fields: Fields) -> list[dict[str, str]]:
        """List a folder."""
        root = fields.text("root", 300)
        if root == SAMPLES:
            listed = await self._sessions.workers.run(lambda: games_in(self._storage, root, "", 0))
            return [{"path": name, "kind": "store"} for name in listed["samples"]]
        items = await self._sessions.workers.run(lambda: self._storage.items(root))
        return [item._asdict() for item in items]

    async def do_games(self, fields: Fields) -> dict[str, Any]:
        """The games of a store or file."""
        root, path = fields.text("root", 300), fields.text("path")
        first = fields.number_or("first", 0, 0, 2**40) or 0
        return await self._sessions.workers.run(lambda: games_in(self._storage, root, path, first))

    async def do_open(self, fields: Fields) -> dict[str, str]:
        """Step through a finished game, which can be played on from anywhere."""
        self._check_room()
        root, path = fields.text("root", 300), fields.text("path")
        number = fields.number_or("number", 0, 0, 2**40) or 0
        found = await self._sessions.workers.run(
            lambda: recording(self._storage, root, path, number)
        )
        return await self._opened(found, fields)

    async def do_training(self, fields: Fields) -> dict[str, Any]:
        """The numbers of a run so far."""
        path = self._storage.find(fields.text("root", 300), fields.text("path"))
        if path.name != TRAINING:
            message = f"{path.name}: training is followed by its {TRAINING}"
            raise InvalidConfig(message)
        return await self._sessions.workers.run(lambda: followed(path))

    # Helpers

    def _go_to(self, session: GameSession, at: int | None) -> None:
        """Show a ply, or with None, and at the last one, where the game stands."""
        self._at[session.name] = None if at == session.ply else at
        session.look_at(session.ply if at is None else at)
        self._changed(session)

    async def _opened(self, found: Recording, fields: Fields) -> dict[str, str]:
        """Watch a finished game from its start."""
        gates = await self._gates(fields, found.game)
        session = self._sessions.open(found.game, found.start)
        _show(found, session)
        session.compare(gates)
        self._watch(session, Sight())
        self._go_to(session, 0)
        return {"game": session.name}

    def _check_room(self) -> None:
        if len(self._sights) >= MOST_GAMES:
            message = f"this page watches {MOST_GAMES} games already: leave one of them first"
            raise InvalidConfig(message)

    def _session(self, fields: Fields) -> GameSession:
        return self._sessions.find(fields.text("game", 64))

    async def _searcher(
        self, text: str | None, game: games.Game, player: int, seed: int
    ) -> Searcher | None:
        """Load an agent for a player; None for a person. Networks are loaded in another thread."""
        if text is None:
            return None

        workers = self._sessions.workers
        agent, lock = await self._agents.get(text, workers)
        bounds = self._agents.bounds
        return await workers.run(
            lambda: Searcher(agent, text, game, player, seed + player, lock, bounds)
        )

    async def _gates(self, fields: Fields, game: games.Game) -> list[Any]:
        """The gates that a page names; those that are folders are read in another thread."""
        given = (fields.text_or_none("gate", 200), fields.text_or_none("other_gate", 200))
        specs = [spec for spec in given if spec is not None]
        for spec in specs:
            self._agents.check_gate(spec)
        if not specs:
            return []
        return await self._sessions.workers.run(
            lambda: [gating.make(each, game.name) for each in specs]
        )

    def _join(self, session: GameSession) -> None:
        """Watch a game, unless the page does already."""
        if session.name not in self._sights:
            self._check_room()
            persons = session.persons()
            self._watch(session, _sight_of(session.game, persons))

    def _watch(self, session: GameSession, sight: Sight) -> None:
        self._sights[session.name] = sight
        self._at[session.name] = None
        self._sessions.watch(session, self._changed)

    def _changed(self, session: GameSession) -> None:
        """There is something new to show of a game."""
        if session.name in self._sights:
            self._outbox.renew(session.name, lambda: self._shown(session))

    def _shown(self, session: GameSession) -> dict[str, Any] | None:
        sight, at = self._sights.get(session.name), self._at.get(session.name)
        if sight is None:
            return None
        if at is not None and at > session.ply:
            at = self._at[session.name] = None
        try:
            board = shown(session, sight, at)
        except PhasezooError as error:
            return {"push": "trouble", "game": session.name, "message": str(error)}
        except Exception as error:
            logging.getLogger("phasezoo.web").exception("a game could not be shown")
            message = describe_failure(error, session.game) or (
                f"game {session.game.name!r} cannot be shown: {type(error).__name__}: {error}; "
                "phasezoo check says more of a game of your own, and the server's log where"
            )
            return {"push": "trouble", "game": session.name, "message": message}
        svg = board["board"]["svg"]
        if self._drawn.get(session.name) == svg:  # the page has it
            board["board"]["svg"] = None
        self._drawn[session.name] = svg
        return {"push": "game", **board, "flipped": sight.flipped, "viewer": sight.viewer}


def _refusal(number: Any, kind: str, message: str) -> dict[str, Any]:
    return {"re": number, "error": {"kind": kind, "message": message[:2_000]}}


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a game: short values by names that Python may have."""
    if len(given) > 16 or not all(isinstance(key, str) and key.isidentifier() for key in given):
        message = f"options={str(given)[:60]}: expected names and values"
        raise InvalidConfig(message)
    return dict(given)


def _show(found: Recording, session: GameSession) -> None:
    """Put a finished game into a new session."""
    session.load(found.plies, found.variations, found.result)
    session.title, session.names, session.tags = found.title, found.players, found.tags


def _sight_of(game: games.Game, persons: list[int]) -> Sight:
    """How a page first looks at a game: as its only person does."""
    if len(persons) != 1:
        return Sight()
    return Sight(persons[0] == 1, persons[0] if game.is_hidden else None)


def _notation(game: games.Game) -> str | None:
    """Return the name of the notation of a game's positions."""
    if game.parse_position is not None:
        return "FEN"
    if game.parse_columns is not None:
        return "columns"
    return "JSON" if game.parse_json is not None else None

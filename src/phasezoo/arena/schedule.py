"""The games of a match: openings, players, seeds."""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from phasezoo.arena.concurrent_games import Scheduled
from phasezoo.arena.openings import OpeningSuite
from phasezoo.arena.records import GameRecord
from phasezoo.arena.streams import stream
from phasezoo.checking import shown
from phasezoo.errors import InvalidConfig, PhasezooError
from phasezoo.games import Game
from phasezoo.games.contracts import checked_returns
from phasezoo.games.options import between
from phasezoo.games.queries import action_of
from phasezoo.specs import check_value

OpeningsAs = Literal["moves", "fen"]
"""How games start: with the opening's moves as their history, or at its last position without."""

MOST_GAMES = 10**15
"""Games of each pairing, at the most: more could not be counted in a large tournament."""

_WON_AND_LOST = ((1.0, -1.0), (-1.0, 1.0))
_RETURNS = {
    "resignation": _WON_AND_LOST,
    "agreement": ((0.0, 0.0),),
    "tables": (*_WON_AND_LOST, (0.0, 0.0)),
    "forfeit": (*_WON_AND_LOST, (-1.0, -1.0)),
}
"""Returns of two players by the ending of a game that the rules did not end."""


class _Places(NamedTuple):
    """Sides and seeds of a game."""

    group: int
    pairing: tuple[int, int]
    sides: tuple[int, ...]
    seeds: tuple[int, ...]


class Schedule:
    """The games of a match or of several, each known by its number alone.

    Game number n belongs to a group of as many games as there are players, in which side 0 is each
    player once. With several pairings the first group of each comes first, then the second of
    each, with the same openings.

    Args:
        game: What is played, by at least two players.
        suite: The openings.
        games: A multiple of the number of players.
        seed: The match's seed.
        openings_as: See :data:`OpeningsAs`.
        pairings: The agents that are sides 0 and 1, of each match; ``games`` are those of each.
        max_plies: Plies at which a game is cut; None for no cap.

    Raises:
        InvalidConfig: An argument is out of range.
    """

    def __init__(
        self,
        game: Game,
        suite: OpeningSuite,
        games: int,
        seed: int,
        openings_as: OpeningsAs,
        pairings: Sequence[tuple[int, int]] = ((0, 1),),
        max_plies: int | None = None,
    ) -> None:
        if game.num_players < 2:
            message = f"{game.name!r} has one player: a match needs two sides"
            raise InvalidConfig(message)
        if between("games", games, 1, MOST_GAMES) % game.num_players:
            wanted = "even" if game.num_players == 2 else f"a multiple of {game.num_players}"
            message = (
                f"games={games}: must be {wanted}, because each opening is played once with side 0 "
                f"as each player; give {max(games - games % game.num_players, game.num_players)}"
            )
            raise InvalidConfig(message)
        check_value("openings_as", OpeningsAs, openings_as)
        self._game = game
        self._suite = suite
        self._games = games * len(pairings)
        self._pairings = tuple(pairings)
        self._seed = seed
        self._as = openings_as
        self._max_plies = max_plies
        # A user's own game does not say whether its seed draws anything.
        self._draws = game.takes_seed and (game.draws_start(game.options) or not game.native)
        self._has_fen = game.parse_position is not None

    def __len__(self) -> int:
        return self._games

    @property
    def has_one_start(self) -> bool:
        """Whether all games start alike."""
        return len(self._suite) == 1 and (not self._draws or self._suite.start(0) is not None)

    def games(self, skip: Collection[int] = ()) -> Iterator[Scheduled]:
        """Yield the games in order of their numbers, without those in ``skip``."""
        for number in range(self._games):
            if number not in skip:
                yield self._scheduled(number)

    def checked(self, completed: Sequence[object]) -> list[GameRecord]:
        """Return games finished earlier, by number; refuse others, repeated and changed ones."""
        done: dict[int, GameRecord] = {}
        for record in completed:
            if not isinstance(record, GameRecord):
                message = f"completed: {shown(record)} is no arena.GameRecord"
                raise InvalidConfig(message)
            known = 0 <= record.number < self._games
            if not known or self._of(record) != self._places(record.number):
                message = f"completed game {record.number} was not played with this match's seeds"
                raise InvalidConfig(message)
            if record.number in done:
                message = (
                    f"completed game {record.number} is given twice; leave one out (remove its "
                    "line from a log)"
                )
                raise InvalidConfig(message)
            fault = self._fault_of(record)
            if fault is not None:
                message = (
                    f"completed game {record.number} was changed after it was played: {fault}; "
                    "leave it out (remove its line from a log) to have it played again"
                )
                raise InvalidConfig(message)
            done[record.number] = record
        return [done[number] for number in sorted(done)]

    def _fault_of(self, record: GameRecord) -> str | None:
        """Play a finished game again; return what does not fit, or None."""
        scheduled = self._scheduled(record.number)
        for name in ("opening", "opening_moves", "start_fen", "start"):
            if getattr(record, name) != getattr(scheduled, name):
                return f"its {name} is not this match's"
        state = scheduled.history[-1]
        try:
            for text in record.moves:
                state = state.play(action_of(state, text))
        except (PhasezooError, ValueError) as error:
            return str(error)
        if state.is_terminal != (record.ending == "rules"):
            over = "over" if state.is_terminal else "not over"
            return f"the game is {over} after its moves, and it has ending={record.ending!r}"
        cap = self._max_plies
        if record.ending == "max_plies" and (cap is None or record.plies < cap):
            return f"it has {record.plies} plies and ending='max_plies', and games are cut at {cap}"
        expected = _RETURNS.get(record.ending, ((0.0,) * self._game.num_players,))
        if state.is_terminal:
            expected = (checked_returns(state, self._game.num_players),)
        if record.returns not in expected:
            return f"returns={record.returns} do not follow from its moves and its ending"
        return None

    @staticmethod
    def _of(record: GameRecord) -> "_Places":
        return _Places(record.group, record.pairing, record.sides, record.seeds)

    def _places(self, number: int) -> "_Places":
        groups, colour = divmod(number, self._game.num_players)
        group, index = divmod(groups, len(self._pairings))
        players = range(self._game.num_players)
        sides = tuple(0 if player == colour else 1 for player in players)
        pairing = self._pairings[index]
        of = () if len(self._pairings) == 1 else pairing
        seeds = tuple(stream(self._seed, "match", *of, group, colour, player) for player in players)
        return _Places(group, pairing, sides, seeds)

    def _scheduled(self, number: int) -> Scheduled:
        group, pairing, sides, seeds = self._places(number)
        opening = self._suite.drawn(group, self._seed)
        moves = self._suite.lines[opening]
        seed = stream(self._seed, "start", group)
        history = self._suite.states(opening, seed, self._game)
        if self._as == "fen":
            history, moves = [self._game.from_fen(history[-1].fen)], ()
        return Scheduled(
            number=number,
            group=group,
            sides=sides,
            seeds=seeds,
            opening=opening,
            opening_moves=moves,
            start_fen=getattr(history[0], "start_fen", None),
            history=tuple(history),
            start=f"seed:{seed}" if self._draws and not self._has_fen else "",
            pairing=pairing,
        )

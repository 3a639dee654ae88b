"""Ending a match as soon as a sequential test decides."""

from collections.abc import Iterable, Sequence

from phasezoo.arena.records import GameRecord
from phasezoo.arena.statistics.sprt import Sprt, SprtVerdict
from phasezoo.checking import shown
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game


class SequentialTest:
    """Feeds a test the pairs of a match in order of their numbers, whichever ends first.

    So the same match ends at the same pair however many games are played at once.

    Args:
        test: The test.

    Raises:
        InvalidConfig: It is not a test.
    """

    def __init__(self, test: object) -> None:
        if not isinstance(test, Sprt):
            message = f"sprt={shown(test)}: expected is arena.Sprt(elo0, elo1)"
            raise InvalidConfig(message)
        self._test = test
        self._counts = [0] * 5
        self._waiting: dict[int, list[float]] = {}
        self._next = 0
        self.verdict: SprtVerdict = test.verdict(self._counts)
        """Verdict on the leading run of pairs that are complete; later pairs do not count yet."""

    @property
    def is_decided(self) -> bool:
        """Whether the match is over."""
        return self.verdict.decision != "continue"

    def add(self, records: Iterable[GameRecord]) -> None:
        """Take finished games into account."""
        for record in records:
            self._waiting.setdefault(record.group, []).append(record.score)
        while not self.is_decided and len(self._waiting.get(self._next, ())) == 2:
            self._counts[round(2 * sum(self._waiting.pop(self._next)))] += 1
            self._next += 1
            self.verdict = self._test.verdict(self._counts)

    def counted(self, records: Sequence[GameRecord]) -> list[GameRecord]:
        """Return the games of the match: those up to the pair at which the test decided."""
        if not self.is_decided:
            return list(records)
        return [record for record in records if record.group < self._next]


def sequential_test(sprt: object, players: int, game: Game) -> SequentialTest | None:
    """Return the test that may end a match of ``players`` agents early; None without one."""
    if sprt is None:
        return None
    if players != 2:
        message = f"sprt is for two players, here are {players}"
        raise InvalidConfig(message)
    if game.num_players != 2:
        message = f"sprt is for two players, {game.name} has {game.num_players}"
        raise InvalidConfig(message)
    return SequentialTest(sprt)

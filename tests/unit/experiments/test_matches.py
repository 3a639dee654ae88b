"""Matches as stages of a study: their progress, and going on with them."""

import contextlib

from phasezoo.arena.log import finished_games
from phasezoo.experiments.matches import play


class Watched:
    """A console that keeps what it was told of progress."""

    def __init__(self):
        self.updates = []

    @contextlib.contextmanager
    def task(self, title, total):
        assert (title, total) == ("One against two", 4)
        yield self

    def update(self, done, text):
        self.updates.append((done, text))


def test_a_match_goes_on_with_its_games_and_score(tmp_path):
    log = tmp_path / "match.jsonl"
    assert finished_games(log) == []

    def played(console):
        players = {"one": "random", "two": "random"}
        return play(console, "One against two", players, log, games=4, game="connect-four", seed=1)

    first, again = Watched(), Watched()
    match = played(first)
    assert [side.name for side in match.sides] == ["one", "two"]
    assert [done for done, _ in first.updates] == [1, 2, 3, 4]
    score = f"4 games: +{match.wins} ={match.draws} −{match.losses}, Elo "
    assert first.updates[-1][1].startswith(score)
    assert sorted(finished_games(log), key=lambda game: game.number) == list(match.games)
    assert match.mean_plies == sum(game.plies for game in match.games) / 4

    kept = log.read_bytes().rpartition(b'{"game"')[0]
    kept = kept.replace(b'"numpy":"', b'"numpy":"1', 1)  # begun with another version
    log.write_bytes(kept + b'{"game"')  # killed while writing
    assert len(finished_games(log)) == 3
    assert played(again).games == match.games
    assert [done for done, _ in again.updates] == [1, 2, 3, 4]
    assert again.updates[-1] == first.updates[-1]
    assert b'\n{"record":' in log.read_bytes()
    assert sorted(finished_games(log), key=lambda game: game.number) == list(match.games)

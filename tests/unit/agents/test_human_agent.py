"""A person at the terminal, played by a list of lines."""

import io
import itertools
import sys

import gymnasium as gym
import pytest

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo import agents, arena, games
from phasezoo.apps import cli
from phasezoo.errors import GameForfeited, InvalidConfig, PhasezooError


def person(*lines):
    """An agent that answers with ``lines`` and then has no more, and what it was shown."""
    waiting, shown = iter(lines), []

    def ask(question):
        shown.append(question)
        try:
            return next(waiting)
        except StopIteration:
            raise EOFError from None

    return agents.HumanAgent(ask, shown.append), shown


def test_moves_are_read_in_every_notation_and_bad_ones_asked_for_again():
    state = games.make("chess").initial_state()
    e4 = state.parse_uci("e2e4")
    for text in ("e2e4", "e4", " e4 ", str(e4)):
        assert person(text)[0].session(0).act(state) == e4
    human, shown = person("", "e5", "Nf9", "-3", "4671", "9" * 30, "?", "²", "e4")
    assert human.session(0).act(state) == e4
    text = "\n".join(shown)
    for wrong in ("e5", "Nf9", "-3", "4671", "²"):
        assert f"{wrong!r} is no legal move here; legal are" in text
    assert "Nf3" in text  # moves are listed
    assert "rnbqkbnr" in text or "r n b q k b n r" in text.lower()


def test_games_without_notation():
    four = games.make("connect-four").initial_state()
    human, shown = person("8", "0", "3")  # the columns as they are numbered below the board
    assert human.session(0).act(four) == 2
    assert "'0' is no legal move here; legal are 1, 2, 3, 4, 5, 6, 7" in shown
    assert shown[1].startswith("Vermilion (X), your move")
    ffa = games.make("pommerman-ffa").initial_state(seed=1)
    for bomb in ("5", "bomb"):
        assert person("6", bomb)[0].session(0).act(ffa, 2) == 5


def test_an_opening_that_was_played_is_told_once():
    human, shown = person("3", "4", "5")
    session = human.session(0)
    state = games.make("connect-four").from_columns("4453")
    session.act(state)
    assert shown[0].startswith("This game begins with an opening of 4 plies")
    session.act(state)
    assert sum("opening" in text for text in shown) == 1
    other, shown = person("3")
    other.session(0).act(games.make("connect-four").from_columns("4"))
    assert not any("opening" in text for text in shown)


def test_giving_up_loses_a_match():
    human, _ = person("resign", "resign")
    match = arena.play_match(human, "random", games=2, seed=1)
    assert match.losses == 2
    assert {(r.ending, r.reason) for r in match.games} == {("forfeit", "resignation")}
    assert "human gave up" in match.games[0].note


def test_the_end_of_the_input_ends_a_match_and_counts_nothing(tmp_path):
    log = tmp_path / "games.jsonl"
    with pytest.raises(PhasezooError, match="input has ended") as error:
        arena.play_match(person("resign")[0], "random", games=4, seed=1, log=log)
    assert "1 games had been finished" in " ".join(error.value.__notes__)
    assert not isinstance(error.value, GameForfeited)


def test_a_standard_input_that_is_closed_has_ended(monkeypatch):
    closed = io.StringIO()
    closed.close()
    for given in (None, closed):
        monkeypatch.setattr(sys, "stdin", given)
        with pytest.raises(PhasezooError, match="the input has ended"):
            arena.play_match(agents.HumanAgent(), "random", game="connect-four", games=2, seed=1)


def test_one_game_at_a_time():
    def plies(**options):
        seen = []

        class Watched(agents.HumanAgent):
            def choose(self, state, player=None):
                seen.append(state.ply)
                return int(state.legal_actions[0])

        arena.play_match(Watched(), "random", game="connect-four", games=6, seed=1, **options)
        return [after < before for before, after in itertools.pairwise(seen)]

    assert sum(plies()) == 5  # plies fall from one game to the next alone
    assert sum(plies(concurrency=6)) != 5


def test_giving_up_in_an_environment_raises():
    env = gym.make("Chess-v0", opponent=person("resign")[0], agent_color="black")
    with pytest.raises(GameForfeited, match="human gave up as player 0") as error:
        env.reset(seed=1)
    assert error.value.reason == "resignation"


def test_giving_up_among_more_than_two_is_said():
    with pytest.raises(GameForfeited, match="counted for two players alone"):
        arena.play_match(
            person("resign")[0], "simple", game="pommerman-ffa", games=4, seed=1, max_plies=5
        )


def test_the_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("e9\ne4\n"))
    state = games.make("chess").initial_state()
    session = agents.make("human:name=Ann").session(0)
    assert session.act(state) == state.parse_uci("e2e4")
    with pytest.raises(PhasezooError, match="Ann: the input has ended"):
        session.act(state)
    shown = capsys.readouterr().out
    assert "your move" in shown
    assert "'e9' is no legal move here" in shown


def test_a_person_reads_how_each_game_of_a_match_ended(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("resign\n" * 2))
    words = ["match", "human", "random", "--game", "connect-four", "--games", "2"]
    assert cli.main(words) == 0
    shown = capsys.readouterr()
    ends = [line for line in shown.err.splitlines() if line.startswith("game ")]
    assert ends == [
        "game 1: 0-1 (resignation): human 0, random 1",
        "game 2: 1-0 (resignation): human 0, random 1",
    ]
    assert "This game begins with an opening" in shown.out


def test_unknown_options():
    with pytest.raises(InvalidConfig, match="no such option"):
        agents.make("human:nam=Ann")

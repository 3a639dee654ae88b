"""Lines of user interfaces, taken apart, and what engines say of numbers."""

import pytest

from phasezoo import agents
from phasezoo.apps.uci.commands import (
    Command,
    Go,
    Place,
    Setting,
    read_go,
    read_line,
    read_place,
    read_setting,
)
from phasezoo.apps.uci.go_limits import limit_of, most_ms
from phasezoo.apps.uci.options import OPTIONS, Options
from phasezoo.apps.uci.report import wdl


def test_words_before_a_command_are_passed_over():
    assert read_line("joho debug on\n") == Command("debug", ("on",))
    assert read_line("  go   nodes 5 ") == Command("go", ("nodes", "5"))
    assert read_line("joho") is None
    assert read_line("\x00\n") is None


@pytest.mark.parametrize(
    ("line", "go"),
    [
        ("", Go()),
        ("infinite", Go(infinite=True)),
        ("ponder wtime 1000 btime -5 winc 10 binc 0 movestogo 3", Go(
            wtime=1000, btime=0, winc=10, binc=0, movestogo=3, ponder=True)),
        ("searchmoves e2e4 d2d4 depth 3", Go(searchmoves=("e2e4", "d2d4"), depth=3)),
        ("nodes 99999999999999999999 mate 2 movetime 1", Go(nodes=2**31 - 1, mate=2, movetime=1)),
    ],
)  # fmt: skip
def test_searches_that_are_asked_for(line, go):
    assert read_go(line.split()) == (go, [])


@pytest.mark.parametrize(
    ("line", "go", "count"),
    [
        ("nodes", Go(), 1),
        ("nodes depth 3", Go(depth=3), 1),
        ("nodes x depth 3", Go(depth=3), 1),
        ("nodes 0 movetime -1 depth 0 mate ٣", Go(), 4),
        ("movetime 0", Go(movetime=0), 0),
        ("fast nodes 3", Go(nodes=3), 1),
        ("wtime -- btime 5", Go(btime=5), 1),
    ],
)
def test_what_cannot_be_read_is_told_and_passed_over(line, go, count):
    found, complaints = read_go(line.split())
    assert found == go
    assert len(complaints) == count


def test_positions_and_settings():
    assert read_place(["startpos", "moves", "e2e4"]) == Place(None, ("e2e4",))
    assert read_place(["fen", "8/8", "w", "-", "-", "0", "1"]) == Place("8/8 w - - 0 1", ())
    for wrong in ("", "moves e2e4", "fen", "startpos e2e4", "start"):
        assert isinstance(read_place(wrong.split()), str)
    assert read_setting(["name", "Move", "Overhead", "value", "30"]) == Setting(
        "Move Overhead", "30"
    )
    assert read_setting(["name", "Clear", "Hash"]) == Setting("Clear Hash", "")
    for wrong in ("", "name", "Hash value 3"):
        assert isinstance(read_setting(wrong.split()), str)


def test_options_take_what_they_tell():
    options = Options()
    for option in OPTIONS:
        assert options.set(Setting(option.name.upper(), option.default)) is None
        assert options[option.name] == option.default
        assert option.line().startswith(f"option name {option.name} type {option.kind} default ")
    assert options.game == "chess"
    assert options.set(Setting("UCI_Chess960", "True")) is None
    assert options.game == "chess960"
    assert options.set(Setting("UCI_Variant", "atomic")) is None
    assert options.game == "atomic"
    assert options.set(Setting("SyzygyPath", "/a b")) is None
    assert options["SyzygyPath"] == "/a b"
    assert options.set(Setting("SyzygyPath", "<empty>")) is None
    assert not options.is_set("SyzygyPath")
    before = [options[option.name] for option in OPTIONS]
    for name, value in [
        ("Hash", "0"), ("Hash", "x"), ("Hash", ""), ("Hash", "9" * 30), ("UCI_Variant", "3check"),
        ("Ponder", "yes"), ("Nalimov", "x"), ("", ""),
    ]:  # fmt: skip
        assert "setoption" in options.set(Setting(name, value))
    assert [options[option.name] for option in OPTIONS] == before


def test_limits_of_clocks():
    both = Go(wtime=10_000, winc=100, btime=5_000, movestogo=9)
    assert limit_of(both, 0, 50) == agents.Limit(
        clock=agents.TimeControl(10_000, 100, 9, overhead_ms=50)
    )
    assert limit_of(both, 1, 50, spent_ms=20).clock == agents.TimeControl(4_980, 0, 9, 50)
    assert limit_of(Go(btime=100), 0, 0).clock.left_ms == 100, "the other clock is the only one"
    assert limit_of(Go(wtime=10), 0, 0, spent_ms=20).clock.left_ms == 0
    assert limit_of(Go(ponder=True), 0, 0) is None
    assert limit_of(Go(movetime=100), 0, 30).movetime_ms == 70
    assert limit_of(Go(movetime=100), 0, 90).movetime_ms == 50
    assert limit_of(Go(movetime=1), 0, 0, spent_ms=5).movetime_ms > 0


def test_the_time_at_which_a_move_has_to_be_played():
    assert most_ms(Go(nodes=5), 0, 100) is None
    assert most_ms(Go(wtime=1000, btime=10), 0, 100) == 900
    assert most_ms(Go(wtime=1000, btime=10), 1, 100) == 5
    assert most_ms(Go(movetime=100), 0, 30) == 85
    assert most_ms(Go(movetime=0), 0, 30) is None, "nobody could keep to it"
    assert limit_of(Go(movetime=0), 0, 30).movetime_ms > 0
    assert most_ms(Go(movetime=100, wtime=60), 0, 30) == 30


def test_chances():
    assert wdl(0.0, 0.5) == (250, 500, 250)
    assert wdl(1.0, float("nan")) == (1000, 0, 0)
    assert wdl(-0.2, 0.9) == (0, 800, 200), "a value leaves no more room for draws"
    for value in (-1.0, -0.333, 0.0, 0.1, 0.999):
        for draws in (0.0, 0.25, 1.0):
            assert sum(wdl(value, draws)) == 1000
            assert min(wdl(value, draws)) >= 0

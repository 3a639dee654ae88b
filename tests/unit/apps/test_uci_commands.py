"""Lines of user interfaces, taken apart, and what engines say of numbers."""

import re

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
from phasezoo.apps.uci.options import OPTIONS, Options
from phasezoo.apps.uci.report import wdl, wdl_text
from phasezoo.apps.uci.search import limit_of, most_ms


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


@pytest.mark.parametrize(
    ("line", "go"),
    [
        ("wtime 2500.75 btime 900.0 winc 12.5 binc .5", Go(wtime=2500, btime=900, winc=12, binc=0)),
        ("wtime -0.5 btime -3.25", Go(wtime=0, btime=0)),
        ("nodes 2e3 movetime +40 depth 3.9", Go(nodes=2000, movetime=40, depth=3)),
        ("NODES 7 Infinite", Go(nodes=7, infinite=True)),
        ("nodes 1e999", Go(nodes=2**31 - 1)),
        ("SearchMoves A7A8Q b7-b8=N nodes 3", Go(searchmoves=("a7a8q", "b7b8n"), nodes=3)),
    ],
)
def test_what_sloppy_tools_write_of_searches(line, go):
    assert read_go(line.split()) == (go, [])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("movetime -40", "go movetime '-40': expected a number from 0"),
        ("movetime -0.5", "go movetime '-0.5': expected a number from 0"),
        ("nodes 0.9", "go nodes '0.9': expected a number from 1"),
        ("wtime 1_000", "go wtime '1_000': expected a number,"),
        ("btime nan", "go btime 'nan': expected a number,"),
        ("binc inf", "go binc 'inf': expected a number,"),
    ],
)
def test_what_is_out_of_range_is_refused_by_name(line, words):
    found, complaints = read_go(line.split())
    assert found == Go()
    assert [complaint.startswith(words) for complaint in complaints] == [True]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("StartPos Moves E2E4", Place(None, ("e2e4",))),
        ("fen startpos moves e2-e4 e7-e5", Place(None, ("e2e4", "e7e5"))),
        ("FEN 8/8 w - - 0 1 MOVES g7g8R h2xg1=Q p@E4", Place("8/8 w - - 0 1", (
            "g7g8r", "h2g1q", "P@e4"))),
        ("startpos moves", Place(None, ())),
        ("startpos moves 0000 e2e4e5 Q@", Place(None, ("0000", "e2e4e5", "Q@"))),
    ],
)  # fmt: skip
def test_what_sloppy_tools_write_of_positions(line, place):
    assert read_place(line.split()) == place


def test_keywords_in_any_case():
    assert read_line("\ufeffUCI\r\n") == Command("uci", ())
    assert read_line("SetOption NAME Hash VALUE 3") == Command(
        "setoption", ("NAME", "Hash", "VALUE", "3")
    )
    assert read_setting(["NAME", "Hash", "Value", "3"]) == Setting("Hash", "3")


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
        kind = r"type (spin|check|combo|string) default (\S+)( min \d+ max \d+)?( var \S+)*"
        assert re.fullmatch(f"option name {option.name} {kind}", option.line())
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
        ("Hash", "²"), ("Ponder", "yes"), ("Nalimov", "x"), ("", ""),
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
    assert limit_of(Go(movetime=100), 0, 30, spent_ms=5).movetime_ms == 65
    assert limit_of(Go(movetime=1), 0, 0, spent_ms=5).movetime_ms > 0


def test_the_time_at_which_a_move_has_to_be_played():
    assert most_ms(Go(nodes=5), 0, 100) is None
    assert most_ms(Go(wtime=1000, btime=10), 0, 100) == 900
    assert most_ms(Go(wtime=1000, btime=10), 1, 100) == 5
    assert most_ms(Go(movetime=100), 0, 30) == 85
    assert most_ms(Go(movetime=100), 0, 100) == 75, "later than the search, which has 50"
    assert most_ms(Go(movetime=10), 0, 100) == 7.5
    assert most_ms(Go(movetime=0), 0, 30) is None, "nobody could keep to it"
    assert limit_of(Go(movetime=0), 0, 30).movetime_ms > 0
    assert most_ms(Go(movetime=100, wtime=60), 0, 30) == 30


def test_chances():
    assert wdl(0.0, 0.5) == (250, 500, 250)
    texts = [wdl_text(value, float("nan"), is_shown=True) for value in (0.3, 1.0, -1.0)]
    assert texts == ["", " wdl 1000 0 0", " wdl 0 0 1000"]
    assert wdl(1.0, float("nan")) == (1000, 0, 0)
    assert wdl(-0.2, 0.9) == (0, 800, 200), "a value leaves no more room for draws"
    for value in (-1.0, -0.333, 0.0, 0.1, 0.999):
        for draws in (0.0, 0.25, 1.0):
            assert sum(wdl(value, draws)) == 1000
            assert min(wdl(value, draws)) >= 0


def test_options_offer_the_variants_that_the_agent_plays():
    one = Options(("atomic",))
    assert one.game == "atomic"
    lines = list(one.lines())
    assert "option name UCI_Variant type combo default atomic var atomic" in lines
    assert not any("UCI_Chess960" in line for line in lines)
    for name, value in (("UCI_Variant", "chess"), ("UCI_Chess960", "true")):
        assert "setoption" in one.set(Setting(name, value))
    assert one.game == "atomic"
    assert one.set(Setting("ExpertsPath", "/of/chess")) is None
    assert one.set(Setting("UCI_Variant", "chess")) is None, "the experts may be of any variant"

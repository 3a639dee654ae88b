"""The engine's answers, in this process."""

import queue
import re
import time

import chess
import chess.variant
import pytest
from chess.engine import Cp, PovScore
from uci_fakes import FAST, Spoken, told

from phasezoo import agents, games, inference
from phasezoo.agents.engines.session import _value
from phasezoo.apps.uci.alarm import Alarm
from phasezoo.apps.uci.commands import Go
from phasezoo.apps.uci.engine import Engine
from phasezoo.apps.uci.player import Player
from phasezoo.apps.uci.search import Search, View
from phasezoo.inference.other_games import parts_of

SCORED = re.compile(
    r"info depth \d+ seldepth \d+ multipv \d+ score (cp|mate) -?\d+( wdl \d+ \d+ \d+)? nodes \d+ "
    r"nps \d+ hashfull \d+ tbhits \d+ time \d+ pv( \S+)+"
)


@pytest.fixture
def spoken():
    found = Spoken()
    yield found
    found.engine.close()


def test_the_greeting_tells_who_it_is_and_every_option(spoken):
    lines = spoken.send("uci")
    assert lines[0].startswith("id name phasezoo")
    assert lines[1].startswith("id author ")
    assert lines[-1] == "uciok"
    named = {line.split(" type ")[0].removeprefix("option name ") for line in lines[2:-1]}
    assert named == {
        "Threads", "Hash", "Move Overhead", "MultiPV", "Ponder", "UCI_Variant", "UCI_Chess960",
        "UCI_ShowWDL", "SyzygyPath", "Gate", "Routing", "ExpertsPath",
    }  # fmt: skip


def test_a_search_is_answered_with_its_line_and_its_move(spoken):
    lines = spoken.ask("isready", "position startpos moves e2e4", "go nodes 50")
    assert lines[0] == "readyok"
    assert SCORED.fullmatch(lines[-2])
    assert int(told(lines[-2], "nodes")) >= 50
    move = told(lines[-1], "bestmove")
    assert move == told(lines[-2], "pv")
    state = (
        games.make("chess")
        .initial_state()
        .play(games.make("chess").initial_state().parse_uci("e2e4"))
    )
    state = state.play(state.parse_uci(move))
    assert state.parse_uci(told(lines[-1], "ponder")) in state.legal_actions


def test_without_isready_and_position_it_plays_all_the_same(spoken):
    assert len(spoken.ask("go")) >= 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("position startpos moves e2e5", "'e2e5': not a legal move"),
        ("position startpos moves e7e5 e7e5 e2e4", "'e7e5': not a legal move"),
        ("position fen 8/8/8/8 w - - 0 1", "expected 8 ranks"),
        ("position fen", "expected startpos or fen"),
        ("position", "expected startpos or fen"),
        ("position startpos moves e2e4 P@e4", "not a legal move"),
        ("position startpos moves e2e4 king", "not a UCI move"),
    ],
)
def test_what_is_no_position_has_no_move_until_a_good_one_comes(spoken, line, words):
    spoken.send("position fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    for go in ("go nodes 30", "go wtime 50 btime 50", "go searchmoves g6g7 mate 1"):
        told, best = spoken.ask(line, go)
        assert told.startswith("info string ")
        assert words in told
        assert best == "bestmove 0000"
    spoken.send("go infinite")
    time.sleep(0.05)
    assert len(spoken.moves()) == 3
    assert spoken.ask("stop")[-1] == "bestmove 0000"
    spoken.send("setoption name UCI_Variant value atomic")
    assert spoken.ask("go nodes 20")[-1] == "bestmove 0000"
    spoken.send("setoption name UCI_Variant value chess")
    for good in ("ucinewgame", "position startpos"):
        assert spoken.ask(good, "go nodes 20")[-1] != "bestmove 0000"
        spoken.send(line)


@pytest.mark.parametrize(
    ("sent", "meant", "told"),
    [
        ("4k2r/8/8/8/8/8/8/RN2K3 b KQkq - 3 9", "4k2r/8/8/8/8/8/8/RN2K3 b Qk - 3 9", ["KQkq"]),
        ("2r3k1/8/8/8/8/8/8/5RK1 w KQkq - 0 1", "2r3k1/8/8/8/8/8/8/5RK1 w - - 0 1", ["KQkq"]),
        ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", ["'KK'"]),
        ("4k3/8/8/8/8/8/8/4K2R w K- - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", []),
        ("4k3/8/8/8/4P3/8/8/4K3 w - E3 0 1", "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", ["'E3'"]),
        ("4k3/8/8/8/8/8/8/R3K3 b KQkq d6 0 1", "4k3/8/8/8/8/8/8/R3K3 b Q - 0 1", ["KQkq", "d6"]),
        ("4k3/8/8/8/8/8/P7/4K3 b - -", "4k3/8/8/8/8/8/P7/4K3 b - - 0 1", []),
        ("4k3/8/8/8/8/8/P7/4K3 b - - 17", "4k3/8/8/8/8/8/P7/4K3 b - - 17 1", []),
        ("4k3/8/8/8/8/8/P7/4K3 w", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", []),
        ("4k3/8/8/8/8/8/P7/4K3 w - 4 30", "4k3/8/8/8/8/8/P7/4K3 w - - 4 30", []),
        ("4k3/8/8/8/8/8/P7/4K3 White - - - -", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", []),
        ('4k3/8/8/8/8/8/P7/4K3 w - - bm a4; id "x";', "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", []),
        ('"4k3/8/8/8/8/8/P7/4K3 w - - 5 6" ;', "4k3/8/8/8/8/8/P7/4K3 w - - 5 6", []),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 5 6 ; c0", "4k3/8/8/8/8/8/P7/4K3 w - - 5 6", []),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 5 6; c0 7 8;", "4k3/8/8/8/8/8/P7/4K3 w - - 5 6", []),
        ('4k3/8/8/8/8/8/P7/4K3 w - - ; c0 "5";', "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", []),
        (
            '4k3/8/8/8/8/8/P7/4K3 w - - 5 6 bm a4; c0 "it moves" moves a2a4',
            "4k3/8/8/8/P7/8/8/4K3 b - - 0 6",
            [],
        ),
        ("4k3/8/8/8/8/8/P7/4K3[] w - - 5 6", "4k3/8/8/8/8/8/P7/4K3 w - - 5 6", []),
        ("4k3/8/8/8/8/8/P7/4K3[-] w - - 5 6", "4k3/8/8/8/8/8/P7/4K3 w - - 5 6", []),
        (" 4k3/8/8/8/8/8/P7/4K3  w - -\t5 6  ", "4k3/8/8/8/8/8/P7/4K3 w - - 5 6", []),
    ],
)
def test_positions_whose_meaning_is_plain_are_read_and_what_is_left_out_is_told(
    spoken, sent, meant, told
):
    answer = spoken.send(f"position fen {sent}")
    assert spoken.engine._state.fen == games.make("chess").from_fen(meant).fen
    assert len(answer) == len(told)
    assert all(word in line for word, line in zip(told, answer, strict=True))
    assert spoken.ask("go nodes 5")[-1] != "bestmove 0000"


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1", "set UCI_Chess960"),
        ("4k3/8/8/8/8/8/8/4K2R w Kx - 0 1", "expected castling rights"),
        ("4k3/8/8/8/8/8/8/4K3 w - z9 0 1", "expected an en passant square"),
        ("4k3/8/8/8/8/8/8/4K3", "expected the pieces, the side to move"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "expected the side to move"),
        ("4k3/8/8/8/8/8/8/4K3 w - - -3 1", "expected a halfmove clock"),
        ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1 7", "expected 6 fields"),
        ("8/8/8/8/8/8/8/4K3 w KQkq - 0 1", "expected one black king"),
        ("4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1", "no pockets"),
    ],
)
def test_positions_whose_meaning_is_not_plain_are_refused(spoken, sent, words):
    told, best = spoken.ask(f"position fen {sent}", "go nodes 5")
    assert words in told
    assert best == "bestmove 0000"


@pytest.mark.parametrize(
    ("variant", "sent"),
    [
        ("atomic", "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1"),
        ("atomic", "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge -"),
        ("atomic", "8/8/8/8/8/8/4k3/1R3KR1 w GB - 0 1"),
        ("crazyhouse", "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN[] w KQkq - 0 1"),
        ("crazyhouse", "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK2Q~R1[NNp] b GBgb - 0 9"),
    ],
)
def test_variants_are_not_played_from_chess960_starts(variant, sent):
    spoken = Spoken("random")
    spoken.send(f"setoption name UCI_Variant value {variant}")
    refused, best = spoken.ask(f"position fen {sent}", "go nodes 5")
    assert f"castling rights of chess960; {variant} is not played from such positions" in refused
    assert best == "bestmove 0000"
    spoken.send("setoption name UCI_Chess960 value true")
    refused, best = spoken.ask("position startpos moves e2e4", "go nodes 5")
    assert f"UCI_Chess960: {variant} is played with the usual castling alone" in refused
    assert best == "bestmove 0000"
    spoken.send("setoption name UCI_Chess960 value false")
    assert spoken.ask("go nodes 5")[-1] != "bestmove 0000"
    spoken.engine.close()


@pytest.mark.parametrize(
    "sent",
    [
        "4k3/8/8/8/8/8/8/4K2R W K - -5 1",
        "4k3/8/8/8/8/8/8/4K2R w KQ - 1.5 1",
        "4k3/8/8/8/8/8/8/4K2R white K - 7x 1 ; c0 y",
        "4k3/8/8/8/8/8/8/4K2R w KQ E3 0 -1",
        "4k3/8/8/8/8/8/8/4K2R w Kx -",
        "4k3/8/8/8/8/8/8/4K2R b K Z9 0 1",
        "4k3/8/8/8/8/8/8/7R w KQkq - ; id",
        "4k3/8/8/8/8/8/8/4K2R w KQ E3 0 1 moves e2e4",
        "4k3/8/8/8/8/8/8/4K2R w KQ - moves e1e3",
    ],
)
def test_what_is_refused_is_quoted_as_it_was_sent(spoken, sent):
    lines = spoken.ask(f"position fen {sent}", "go nodes 5")
    fen = sent.partition(" moves ")[0]
    assert f"'{fen}'" in lines[-2]
    assert lines[-1] == "bestmove 0000"


def test_moves_as_tools_write_them(spoken):
    spoken.send("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves A7-A8=R h7g6")
    assert spoken.engine._state.fen.startswith("R7/8/6k1")
    answer = spoken.ask("position startpos moves e2e4 0000", "go nodes 5")
    assert "'0000': a null move is never legal" in answer[0]


def test_mates_are_told_in_moves_for_the_side_to_move(spoken):
    lines = spoken.ask("position fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", "go mate 2")
    assert told(lines[-2], "mate") == "2"
    lines = spoken.ask("position fen k7/8/1K6/8/8/8/8/7R b - - 0 1", "go mate 5")
    assert told(lines[-2], "mate") == "-1"


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("fen 7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", "score mate -0"),
        ("fen 7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", "score cp 0"),
    ],
)
def test_a_game_that_is_over_has_no_move(spoken, line, score):
    lines = spoken.ask(f"position {line}", "go nodes 10")
    assert score in lines[-2]
    assert lines[-1] == "bestmove (none)"
    spoken.send("go infinite")
    assert len(spoken.moves()) == 1
    spoken.ask("stop")


@pytest.mark.parametrize(
    ("variant", "line", "move"),
    [
        ("chess", "fen 8/2k5/8/8/5N2/1K6/8/8 b - - 7 60", None),
        ("chess", "fen 8/2k5/8/8/5N2/1K6/8/8 b - - 212 160", None),
        ("chess", "fen 8/2k5/8/8/8/1Kp5/8/8 w - - 0 60 moves b3c3 c7c6", None),
        ("chess", "fen 8/2k5/8/8/8/1K6/8/8 w - - 0 60 moves b3c3 c7c6 c3b3", None),
        ("chess", "fen k7/P7/1p6/8/8/8/8/K7 w - - 230 160 moves a1a2 a8a7 a2a3 a7a8", None),
        ("atomic", "fen 8/2k5/8/8/8/1K6/8/8 w - - 0 60", None),
        ("atomic", "fen 8/2k5/8/8/8/1K6/8/8 w - - 0 60", "b3a4"),
    ],
)
def test_a_draw_by_a_rule_of_ours_leaves_others_a_move(spoken, variant, line, move):
    only = "" if move is None else f" searchmoves {move}"
    said = spoken.ask(
        f"setoption name UCI_Variant value {variant}", f"position {line}", f"go nodes 9{only}"
    )
    board = chess.variant.find_variant(variant)(line.split("fen ")[1].split(" moves ")[0])
    for played in line.partition(" moves ")[2].split():
        board.push_uci(played)
    assert board.parse_uci(told(said[-1], "bestmove")) in board.legal_moves
    assert move in (None, told(said[-1], "bestmove"))
    if board.is_insufficient_material():
        assert "the game is over by insufficient_material: the first" in said[-3]


def test_a_king_that_has_exploded_has_no_move(spoken):
    spoken.send("setoption name UCI_Variant value atomic")
    line = "position fen 3rk3/8/8/8/8/8/3R4/4K3 w - - 0 1 moves d2d8"
    assert spoken.ask(line, "go nodes 5 searchmoves e8e7")[-1] == "bestmove (none)"


def test_games_go_on_after_draws_that_nobody_has_claimed(spoken):
    shuffle = "g1f3 g8f6 f3g1 f6g8 " * 2
    lines = spoken.ask(f"position startpos moves {shuffle}", "go nodes 10")
    assert "info string drawn, if a player claims it" in lines[0]
    assert lines[-1] != "bestmove (none)"
    lines = spoken.ask(f"position startpos moves {shuffle} e2e4", "go nodes 10")
    assert "info string" not in lines[0]
    lines = spoken.ask("position fen 8/8/8/8/4k3/8/3R4/3K4 w - - 100 80 moves d2a2", "go nodes 10")
    assert lines[-1] != "bestmove (none)"


def test_depth_and_several_limits(spoken):
    lines = spoken.ask("position startpos", "go depth 3")
    assert told(lines[-2], "depth") == "3"
    assert int(told(lines[-2], "seldepth")) > 3
    lines = spoken.ask("go depth 30 nodes 40")
    assert int(told(lines[-2], "nodes")) == 40
    lines = spoken.ask("go movetime 30")
    assert told(lines[-2], "time").isdigit()


def test_searchmoves_and_complaints_about_them(spoken):
    lines = spoken.ask("position startpos", "go nodes 60 searchmoves a2a3 h2h4 e2e5")
    assert "searchmoves: 'e2e5': not a legal move" in lines[0]
    assert told(lines[-1], "bestmove") in ("a2a3", "h2h4")
    assert told(spoken.ask("go nodes 60 searchmoves a2a3")[-1], "bestmove") == "a2a3"


@pytest.mark.parametrize(
    "go",
    ["wtime 0 btime 0", "btime 1 wtime 1 movestogo 1", "movetime 0", "mate 1 nodes 1", "depth 1"],
)
def test_searchmoves_are_kept_however_little_time_is_left(spoken, go):
    spoken.send("setoption name Move Overhead value 5000", "isready", "position startpos")
    spoken.ask("go nodes 200")  # a tree that knows other moves
    for _ in range(3):
        lines = spoken.ask(f"go {go} searchmoves h2h4 b1a3")
        assert told(lines[-1], "bestmove") in ("h2h4", "b1a3"), lines
    spoken.ask("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "go nodes 50")
    lines = spoken.ask(f"go {go} searchmoves e1d1")
    assert told(lines[-1], "bestmove") == "e1d1", "the mate in one is not among the moves"
    spoken.send("position startpos", "go ponder wtime 0 btime 0 searchmoves g2g4")
    assert told(spoken.ask("ponderhit")[-1], "bestmove") == "g2g4"


@pytest.mark.parametrize("agent", ["random:seed=1", "module:uci_fakes:first_legal"])
def test_agents_that_look_at_all_moves_keep_to_searchmoves_too(agent):
    spoken = Spoken(agent)
    for _ in range(5):
        lines = spoken.ask("position startpos", "go nodes 5 searchmoves g1h3")
        assert lines[-1] == "bestmove g1h3"
        assert told(lines[-2], "pv") == "g1h3"
    assert any("searchmoves: this agent looks at all moves" in line for line in spoken.lines)
    spoken.engine.close()


def test_infinite_searches_wait_for_stop_even_if_they_have_ended(spoken):
    spoken.send("position fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", "go infinite")
    spoken.until("info depth", has="mate 2")  # which is proven: the search has ended
    time.sleep(0.05)
    assert spoken.moves() == []
    assert "mate 2" in spoken.ask("stop")[-2]
    spoken.send("stop", "stop")
    assert len(spoken.moves()) == 1


def test_stop_right_after_go_still_looks_at_the_position(spoken):
    spoken.send("position startpos")
    for _ in range(20):
        lines = spoken.ask("go infinite", "stop")
        assert SCORED.fullmatch(lines[-2])


def test_go_while_searching_answers_the_former_one_first(spoken):
    spoken.send("position startpos", "go infinite", "position startpos moves e2e4", "go infinite")
    assert len(spoken.until("bestmove")) > 1
    spoken.send("isready", "setoption name MultiPV value 2", "go nodes 20")
    spoken.send("quit")
    assert len(spoken.moves()) == 3


def test_pondering_goes_on_after_a_hit_and_keeps_its_nodes(spoken):
    spoken.send("position startpos moves e2e4", "go ponder nodes 400")
    spoken.until("info depth")
    assert spoken.moves() == []
    lines = spoken.ask("ponderhit")
    assert int(told(lines[-2], "nodes")) >= 400
    # A miss: stop, and the tree of another move.
    spoken.send("go ponder wtime 1000 btime 1000")
    assert spoken.ask("stop")[-1].startswith("bestmove")
    assert spoken.ask("ponderhit", "go nodes 10")[-1].startswith("bestmove")


def test_the_tree_is_kept_from_move_to_move(spoken):
    spoken.send("position startpos")
    spoken.ask("go nodes 800")
    lines = spoken.ask("position startpos moves e2e4 e7e5", "go nodes 1")
    assert int(told(lines[-2], "nodes")) <= 1
    assert len(told(lines[-2], "pv")) == 4
    fresh = spoken.ask("ucinewgame", "position startpos moves e2e4 e7e5", "go nodes 1")
    assert fresh[-2].split(" pv ")[1].count(" ") == 0, "a new game knows nothing"


def test_multipv_and_wdl(spoken):
    spoken.send("setoption name MultiPV value 3", "setoption name UCI_ShowWDL value true")
    lines = spoken.ask("position startpos", "go nodes 100")
    numbered = [line for line in lines if " multipv " in line][-3:]
    assert [told(line, "multipv") for line in numbered] == ["1", "2", "3"]
    for line in numbered:
        words = line.split()
        chances = [int(word) for word in words[words.index("wdl") + 1 :][:3]]
        assert sum(chances) == 1000
    assert "wdl" not in spoken.ask("setoption name UCI_ShowWDL value false", "go nodes 9")[-2]


def test_a_kept_tree_tells_chances_that_are_known_alone(spoken):
    spoken.send("setoption name UCI_ShowWDL value true")
    drawn = "position fen 8/8/8/8/8/5k2/7q/7K w - - 0 1"
    for _ in range(2):  # the second search finds the proof of the first
        assert " wdl 0 1000 0 " in spoken.ask(drawn, "go nodes 50")[-2]
    first = spoken.ask("position startpos", "go nodes 300")[-2]
    assert " wdl " in first
    won = spoken.ask("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "go nodes 9")[-2]
    assert " wdl 1000 0 0 " in won


@pytest.mark.parametrize("nodes", [1, 3, 8])
def test_moves_never_visited_have_no_line(spoken, nodes):
    spoken.send("setoption name MultiPV value 20")
    lines = spoken.ask("position startpos", f"go nodes {nodes}")
    numbers = [int(told(line, "multipv")) for line in lines if " multipv " in line]
    last = numbers[len(numbers) - 1 - numbers[::-1].index(1) :]
    assert last == list(range(1, len(last) + 1))
    # The root takes one node, and every move that was visited another.
    assert len(last) <= max(nodes - 1, 1)


CHANCES = re.compile(r" score (cp|mate) \S+ wdl (\d+) (\d+) (\d+) ?")


@pytest.mark.parametrize(
    ("agent", "setup", "go", "chances"),
    [
        (FAST, "position startpos", "go wtime 0 btime 0", None),
        (FAST, "position fen 7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", "go", (0, 0, 1000)),
        (FAST, "position fen 7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", "go", (0, 1000, 0)),
        (
            FAST,
            "position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
            "go mate 1 nodes 900",
            (1000, 0, 0),
        ),
        ("random", "position startpos", "go nodes 3", (500, 0, 500)),
        ("uct:simulations=20", "position startpos", "go", None),
    ],
)
def test_every_score_has_its_chances(agent, setup, go, chances):
    spoken = Spoken(agent)
    lines = spoken.ask("setoption name UCI_ShowWDL value true", setup, go)
    scored = [line for line in lines if " score " in line]
    assert scored
    for line in scored:
        found = tuple(map(int, CHANCES.search(line).groups()[1:]))
        assert sum(found) == 1000
        assert chances is None or found == chances
    assert "wdl" not in " ".join(
        spoken.ask("setoption name UCI_ShowWDL value false", "position startpos", go)
    )
    spoken.engine.close()


def test_hash_bounds_the_tree(spoken):
    spoken.send("setoption name Hash value 1", "position startpos")
    lines = spoken.ask("go nodes 30000")
    assert int(told(lines[-2], "nodes")) == 30_000
    assert 500 <= int(told(lines[-2], "hashfull")) <= 1000


@pytest.mark.parametrize("agent", ["uct", "uct:nodes=50", "beam"])
def test_agents_that_only_keep_to_a_limit_have_their_first_move_too(agent):
    spoken = Spoken(agent)
    spoken.send("setoption name Move Overhead value 900", "isready")
    said = spoken.ask("position startpos", "go movetime 600")
    assert "no time to look" not in " ".join(said)
    assert int(told(said[-2], "nodes")) > 0
    spoken.engine.close()


def test_who_ends_just_when_the_time_is_over_is_waited_for():
    class Quiet:
        """An alarm that is called by hand."""

        def set(self, due, call): ...

        def clear(self): ...

    state, said = games.make("chess").initial_state(), []
    search = Search(Go(movetime=100), state, View(0.0, 16, False, 1), said.append, Quiet())
    player = Player(agents.make("random"), games.make("chess"))

    def move(state, limit, is_stopped):
        search._run_out()
        return agents.Move(state.parse_uci("e2e4"))

    player.move = move
    search.run(player)
    assert said[-1].endswith("\nbestmove e2e4")
    assert "no time" not in said[-1]


def test_getting_ready_searches_once_in_a_game_of_its_own(monkeypatch):
    limits = []
    move = agents.UCTSession.move
    monkeypatch.setattr(
        agents.UCTSession,
        "move",
        lambda self, state, limit=None, **more: (
            limits.append(limit) or move(self, state, limit, **more)
        ),
    )
    spoken = Spoken("uct:seed=3")
    assert spoken.send("isready") == ["readyok"]
    assert len(limits) == 1
    assert limits[0].nodes > 0
    ready = spoken.ask("position startpos", "go nodes 50")[-1]
    fresh = Spoken("uct:seed=3")
    assert fresh.ask("position startpos", "go nodes 50")[-1] == ready
    spoken.engine.close()
    fresh.engine.close()


@pytest.mark.parametrize(
    ("setup", "line"),
    [
        ("UCI_Variant value atomic", "startpos moves e2e4 d7d5"),
        ("UCI_Variant value crazyhouse", "fen 7k/8/8/8/8/8/8/K7[Q] w - - 0 1"),
        ("UCI_Variant value crazyhouse", "startpos moves e2e4 d7d5 e4d5 d8d5 b1c3 P@e4"),
        ("UCI_Chess960 value true", "startpos moves g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1h1"),
        ("UCI_Chess960 value true",
         "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1 moves e2e4"),
    ],
)  # fmt: skip
def test_variants(spoken, setup, line):
    assert spoken.send(f"setoption name {setup}", "isready", f"position {line}") == ["readyok"]
    assert spoken.ask("go nodes 30")[-1] != "bestmove (none)"


@pytest.mark.parametrize(
    ("first", "change"),
    [
        ("UCI_Variant value atomic", "UCI_Variant value chess"),
        ("UCI_Variant value chess", "UCI_Variant value crazyhouse"),
        ("UCI_Chess960 value true", "UCI_Chess960 value false"),
    ],
)
@pytest.mark.parametrize(
    "place", ["startpos moves e2e4", "fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "startpos moves e2e5"]
)
def test_another_variant_asks_for_a_new_position(spoken, first, change, place):
    spoken.send(f"setoption name {first}", f"position {place}", f"setoption name {change}")
    said = spoken.ask("isready", "go nodes 9")
    assert said[0] == "readyok"
    assert "send a new one" in said[1]
    assert said[2:] == ["bestmove 0000"]
    assert len(spoken.ask(f"setoption name {first}", "go nodes 9")) == 2  # it is not restored
    assert spoken.ask("position startpos", "go nodes 9")[-1] != "bestmove 0000"


@pytest.mark.parametrize("place", ["position startpos", "ucinewgame"])
def test_another_variant_at_the_start_needs_no_new_position(spoken, place):
    spoken.send(place, "setoption name UCI_Variant value crazyhouse")
    said = spoken.ask("go nodes 60 searchmoves e2e4")
    assert told(said[-1], "bestmove") == "e2e4"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("setoption name Hash value 0", "setoption Hash: '0', expected a whole number from 1"),
        ("setoption name Nalimov value x", "no option 'Nalimov'"),
        ("setoption", "setoption: expected name"),
        ("setoption name Routing value soft", None),
        ("fly", "unknown command: fly"),
        ("", None),
    ],
)
def test_lines_that_mean_nothing(spoken, line, words):
    answer = spoken.send(line)
    assert len(answer) == (words is not None)
    assert words is None or words in answer[0]


@pytest.mark.parametrize(
    ("agent", "setup", "words"),
    [
        ("nobody", "setoption name Hash value 9", "'nobody': no such agent"),
        ("mcts:net=nowhere", "setoption name Hash value 9", "nowhere"),
        ("mcts:device=nonsense", "setoption name Hash value 9", "give net="),
        ("tablebase", "setoption name Hash value 9", "give another --agent"),
        ("human", "setoption name Hash value 9", "human asks at the terminal"),
        (FAST, "setoption name ExpertsPath value nowhere", "nowhere"),
        (FAST, "setoption name Routing value soft", "Routing is for experts"),
        (FAST, "setoption name Gate value x", "x"),
        (FAST, "setoption name SyzygyPath value nowhere", "nowhere: no such folder"),
        ("random", "setoption name Gate value lichess", "Gate is for the agents"),
    ],
)
def test_an_agent_that_cannot_be_loaded_ends_the_engine_and_says_why(agent, setup, words):
    for asked, answer in (("isready", None), ("go nodes 10", "bestmove (none)"),
                          ("go infinite", "bestmove (none)")):  # fmt: skip
        spoken = Spoken(agent)
        assert spoken.engine.handle(setup)
        assert not spoken.engine.handle(asked)
        assert spoken.moves() == ([] if answer is None else [answer])
        assert "readyok" not in spoken.lines
        assert spoken.engine.failure is not None
        assert spoken.lines[0].startswith("info string error: ")
        assert words in spoken.lines[0]
        assert words in str(spoken.engine.failure)
        spoken.engine.close()


def test_an_agent_that_fails_at_its_move_has_no_move_and_says_why():
    spoken = Spoken("simple")  # it plays Pommerman
    for _ in range(2):
        lines = spoken.ask("position startpos", "go nodes 10")
        assert lines[0].startswith("info string error: ")
        assert lines[-1] == "bestmove (none)"
    spoken.engine.close()


@pytest.mark.parametrize(
    "agent", ["random:seed=3", "uct:simulations=50", "module:uci_fakes:first_legal"]
)
def test_agents_that_cannot_be_watched_play_too(agent):
    spoken = Spoken(agent)
    for line in ("go nodes 20", "go wtime 1000 btime 1000", "go depth 3", "go"):
        lines = spoken.ask("position startpos moves e2e4", line)
        assert lines[-2].startswith("info depth 1 score cp ")
        assert lines[-1].split()[1] == told(lines[-2], "pv")
    spoken.send("go infinite")
    time.sleep(0.05)
    assert len(spoken.moves()) == 4
    spoken.ask("stop")
    spoken.engine.close()


def test_who_wants_to_know_is_told_when_an_agent_was_loaded():
    loaded = []
    engine = Engine(FAST, lambda text: None, loaded=lambda: loaded.append(1))
    for line, count in (
        ("uci", 0),
        ("isready", 1),
        ("ucinewgame", 1),
        ("isready", 1),
        ("setoption name Hash value 5", 1),
        ("isready", 1),
        ("setoption name Gate value lichess", 1),
        ("isready", 2),
    ):
        engine.handle(line)
        assert len(loaded) == count, line
    engine.close()


def test_an_alarm_calls_once_and_only_what_was_set_last(caplog):
    heard, alarm = queue.SimpleQueue(), Alarm()
    now = time.perf_counter()
    alarm.set(now + 60, lambda: heard.put("too late"))
    alarm.set(now + 0.01, lambda: heard.put("first"))
    assert heard.get(timeout=60) == "first"
    alarm.set(time.perf_counter() + 0.01, lambda: heard.put("cleared"))
    alarm.clear()
    alarm.set(time.perf_counter() + 0.02, lambda: heard.put("second"))
    assert heard.get(timeout=60) == "second"
    alarm.set(time.perf_counter(), lambda: 1 / 0)
    while "failed" not in caplog.text:
        time.sleep(0.001)
    alarm.set(time.perf_counter(), lambda: heard.put("third"))
    assert heard.get(timeout=60) == "third"
    alarm.close()
    assert heard.empty()


def test_phases_experts_and_routing_are_told_and_chosen():
    pytest.importorskip("onnxruntime")
    spoken = Spoken("mcts:net=phasezoo/chess-small,backend=onnx,batch_size=4")
    ending = "position fen 8/5k2/8/8/8/8/R4K2/8 w - - 0 1"
    for setup in (
        "isready",
        "setoption name Routing value majority",
        "setoption name Gate value lichess:current",
        "setoption name Routing value soft",
        "setoption name Threads value 1",
    ):
        lines = spoken.ask(setup, ending, "go nodes 20")
        phase = next(line for line in lines if line.startswith("info string phase"))
        assert phase.startswith("info string phase endgame expert endgame rows "), lines
    rows = int(told(phase, "rows"))
    assert rows >= 60, "under soft routing three experts are asked about each position"
    spoken.send("setoption name Routing value default", "setoption name Gate value <empty>")
    spoken.send("setoption name ExpertsPath value phasezoo/chess-small")
    lines = spoken.ask("ucinewgame", "go nodes 8")
    assert any(line.startswith("info string phase opening expert opening") for line in lines)
    assert not any("cp -12780" in line for line in lines), "nothing is told of what nobody has seen"
    for _ in range(5):
        assert SCORED.fullmatch(spoken.ask("ucinewgame", "isready", "go infinite", "stop")[-2])
    spoken.engine.close()
    alone = Spoken()
    lines = alone.ask("setoption name Gate value lichess", "position startpos", "go nodes 8")
    assert "info string phase opening expert all rows 8" in lines
    alone.engine.close()


def test_an_option_for_another_variant_of_the_package_is_left_out():
    pytest.importorskip("onnxruntime")
    spoken = Spoken(None)
    assert spoken.send("setoption name Routing value majority", "isready")[-1] == "readyok"
    lines = spoken.ask("setoption name UCI_Variant value atomic", "isready", "go nodes 8")
    said = "info string Routing is for experts, and atomic has one network here"
    assert said in lines
    assert lines[-1] != "bestmove (none)"
    assert spoken.send("setoption name UCI_Variant value chess", "isready")[-1] == "readyok"
    spoken.engine.close()


def test_networks_of_chess_play_chess960_and_no_other_variant():
    pytest.importorskip("onnxruntime")
    spoken = Spoken("mcts:net=phasezoo/chess-small,backend=onnx,batch_size=4")
    lines = spoken.ask("setoption name UCI_Chess960 value true", "isready", "go nodes 8")
    assert lines[-1] != "bestmove (none)"
    lines = spoken.ask("setoption name UCI_Variant value atomic", "isready", "go nodes 8")
    assert lines[0] == "info string setoption UCI_Variant: 'atomic', expected chess"
    spoken.engine.close()


@pytest.mark.parametrize(
    ("agent", "variants"),
    [
        (None, "chess atomic"),
        ("mcts:net=phasezoo/chess-small", "chess"),
        ("m2cts:experts=phasezoo/chess-small", "chess"),
        ("mcts:net=phasezoo/atomic-small,nodes=5", "atomic"),
        ("mcts:net=phasezoo/atomic-small,allow_other_game=true", "chess atomic crazyhouse"),
        ("mcts:net=nowhere", "chess atomic crazyhouse"),
        ("random", "chess atomic crazyhouse"),
    ],
)
def test_the_variants_that_can_be_played_are_offered(agent, variants):
    spoken = Spoken(agent)
    lines = spoken.send("uci")
    (line,) = (line for line in lines if "UCI_Variant" in line)
    assert line.split(" default ")[1].split(" var ")[1:] == variants.split()
    assert told(line, "default") == variants.split()[0]
    assert any("UCI_Chess960" in line for line in lines) == ("chess" in variants.split())


def test_every_variant_offered_without_an_agent_is_played():
    pytest.importorskip("onnxruntime")
    spoken = Spoken(None)
    for variant in spoken.engine._texts:
        lines = spoken.ask(f"setoption name UCI_Variant value {variant}", "go nodes 8")
        assert SCORED.fullmatch(lines[-2])
        assert spoken.engine._player.game.name == variant
        assert {part.game for part in parts_of(spoken.engine._agent.evaluator)} == {variant}
    spoken.engine.close()


def test_a_network_of_atomic_chess_is_played_without_further_settings():
    pytest.importorskip("onnxruntime")
    spoken = Spoken("mcts:net=phasezoo/atomic-small,backend=onnx,batch_size=4")
    # The knight takes, and the explosion takes the king.
    lines = spoken.ask("position fen 3qk3/5p2/8/4N3/8/8/8/4K3 w - - 0 1", "go nodes 50")
    assert lines[-1].startswith("bestmove e5f7")
    assert "mate 1" in lines[-2]
    spoken.engine.close()


class Broken:
    """Answers the first rows, and then no more."""

    plane_spec = None

    def __init__(self):
        self.rows = 0

    def evaluate_batch(self, leaves):
        self.rows += len(leaves)
        if self.rows > 20:
            message = "out of order"
            raise RuntimeError(message)
        return inference.Uniform().evaluate_batch(leaves)


class Slow:
    """Takes its time."""

    plane_spec = None

    def evaluate_batch(self, leaves):
        time.sleep(0.3)
        return inference.Uniform().evaluate_batch(leaves)


def fails():
    message = "no such luck"
    raise ValueError(message)


class Never:
    """Answers nothing."""

    plane_spec = None

    def evaluate_batch(self, leaves):
        fails()


@pytest.fixture
def own_agents():
    agents.register("test-fails", fails)
    agents.register("test-never", lambda: agents.MCTSAgent(Never()))
    agents.register("test-broken", lambda: agents.MCTSAgent(Broken(), batch_size=4))
    agents.register("test-slow", lambda: agents.MCTSAgent(Slow(), batch_size=4))


@pytest.mark.usefixtures("own_agents")
def test_an_evaluator_that_fails_is_told_of():
    spoken = Spoken("test-broken")
    lines = spoken.ask("position startpos", "go nodes 100")
    assert lines[-2:] == ["info string error: RuntimeError: out of order", "bestmove (none)"]
    spoken.engine.close()


@pytest.mark.usefixtures("own_agents")
@pytest.mark.parametrize("name", ["test-fails", "test-never"])
def test_an_agent_of_ones_own_that_fails_while_it_is_loaded_is_told_of(name):
    spoken = Spoken(name)
    assert spoken.send("isready") == ["info string error: ValueError: no such luck"]
    assert str(spoken.engine.failure) == "no such luck"
    spoken.engine.close()


@pytest.mark.usefixtures("own_agents")
def test_the_move_comes_in_time_whatever_the_evaluator_does():
    spoken = Spoken("test-slow")
    spoken.send("isready", "position startpos")
    lines = spoken.ask("go wtime 250 btime 250")
    assert "no time to look at the position" in lines[0]
    assert told(lines[-1], "bestmove") == told(lines[-2], "pv")
    lines = spoken.ask("go movetime 1000")
    assert SCORED.fullmatch(lines[-2])
    # Both searches are answered once, though the first evaluation comes back later.
    assert len(spoken.moves()) == 2
    spoken.engine.close()


def test_scores_come_back_as_the_values_they_were_told_from():
    pytest.importorskip("onnxruntime")
    spoken = Spoken("mcts:nodes=16,batch_size=4,net=phasezoo/chess-small,seed=1")
    for fen in (
        "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
    ):
        lines = spoken.ask("setoption name UCI_ShowWDL value true", f"position fen {fen}", "go")
        info = next(line for line in lines if " wdl " in line)
        won, _, lost = map(int, info.split(" wdl ")[1].split()[:3])
        score = PovScore(Cp(int(told(info, "cp"))), chess.WHITE)
        assert _value(score.relative) == pytest.approx((won - lost) / 1000, abs=0.003)
        assert abs(won - lost) > 200
    spoken.engine.close()


def test_no_time_at_all_is_time_to_look_at_the_position(spoken):
    lines = spoken.ask("position startpos", "go movetime 0")
    assert not any("no time" in line or "passed over" in line for line in lines)
    assert 1 <= int(told(lines[-2], "nodes")) <= 4, "the root, and perhaps a batch"

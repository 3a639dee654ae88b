"""The board's server: games by messages, without a browser."""

import asyncio
import gc
import io
import json
import threading
from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("starlette")

import chess.pgn
from own_games import Stones
from web_client import Refused, client, talking

from phasezoo import agents, games
from phasezoo.apps.web import recordings, sessions
from phasezoo.apps.web.search import Stop
from phasezoo.apps.web.sessions import Sessions
from phasezoo.apps.web.workers import Workers

MATE = ("f3", "e5", "g4", "Qh4#")
NATIVE = sorted(name for name in games.names() if games.make(name).native)  # not other tests' own
EXPERTS = "m2cts:experts=phasezoo/chess-small,nodes=24,batch_size=8"


@pytest.fixture(scope="module")
def server():
    with client() as made:
        yield made


@pytest.fixture
def page(server):
    with talking(server) as talker:
        yield talker


def test_a_game_to_mate_and_its_texts(page):
    name = page.new("chess", [None, None])
    for move in MATE:
        shown = page.play(name, move)
    assert shown["over"] == {"result": "0-1", "reason": "checkmate", "winners": None}
    assert shown["board"]["actor"] is None
    pgn = page.ask("text", game=name, kind="pgn")
    assert "1. f3 e5 2. g4 Qh4# 0-1" in pgn
    written = json.loads(page.ask("text", game=name, kind="json"))
    assert written["moves"] == list(MATE)
    state = games.make("chess").initial_state()
    for action in written["actions"]:
        state = state.play(action)
    assert state.is_terminal
    assert page.ask("text", game=name, kind="position") == state.fen


@pytest.mark.parametrize("name", NATIVE)
def test_every_game_is_shown_and_all_its_actions_are_within_reach(page, name):
    game = games.make(name)
    shown_name = page.new(name, [None] * game.num_players, seed=3)
    board = page.games[shown_name]["board"]
    assert board["svg"].startswith("<svg")
    assert board["actor"] == 0
    state = game.initial_state(seed=3)
    legal = set(games.legal_actions_of(state, 0).tolist())
    first = legal if game.action_parts is None else {a for a in legal if a < game.action_parts[0]}
    pointed = {action for action, *_ in board["ways"]} | {
        key["action"] for key in board.get("keys", [])
    }
    assert pointed & legal == first
    spots = {spot[0] for spot in board["spots"]}
    assert len(spots) == len(board["spots"])
    assert all(place in spots for _, path, *_ in board["ways"] for place in path)
    for _, label, left, top, width, height in board["spots"]:
        assert label
        assert left >= 0 and top >= 0 and left + width <= 1.001 and top + height <= 1.001  # noqa: PT018


def test_ways_of_variants_end_in_the_actions_that_their_notation_says():
    from phasezoo.envs.rendering.choice import pointing_of

    rng = np.random.default_rng(1)
    for name in ("chess", "chess960", "atomic", "crazyhouse", "krk"):
        game = games.make(name)
        pointing = pointing_of(game)
        state = game.initial_state(seed=4)
        for _ in range(60):
            if state.is_terminal:
                break
            spots = {spot.name for spot in pointing.spots(state, None, False)}
            ways = pointing.ways(state, state.to_play)
            assert {way.action for way in ways} == set(state.legal_actions.tolist())
            assert all(set(way.path) <= spots for way in ways)
            whole = [(way.path, way.choice) for way in ways]
            assert len(set(whole)) == len(whole)
            state = state.play(int(rng.choice(state.legal_actions)))


def test_atomic_captures_blow_up_their_surroundings(page):
    name = page.new("atomic", [None, None])
    for move in ("Nf3", "d5", "Ne5", "a6"):
        page.play(name, move)
    shown = page.play(name, "Nxf7#")
    assert sorted(shown["board"]["blast"]) == sorted(
        f"{file}{rank}" for file in "efg" for rank in "678"
    )
    assert shown["board"]["moved"] == ["e5", "f7"]


def test_an_agent_answers_and_tells_how_its_leaves_were_split(page):
    name = page.new("chess", [None, EXPERTS], position=None)
    page.play(name, "e4")
    shown = page.wait(name, lambda shown: shown["ply"] == 2)
    (analysis,) = [t for t in shown["analyses"] if t.get("past")]
    assert analysis["nodes"] >= 24
    assert sum(analysis["experts"].values()) == analysis["rows"] >= 24
    assert analysis["phases"] == ["opening", "middlegame", "endgame"]
    assert analysis["expert"] == "opening"
    shares = [move["share"] for move in analysis["moves"]]
    assert shares == sorted(shares, reverse=True)
    assert shown["splits"][0] is None
    assert shown["splits"][1]["experts"] == analysis["experts"]
    assert shown["moves"][1] == next(
        move["name"] for move in analysis["moves"] if move["action"] == analysis["action"]
    )
    strip = shown["strip"]
    assert strip["gates"][0]["names"] == analysis["phases"]
    assert strip["plies"] == [[0], [0], [0]]


def test_both_gates_are_told_where_they_differ(page):
    fen = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
    name = page.new("chess", [None, None], position=fen, gate="lichess", other_gate="plies:0,2")
    page.play(name, "O-O")
    strip = page.games[name]["strip"]
    assert [gate["spec"] for gate in strip["gates"]] == ["lichess:classic", "plies:0,2"]
    assert [phases[0] for phases in strip["plies"]] == [0, 0]
    assert [phases[1] for phases in strip["plies"]] == [0, 1]
    page.ask("gates", game=name, gate="moves:3")
    shown = page.wait(name, lambda shown: len(shown["strip"]["gates"]) == 1)
    assert len(shown["strip"]["plies"]) == 2
    with pytest.raises(Refused, match="no such gate"):
        page.ask("gates", game=name, gate="steps:40")


def test_analysis_is_live_and_follows_the_game(page):
    name = page.new("connect-four", [None, None])
    page.ask("look", game=name, on=True, agent="mcts:nodes=10")
    shown = page.wait(name, lambda shown: any(t.get("live") for t in shown["analyses"]))
    assert shown["looks"]
    assert shown["thinking"] == [-1]
    page.play(name, "4")
    shown = page.wait(
        name,
        lambda shown: (
            shown["ply"] == 1 and any(t.get("live") and t["player"] == 1 for t in shown["analyses"])
        ),
    )
    page.ask("look", game=name, on=False)
    shown = page.wait(name, lambda shown: not shown["thinking"])
    assert not shown["looks"]


def _is_live(shown):
    return any(each.get("live") for each in shown["analyses"])


def test_analysis_looks_at_the_position_that_is_shown(page):
    name = page.new("connect-four", [None, None])
    for move in ("4", "3", "4"):
        page.play(name, move)
    page.ask("look", game=name, on=True, agent="mcts:nodes=10")
    page.wait(name, lambda shown: any(t["player"] == 1 for t in shown["analyses"]))
    page.ask("show", game=name, at=2)
    shown = page.wait(name, lambda shown: shown["at"] == 2 and shown["analyses"])
    assert [(t["player"], t["live"]) for t in shown["analyses"]] == [(0, True)]
    page.ask("show", game=name, at=3)  # what was found stays with its position
    shown = page.wait(name, lambda shown: shown["at"] == 3 and _is_live(shown))
    assert shown["values"][2][0] is not None
    page.ask("show", game=name, at=1)
    page.wait(name, lambda shown: shown["at"] == 1 and _is_live(shown))
    page.ask("play", game=name, ply=1, action=6)  # a variation
    shown = page.wait(name, lambda shown: shown["at"] == shown["ply"] == 2 and shown["thinking"])
    page.ask("look", game=name, on=False)
    page.wait(name, lambda shown: not shown["thinking"] and not shown["looks"])


def test_the_analysis_of_a_game_ends_with_its_result(page):
    name = page.new("chess", [None, None])
    for move in MATE:
        page.play(name, move)
    page.ask("review", game=name, on=True, agent="mcts:nodes=10")
    shown = page.wait(name, lambda shown: shown["values"][-1][0] is not None)
    assert shown["values"][-1][0] == -1
    pgn = page.ask("text", game=name, kind="pgn")
    assert pgn.count("%eval") == 4


def test_an_analysis_needs_values(page):
    name = page.new("chess", [None, None])
    page.play(name, "e4")
    page.ask("review", game=name, on=True, agent="random")
    shown = page.wait(name, lambda shown: shown["trouble"])
    assert shown["trouble"].startswith("random failed: it gives no values")


def test_an_analysis_holds_up_no_game(page):
    looked_at = page.new("connect-four", [None, None])
    page.ask("look", game=looked_at, on=True, agent="mcts:nodes=10")
    page.wait(looked_at, lambda shown: any(t.get("live") for t in shown["analyses"]))
    name = page.new("connect-four", [None, "uct:simulations=50"])
    page.play(name, "4")
    page.wait(name, lambda shown: shown["ply"] == 2)
    assert page.games[looked_at]["thinking"] == [-1]


def test_a_picture_that_has_not_changed_is_not_sent_again(page):
    name = page.new("connect-four", [None, None])
    first = page.games.pop(name)["board"]["svg"]
    page.ask("gates", game=name, gate="plies:2,4")
    assert page.wait(name, lambda shown: True)["board"]["svg"] is None
    page.play(name, "4")
    drawn = page.games.pop(name)["board"]["svg"]
    assert drawn not in (None, first)
    page.ask("join", game=name)  # again, after another game may have been shown
    assert page.wait(name, lambda shown: True)["board"]["svg"] == drawn


def test_undo_takes_the_agents_reply_back_too(page):
    name = page.new("connect-four", [None, "random:seed=1"])
    page.play(name, "4")
    page.wait(name, lambda shown: shown["ply"] == 2)
    page.ask("undo", game=name)
    shown = page.wait(name, lambda shown: shown["ply"] == 0)
    assert shown["board"]["actor"] == 0
    with pytest.raises(Refused, match="nothing was played"):
        page.ask("undo", game=name)


def test_an_earlier_position_is_played_on_as_a_variation(page):
    name = page.new("connect-four", [None, "random:seed=1"])
    page.play(name, "4")
    first = page.wait(name, lambda shown: shown["ply"] == 2)
    page.ask("play", game=name, ply=0, action=0)
    shown = page.wait(name, lambda shown: shown["moves"][:1] == ["1"] and shown["ply"] == 2)
    assert [move for _, before, move in shown["tree"] if before == 0] == ["4", "1"]
    assert len(shown["strip"]["plies"]) == 3
    page.ask("show", game=name, position=first["line"][1])
    shown = page.wait(name, lambda shown: shown["line"] == first["line"])
    assert (shown["at"], shown["moves"]) == (1, first["moves"])
    page.ask("play", game=name, ply=0, action=0)  # played before: no position more
    assert page.wait(name, lambda shown: shown["moves"][0] == "1")["at"] == 1
    assert len(page.games[name]["tree"]) == 4
    with pytest.raises(Refused, match="no such position"):
        page.ask("show", game=name, position=99)
    with pytest.raises(Refused, match="no person is to move"):
        page.ask("play", game=name, ply=1, action=0)


@pytest.mark.parametrize(
    ("kind", "text", "moves"),
    [
        ("chess", "1. e4 e5 2. Nf3", ["e4", "e5", "Nf3"]),
        ("connect-four", '[Variant "Atomic"]\n\n1. e4 e5 1-0', ["e4", "e5"]),
        ("connect-four", "4453", []),
        ("krk", "8/8/8/8/8/2k5/8/K6R w - - 0 1", []),
    ],
)
def test_a_text_is_opened_as_a_game_or_a_position(page, kind, text, moves):
    name = page.ask("paste", kind=kind, position=text)["game"]
    shown = page.wait(name, lambda shown: True)
    assert shown["moves"] == moves
    assert shown["ply"] == len(moves)
    assert shown["plies_before"] == 0


def test_moves_are_counted_from_the_number_of_the_start(page):
    start = '[FEN "7k/8/8/8/8/8/R7/1R5K b - - 3 40"]\n\n40... Kg8 41. Ra7 *'
    name = page.ask("paste", kind="chess", position=start)["game"]
    shown = page.wait(name, lambda shown: True)
    assert (shown["moves"], shown["plies_before"]) == (["Kg8", "Ra7"], 79)


TAGS = '[Event "{}"]\n[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n'


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("1. e4 e5", "pasted game"),
        (TAGS.format("?", "?", "?", "*") + "1. e4 e5", "pasted game"),
        (TAGS.format("Club night", "?", "?", "*") + "1. e4 e5 *", "Club night"),
        (TAGS.format("Club night", "Doe, J", "?", "1-0") + "1. e4 e5", "Doe, J – ?"),
        (2 * (TAGS.format("?", "?", "?", "*") + "1. e4 e5 *\n\n"), "pasted game, game 1 of 2"),
        (
            TAGS.format("?", "A", "B", "*") + "1. e4 e5\n\n" + TAGS.format("?", "C", "D", "1-0"),
            "A – B, game 1 of 2",
        ),
        ("1. e4 e5 *\n\n1. d4 d5 *\n\n1. c4 *", "pasted game, game 1 of 3"),
        ("1. e4 e5 1-0\n\n\n1. d4 d5 0-1", "pasted game, game 1 of 2"),
        ("1. e4 {as in 1-0}\n\ne5 *", "pasted game, without its comments"),
        # Results that are missing, or that contradict the tag or the moves.
        (TAGS.format("?", "A", "B", "0-1") + "1. e4 e5 1-0", "A – B"),
        ("1. e4 {[%eval 0.2]} e5 (1... c5) *", "pasted game"),
        ("1. e4 {best (by test)} e5 *", "pasted game, without its comments"),
        ("1. e4 ; best (by test)\n e5 *", "pasted game, without its comments"),
        ("1. e4 (1. d4 d5 1-0) (1. c4 *) (1. f4 1/2-1/2) e5 0-1", "pasted game"),
        ("1. e4 (1. Ke4) e5", "pasted game, without some of its variations"),
        (
            "1. e4 (1. d4 d5) {[%clk 1]\nfine} (1. Ke4) e5",
            "pasted game, without some of its variations and comments",
        ),
        (TAGS.format("?", "A", "B", "1-0") + "1. f3 e5 2. g4 Qh4#", "A – B"),
    ],
)
def test_a_pasted_game_has_a_title_that_people_know_it_by(page, text, title):
    name = page.ask("paste", kind="chess", position=text)["game"]
    shown = page.wait(name, lambda shown: True)
    assert shown["title"] == title
    assert shown["moves"][1] == "e5"


@pytest.mark.parametrize(
    ("text", "result", "games"),
    [
        ("1. e4 e5 2. Nf3 1-0\n1. d4 d5 0-1\n", "1-0", 2),
        ("1. e4 e5 2. Nf3 1/2-1/2 1. d4 1-0", "1/2-1/2", 2),
        ("1. e4 e5 {so 0-1} 2. Nf3 (2. f4 0-1) 1-0{good}\n{then}\n1. c4 *", "1-0", 2),
        ("1. e4 e5 2. Nf3 1-0\n" + TAGS.format("?", "A", "B", "0-1") + "1. d4 0-1", "1-0", 2),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. 0-0 1-0 ; 0-1", "1-0", 1),
        ("1. e4 e5{White wins 1-0 here} 2. Nf3 0-1", "0-1", 1),
        ("1. e4{[%clk 0:01]} e5{so 1-0 now} 2. Nf3$1{a 1-0 b} Nc6 0-1", "0-1", 1),
        ("1. e4 e5 2. Nf3;was 1-0 once\n2... Nc6 0-1", "0-1", 1),
        ("1. e4 e5{(} 2. Nf3 1-0\n1. d4 *", "1-0", 2),
        ("1. e4 e5 2. Nf3 {good}1-0 1. d4 0-1", "1-0", 2),
        ("1. e4 e5 (1... c5) 2. Nf3 1-0 (2. d4 0-1)", "1-0", 1),
    ],
)
def test_the_first_of_several_pasted_games_has_its_own_result(page, text, result, games):
    name = page.ask("paste", kind="chess", position=text)["game"]
    shown = page.wait(name, lambda shown: True)
    assert shown["recorded"] == result
    assert shown["moves"][:3] == ["e4", "e5", "Nf3"]
    assert ("game 1 of 2" in shown["title"]) == (games == 2)


@pytest.mark.parametrize("tag", ["1-0", "0-1", "1/2-1/2", "*", "?"])
@pytest.mark.parametrize("word", [" 1-0", " 0-1", " 1/2-1/2", " *", ""])
@pytest.mark.parametrize("moves", ["1. e4 e5 2. Nf3", "1. f3 e5 2. g4 Qh4#"])
def test_the_result_of_a_pasted_game_is_shown_and_copied(page, tag, word, moves):
    text = TAGS.format("?", "A", "B", tag) + moves + word
    name = page.ask("paste", kind="chess", position=text)["game"]
    shown = page.wait(name, lambda shown: True)
    given = [each for each in (word.strip(), tag) if each not in ("", "*", "?")]
    assert shown["recorded"] == (given[0] if given else None)
    copied = io.StringIO(page.ask("text", game=name, kind="pgn"))
    by_rules = "0-1" if moves.endswith("#") else None
    assert chess.pgn.read_game(copied).headers["Result"] == (by_rules or shown["recorded"] or "*")
    assert (shown["over"] is not None) == (by_rules is not None)
    # A shorter game, or another end, has no such result.
    page.ask("undo", game=name, to=1)
    assert page.wait(name, lambda shown: shown["ply"] == 1)["recorded"] is None


@pytest.mark.parametrize("result", ["1-0", "*"])
def test_who_played_a_finished_game_stays_whoever_would_go_on(page, result):
    text = TAGS.format("?", "Alice", "Bob", result) + "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#"
    players = [None, "random:seed=1"]
    name = page.ask("new", game="chess", players=players, position=f"{text} {result}")["game"]
    shown = page.wait(name, lambda shown: True)
    assert (shown["names"], shown["players"]) == (["Alice", "Bob"], players)
    headers = chess.pgn.read_game(io.StringIO(page.ask("text", game=name, kind="pgn"))).headers
    assert (headers["White"], headers["Black"]) == ("Alice", "Bob")
    page.ask("undo", game=name, to=3)
    shown = page.wait(name, lambda shown: shown["ply"] < 7)
    assert shown["names"] == ["Alice", "random:seed=1"]


ANNOTATED = """[Event "Club \\"A\\" match"]
[site "Town"]
[Date "2024.05.01"]
[Round "3"]
[White "Doe, J"]
[Black "Roe, R"]
[Result "1-0"]
[WhiteElo "1900"]
[PlyCount "5"]

1. e4 {[%eval 0.3]} e5 {[%eval 0.2]} 2. Qh5 {fine} Nc6 {[%eval 0.1]} 3. Qxf7+ {[%eval -7.5]} 1-0
"""


def test_a_pasted_game_is_copied_with_its_tags_and_evaluations_where_they_stood(page):
    name = page.ask("paste", kind="chess", position=ANNOTATED)["game"]
    shown = page.wait(name, lambda shown: True)
    known = [[v for v in values if v is not None] for values in shown["values"]]
    assert [len(values) for values in known] == [0, 1, 1, 0, 1, 1]  # after moves with a comment
    copied = page.ask("text", game=name, kind="pgn")
    theirs, ours = (chess.pgn.read_game(io.StringIO(text)) for text in (ANNOTATED, copied))
    expected = {**theirs.headers, "Site": "Town"}
    del expected["site"]
    assert dict(ours.headers) == expected

    def scores(game):
        found = [each.eval() for each in game.mainline()]
        return [None if each is None else each.white().score() for each in found]

    for own, given in zip(scores(ours), scores(theirs), strict=True):
        assert own == given or abs(own - given) <= 2
    # What was of the whole game is not of another one.
    page.ask("undo", game=name, to=3)
    page.wait(name, lambda shown: shown["ply"] == 3)
    headers = chess.pgn.read_game(io.StringIO(page.ask("text", game=name, kind="pgn"))).headers
    assert (headers["Event"], headers["Result"]) == (theirs.headers["Event"], "*")
    assert not {"PlyCount", "WhiteElo"} & set(headers)


def test_a_new_game_may_be_one_in_pgn(page):
    name = page.ask("new", game="chess", players=[None, None], position=ANNOTATED)["game"]
    shown = page.wait(name, lambda shown: True)
    assert shown["title"].startswith("Doe, J – Roe, R")
    assert (shown["ply"], shown["at"]) == (5, 0)


def test_agents_go_on_with_a_new_game_that_was_given_in_pgn(page):
    players = [None, "random:seed=1"]
    name = page.ask("new", game="chess", players=players, position="1. e4 e5 2. Nf3 Nc6")["game"]
    shown = page.wait(name, lambda shown: True)
    assert (shown["players"], shown["ply"], shown["at"]) == (players, 4, 4)
    page.play(name, "Bb5")
    shown = page.wait(name, lambda shown: shown["ply"] == 6)
    assert shown["moves"][:5] == ["e4", "e5", "Nf3", "Nc6", "Bb5"]


def test_an_analysis_of_a_game_is_copied_after_the_moves_that_led_there(page):
    name = page.new("chess", [None, None])
    for move in ("e4", "e5", "Nf3"):
        page.play(name, move)
    page.ask("review", game=name, on=True, agent="mcts:nodes=10")
    shown = page.wait(name, lambda shown: all(v != [None] * 2 for v in shown["values"]))
    game = chess.pgn.read_game(io.StringIO(page.ask("text", game=name, kind="pgn")))
    copied = [each.eval() is not None for each in game.mainline()]
    assert copied == [True] * 3
    assert len(shown["values"]) == 4
    # In JSON the search of a move is that of the position before it.
    whole = json.loads(page.ask("text", game=name, kind="json"))
    assert [each["player"] for each in whole["searches"]] == [0, 1, 0]


VARIED = """1. e4 {(no) move} e5 (1... c5 2. Nf3 $1 (2. c3 d5 (2... Nf6 3. e5) 3. exd5) 2... d6)
(1... e6) 2. Nf3! ; (2. f4
(2.Bc4 Nf6) 2...Nc6 (2... Nc6 3. d4) 3. Bb5 (3. Bc4 Nf6 4. 0-0) a6 (3... f5 4.0-0) 1-0"""


@pytest.mark.parametrize("tags", ["", TAGS.format("?", "A", "B", "1-0")])
def test_variations_of_a_pasted_game_are_those_that_python_chess_reads(page, tags):
    name = page.ask("paste", kind="chess", position=tags + VARIED)["game"]
    shown = page.wait(name, lambda shown: True)
    known = {number: (before, move) for number, before, move in shown["tree"]}

    def line(number):
        if not number:
            return ()
        before, move = known[number]
        return (*line(before), move)

    def lines(node, before=()):
        for child in node.variations:
            moves = (*before, node.board().san(child.move))
            yield moves
            yield from lines(child, moves)

    game = chess.pgn.read_game(io.StringIO(tags + VARIED))
    assert {line(number) for number in known} == set(lines(game))
    assert shown["moves"] == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]
    assert shown["title"].endswith(", without its comments")


@pytest.mark.parametrize("long", ["!" * 200_000 + "a", "{" + "[%" * 100_000 + "}"])
def test_a_long_run_of_one_sign_in_a_pasted_game_is_no_more_than_that(long):
    """Each would take minutes if every sign were looked at from every sign before it."""
    found = recordings.pasted(f"1. e4 ( 1. d4!? d5?! {long} ) e5 *")
    assert [each.name for each, _ in found.plies] == ["e4", "e5"]


@pytest.mark.parametrize(
    ("moves", "fault"),
    [
        ("1. e4 e5 2. Qh9 Nf6", '"Qh9" at move 2.'),
        ("1. e4 e5 2. Ke4 Nf6", "2. Ke4 is not a legal move"),
        ("1. e4 {well", "comment is never closed"),
    ],
)
def test_pgn_that_cannot_be_read_is_told_by_game_and_move(page, moves, fault):
    text = TAGS.format("?", "A", "B", "*") + moves
    with pytest.raises(Refused) as raised:
        page.ask("paste", kind="chess", position=f"{text}\n\n{TAGS}1. e4 *")
    message = str(raised.value)
    assert message.startswith('\'[Event "?"] [White "A"]')
    assert "cannot be read as PGN: game 1 of 2, " in message
    assert fault in message
    assert "Correct it there" in message
    assert "line 1" not in message
    assert "with results" not in message


def test_a_gate_with_one_phase_is_no_gate(page):
    name = page.new("chess", [None, None], gate="none")
    assert page.games[name]["strip"]["gates"] == []
    page.ask("gates", game=name, gate="none", other_gate="plies:2,4")
    strip = page.wait(name, lambda shown: shown["strip"]["gates"])["strip"]
    assert [gate["spec"] for gate in strip["gates"]] == ["plies:2,4"]
    assert strip["plies"] == [[0]]


def test_agents_named_at_the_start_are_offered_where_they_fit():
    experts = "m2cts:experts=phasezoo/chess-small,nodes=9"
    with client(agents=(experts, "simple", "uct:simulations=9")) as server, talking(server) as page:
        offered = {name: of["agents"] for name, of in page.ask("hello")["games"].items()}
    assert offered["chess"][:2] == [experts, "uct:simulations=9"]
    assert offered["atomic"][0] == offered["connect-four"][0] == "uct:simulations=9"
    assert experts not in offered["atomic"]
    assert offered["pommerman-ffa"][0] == "simple"
    assert "uct:simulations=9" not in offered["pommerman-ffa"]


def test_why_an_analysis_failed_stays_until_somebody_acts(page):
    def failing(observation, info):
        message = "out of ideas"
        raise ValueError(message)

    agents.register("web-failing-analyst", lambda: failing)
    name = page.new("connect-four", ["random:seed=1", "random:seed=2"], pace=0.05)
    page.ask("look", game=name, on=True, agent="web-failing-analyst")
    ply = page.wait(name, lambda shown: shown["trouble"])["ply"]
    shown = page.wait(name, lambda shown: shown["ply"] >= ply + 3 or shown["over"])
    assert shown["trouble"] == "web-failing-analyst failed: ValueError"
    page.ask("look", game=name, on=True, agent="random:seed=3")
    page.wait(name, lambda shown: not shown["trouble"])


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("chess", " ", "is empty"),
        ("chess", "hello you", 'not a move: "hello" at move 1. Correct'),
        ("connect-four", "hello", "hello"),
        ("chess", "8/8 w - - 0 1", "expected 8 ranks"),
    ],
)
def test_a_text_that_is_no_game_is_refused(page, kind, text, reason):
    with pytest.raises(Refused, match=reason):
        page.ask("paste", kind=kind, position=text)


def test_two_agents_play_until_they_are_told_not_to(page):
    name = page.new("connect-four", ["random:seed=1", "random:seed=2"])
    shown = page.wait(name, lambda shown: shown["over"] is not None)
    assert shown["over"]["result"] in ("1-0", "0-1", "1/2-1/2")
    name = page.new("krk", ["random:seed=1", "random:seed=2"], pace=0.01)
    page.wait(name, lambda shown: shown["ply"] >= 2)
    page.ask("run", game=name, on=False)
    ply = page.wait(name, lambda shown: not shown["plays"])["ply"]
    page.ask("assign", game=name, player=0, agent=None)
    shown = page.wait(name, lambda shown: shown["board"]["actor"] == 0 or shown["ply"] > ply + 1)
    assert shown["players"][0] is None


def test_pommerman_waits_for_the_person_and_lets_the_dead_rest(page):
    name = page.new("pommerman-ffa", [None, "simple", "simple", "simple"], seed=5)
    shown = page.games[name]
    assert shown["viewer"] == 0
    for _ in range(40):
        if shown["over"]:
            break
        ply = shown["ply"]
        actor = shown["board"]["actor"]
        if actor is None:
            shown = page.wait(name, lambda shown, ply=ply: shown["ply"] > ply or shown["over"])
            continue
        page.ask("play", game=name, ply=ply, action=5 if ply == 0 else 0)
        shown = page.wait(
            name,
            lambda shown, ply=ply: (
                shown["ply"] > ply and (shown["board"]["actor"] is not None or shown["over"])
            ),
        )
    # They bombed themselves, and the game goes on among the others.
    assert shown["ply"] >= 10
    page.ask("show", game=name, viewer=None)
    assert page.wait(name, lambda shown: shown["viewer"] is None)["viewer"] is None


def test_an_answer_is_kept_while_nobody_watches(page):
    name = page.new("pommerman-1v1", [None, "mcts:others=random,nodes=1000000"], seed=5)
    page.ask("play", game=name, ply=0, action=0)
    page.wait(name, lambda shown: shown["waits"] == [1])
    page.ask("leave", game=name)
    page.games.clear()
    page.ask("join", game=name)
    assert page.wait(name, lambda shown: True)["waits"] == [1]


def test_two_people_answer_one_after_the_other_where_all_move_at_once(page):
    name = page.new("pommerman-ffa", [None, None, "simple", "simple"], seed=5)
    shown = page.wait(name, lambda shown: shown["waits"] == [0, 1])
    assert shown["board"]["alt"] == "pommerman-ffa, after 0 plies; Player 0 to move"
    page.ask("play", game=name, ply=0, action=0)
    shown = page.wait(name, lambda shown: shown["waits"] == [1])
    assert shown["ply"] == 0  # until the other has answered
    assert shown["board"]["alt"] == "pommerman-ffa, after 0 plies; Player 1 to move"
    page.ask("play", game=name, ply=0, action=0)
    assert page.wait(name, lambda shown: shown["ply"] == 1)["over"] is None


@dataclass(frozen=True, eq=False)
class Own(Stones):
    """Nim with the picture that it draws itself."""

    stones: int = 5

    most = 2

    def planes(self, spec: str, player: int | None = None) -> np.ndarray:
        return (np.arange(8).reshape(1, 2, 4) < self.stones).astype(np.float32)


class Drawn(Own):
    def svg(self) -> str:
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10">'
            '<g data-action="0"><rect width="10" height="10"/></g></svg>'
        )


class Broken(Own):
    def svg(self) -> str:
        message = "no ink"
        raise RuntimeError(message)


@pytest.fixture(scope="module", autouse=True)
def own_games():
    for name, kind in (
        ("web-nim", Own),
        ("web-drawn", Drawn),
        ("web-broken", Broken),
        ("web-failing", Failing),
    ):
        kind.register(name, planes=(1, 2, 4))


def test_a_game_of_ones_own_is_a_grid_of_its_planes_or_what_it_draws(page):
    name = page.new("web-nim", [None, None])
    board = page.games[name]["board"]
    assert board["svg"].count("<circle") == 5
    assert len(board["spots"]) == 8
    assert board["ways"] == []  # two actions for eight cells: they are listed by name
    assert board["legal"] == [[0, "0"], [1, "1"]]
    page.play(name, "1")
    name = page.new("web-drawn", [None, "random:seed=1"])
    board = page.games[name]["board"]
    assert 'data-action="0"' in board["svg"]
    page.play(name, "0")
    page.wait(name, lambda shown: shown["ply"] >= 2)


class Seeds(Own):
    """Planes that count: alike at the start, and in half of the cells later."""

    def planes(self, spec: str, player: int | None = None) -> np.ndarray:
        pits = np.full((1, 2, 4), float(self.stones), dtype=np.float32)
        pits[0, 1] = 5
        return pits


def test_planes_that_count_are_shown_by_their_numbers(page):
    Seeds.register("web-seeds", planes=(1, 2, 4))
    name = page.new("web-seeds", [None, None])
    for left in (5, 4, 2):
        board = page.games[name]["board"]
        assert [board["svg"].count(f">{n}</text>") for n in (5, left)] == (
            [8, 8] if left == 5 else [4, 4]
        )
        assert board["spots"][0][1].endswith(f" {left}")
        if left > 2:
            page.play(name, "0" if left == 5 else "1")


def test_a_game_that_cannot_be_shown_says_why(page):
    class Unseen(Own):
        def planes(self, spec):
            return None

    Unseen.register("web-unseen", planes=(1, 2, 4))
    name = page.ask("new", game="web-unseen", players=[None, None])["game"]
    while (message := page.hear()).get("push") != "trouble":
        pass
    assert message["game"] == name
    assert "game 'web-unseen' cannot be shown: TypeError: " in message["message"]


def test_a_pass_is_listed_beside_the_cells_of_a_grid(page):
    named = {"default": ("left <over>",)}
    Passing.register("web-passing", planes=(1, 2, 4), num_actions=9, plane_names=named)
    name = page.new("web-passing", [None, None])
    board = page.games[name]["board"]
    assert "<title>left &lt;over&gt;</title>" in board["svg"]
    assert "row 1, column 1: left <over>" in [spot[1] for spot in board["spots"]]
    assert [way[:2] for way in board["ways"]] == [[0, ["0,0"]], [7, ["1,3"]]]
    assert [action for action, _ in board["legal"]] == [0, 7, 8]
    assert page.play(name, "pass")["moves"] == ["pass"]


class Passing(Own):
    """A cell of two rows, or a pass."""

    @property
    def legal_actions(self) -> np.ndarray:
        return np.array([0, 7, 8])

    def play(self, action: int) -> "Passing":
        return super().play(0)

    def action_name(self, action: int) -> str:
        return "pass" if action == 8 else f"cell {action}"


def test_a_picture_that_fails_is_told_and_the_page_goes_on(page):
    page.ask("new", game="web-broken", players=[None, None])
    message = page.hear()
    assert message["push"] == "trouble"
    name = page.new("chess", [None, None])
    page.play(name, "e4")


class Failing(Own):
    def play(self, action: int) -> "Failing":
        if action == 1:
            message = "two are too many"
            raise ValueError(message)
        return super().play(action)


def test_a_game_of_ones_own_that_fails_is_named_and_goes_on(page):
    agents.register("web-greedy", lambda: lambda observation, info: 1)
    told = "game 'web-failing': play raised ValueError: two are too many"
    name = page.new("web-failing", [None, "web-greedy"])
    with pytest.raises(Refused, match=told):
        page.ask("play", game=name, ply=0, action=1)
    page.ask("play", game=name, ply=0, action=0)  # the game is where it was
    shown = page.wait(name, lambda shown: shown["trouble"])
    assert shown["trouble"] == f"web-greedy failed: {told}"
    page.ask("assign", game=name, player=1, agent=None)
    page.wait(name, lambda shown: shown["board"]["actor"] == 1)
    page.ask("play", game=name, ply=1, action=0)
    assert page.wait(name, lambda shown: shown["ply"] == 2)["trouble"] is None


def test_an_agent_that_fails_leaves_the_game_to_a_person(page):
    def failing(observation, info):
        message = "out of ideas"
        raise ValueError(message)

    agents.register("web-failing", lambda: failing)
    name = page.new("connect-four", [None, "web-failing"])
    page.play(name, "4")
    shown = page.wait(name, lambda shown: shown["trouble"])
    assert shown["trouble"] == "web-failing failed: ValueError"
    page.ask("assign", game=name, player=1, agent=None)
    page.wait(name, lambda shown: shown["board"]["actor"] == 1)
    assert page.play(name, "3")["trouble"] is None


def test_a_page_that_comes_back_finds_the_game_where_it_stands(server):
    with talking(server) as first:
        name = first.new("connect-four", ["random:seed=1", "random:seed=2"], pace=0.2)
        first.wait(name, lambda shown: shown["ply"] >= 1)
    with talking(server) as second:
        second.ask("join", game=name)
        shown = second.wait(name, lambda shown: True)
        assert shown["ply"] >= 1
        second.ask("run", game=name, on=True, pace=0)
        second.wait(name, lambda shown: shown["over"])


def test_who_left_a_game_and_looks_at_it_again_is_told_of_it_again(page):
    name = page.new("chess", [None, None])
    page.ask("leave", game=name)
    page.games.clear()
    page.ask("show", game=name, flipped=True)
    assert page.wait(name, lambda shown: True)["flipped"]
    page.play(name, "e4")


def test_games_are_kept_apart(server):
    with talking(server) as first, talking(server) as second:
        ours, theirs = first.new("chess", [None, None]), second.new("chess", [None, None])
        first.play(ours, "e4")
        second.play(theirs, "d4")
        assert first.games.keys() == {ours}
        assert second.games.keys() == {theirs}
        assert first.games[ours]["moves"] == ["e4"]
        assert second.games[theirs]["moves"] == ["d4"]
        with pytest.raises(Refused, match="not on this server"):
            second.ask("join", game="guessed")


def test_work_that_nobody_waits_for_any_more_ends_without_a_word():
    said = []

    async def asked():
        asyncio.get_running_loop().set_exception_handler(lambda _, found: said.append(found))
        workers, begun, go_on = Workers(1, 5.0), threading.Event(), threading.Event()
        first = asyncio.create_task(workers.run(lambda: begun.set() or go_on.wait(), "play"))
        await asyncio.to_thread(begun.wait)
        stops = [Stop(5.0), Stop(5.0)]
        waiting = [
            asyncio.create_task(workers.run(lambda: said.append("begun"), "play", stop))
            for stop in stops
        ]
        await asyncio.sleep(0)
        for stop in stops:
            stop.drop()
        waiting[0].cancel()
        go_on.set()
        assert await first
        with pytest.raises(asyncio.CancelledError):
            await waiting[1]
        del waiting
        await workers.run(gc.collect, "play")
        await asyncio.sleep(0)

    asyncio.run(asked())
    assert said == []


def test_a_game_is_released_when_its_last_watcher_has_been_gone_for_long(monkeypatch):
    monkeypatch.setattr(sessions, "LEFT_SECONDS", 0.2)

    async def watched():
        released = []
        every = Sessions(Workers(1, 5.0), 4)
        game = games.make("connect-four")
        session = every.open(game, game.initial_state())
        monkeypatch.setattr(session, "release", lambda: released.append(1))
        for pause in (0.1, 0.15, 0.3):  # the first leaving is 0.25 seconds ago, the second 0.15
            every.watch(session, print)
            every.leave(session.name, print)
            await asyncio.sleep(pause)
            if pause == 0.15:
                assert released == []
        return released

    assert asyncio.run(watched()) == [1]

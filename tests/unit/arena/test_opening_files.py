"""Openings from files of every kind, from games at a phase, and the package's suites."""

import gzip
import os

import chess
import pytest
import toy_games

from phasezoo import arena, games, gating, training
from phasezoo.errors import InvalidConfig, InvalidFen, InvalidPgn, InvalidUci

Suite = arena.OpeningSuite

SHUFFLED = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
KNIGHTS = "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2"


def read(tmp_path, text, game="chess", name="openings", **options):
    path = tmp_path / name
    path.write_text(text)
    return Suite.read(path, game, **options)


@pytest.mark.parametrize(
    "line",
    [
        "e2e4 c7c5 g1f3",
        "e4 c5 Nf3",
        "1. e4 c5 2. Nf3  # Sicilian",
        "1.e4 c5 2.Nf3!?",
        "1. e4! {best by test} c5 (1... e5 2. f4 (2. Nf3)) 2. Nf3 $1 *",
    ],
)
def test_lists_of_moves(tmp_path, line):
    assert read(tmp_path, f"\ufeff{line}\n\n").lines == (("e2e4", "c7c5", "g1f3"),)


@pytest.mark.parametrize(("begin", "end"), [("[pgn]", "[/pgn]"), ("[PGN height=300]", "[/PGN]")])
def test_markup_of_forums_around_lists(tmp_path, begin, end):
    moves = ("e2e4", "c7c5", "g1f3")
    for text in (f"{begin}\ne4 c5 Nf3\n{end}\n", f"{begin}1. e4 c5 2. Nf3{end}\n"):
        assert read(tmp_path, text).lines == (moves,)
    suite = read(tmp_path, f"{begin}\n{KNIGHTS}\n{end}\n")
    assert (suite.starts, suite.lines) == ((KNIGHTS,), ((),))


def test_moves_of_every_kind(tmp_path):
    castled = "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0 O-O"
    assert read(tmp_path, castled).lines[0][-2:] == ("e1g1", "e8g8")
    house = "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxg2 4. P@d6 *"
    assert read(tmp_path, house, "crazyhouse").lines[0][-1] == "P@d6"
    assert read(tmp_path, "3 3 2\n0\n", "connect-four").lines == (("3", "3", "2"), ("0",))


def test_positions(tmp_path):
    fields = KNIGHTS.split()
    text = "\n".join([KNIGHTS, " ".join(fields[:4]), f'{" ".join(fields[:4])} bm e4; id "#1";'])
    text += f'\n{" ".join(fields[:4])} hmvc 7; fmvn 12; c0 "hmvc b; c"; # a word\n\n# nothing\n'
    suite = read(tmp_path, text, name="suite.epd")
    assert suite.lines == ((),) * 4
    place = " ".join(fields[:4])
    assert suite.starts == tuple(f"{place} {end}" for end in ("2 2", "0 1", "0 1", "7 12"))
    assert [suite.state(index).fen for index in range(4)] == list(suite.starts)


PGN = f"""\
[Event "one"]
[Result "1-0"]

1. e4 {{[%eval 0.3]
and more}} e5 2. Nf3 ; to the end of the line 2. Bc4
2... Nc6 3. Bb5 1-0

[Event "two"]
[FEN "{KNIGHTS}"]
[SetUp "1"]

2. d4 d5 1/2-1/2

[Event "three"]

*
"""


def test_games_in_pgn(tmp_path):
    suite = read(tmp_path, PGN, name="games.pgn")
    assert suite.lines[:2] == (("e2e4", "e7e5", "g1f3", "b8c6", "f1b5"), ("d2d4", "d7d5"))
    assert suite.starts[:2] == (None, KNIGHTS)
    cut = read(tmp_path, PGN, name="games.pgn", plies=2)
    assert cut.lines[:2] == (("e2e4", "e7e5"), ("d2d4", "d7d5"))


def test_what_a_match_wrote_is_read_again(tmp_path):
    path = tmp_path / "games.pgn"
    match = arena.play_match(
        "mcts:nodes=3", "random", game="atomic", games=4, seed=3, max_plies=24, pgn=path
    )
    played = [(*r.opening_moves, *r.moves) for r in match.games if r.ending == "max_plies"]
    suite = Suite.read(path, "atomic", plies=6)
    assert [line[:6] for line in played] == [
        line for line, r in zip(suite.lines, match.games, strict=True) if r.ending == "max_plies"
    ]


@pytest.mark.parametrize(
    ("text", "game", "error", "words"),
    [
        ("\n# only this\n", "chess", InvalidConfig, "at least one"),
        ("e4 e5 Ke3", "chess", InvalidUci, r"opening 1 .*Ke3"),
        ("e4\nd4 hello", "chess", InvalidUci, "opening 2"),
        ("2. Nf3 Nc6", "chess", InvalidPgn, "line 1 begins with move 2"),
        ("8/8/8/8 w - -", "chess", InvalidFen, "line 1"),
        (f"{KNIGHTS}\n9/8/8/8/8/8/8/8 w - - 0 1", "chess", InvalidFen, "line 2"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n", "chess", InvalidConfig, "the game is over there"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\n", "chess", InvalidConfig, "the game is over there"),
        ('[Event "x"]\n\n1. f3 e5 2. g4 Qh4# 0-1', "chess", InvalidConfig, "is over there"),
        ('[Event "x"]\n[Variant "Atomic"]\n\n1. f3 *', "chess", InvalidConfig, "'Atomic' among"),
        ('[Event "x"]\n[FEN "nowhere"]\n\n1. f3 *', "chess", InvalidFen, "nowhere"),
        ('[Event "x"]\n\n1. 3 3 *', "connect-four", InvalidPgn, "not written as PGN"),
        ("0 0 0 0 0 0 0", "connect-four", InvalidUci, "not a legal action"),
        (KNIGHTS, "connect-four", InvalidFen, "line 1"),
        (SHUFFLED, "chess", InvalidFen, "it is a position of chess960: give that game"),
        (f"{KNIGHTS} moves d2d4", "chess", InvalidFen, "line 1: 'moves d2d4' stands behind"),
        (f"{KNIGHTS} moves d2d4;", "chess", InvalidFen, "'moves d2d4;' stands behind"),
        (f"{KNIGHTS}; 2. d4", "chess", InvalidFen, "'; 2. d4' stands behind"),
        (f"{KNIGHTS} d2d4;", "chess", InvalidFen, "'d2d4;' stands behind"),
        (KNIGHTS.rpartition(" ")[0], "chess", InvalidFen, "'2' stands behind .* six fields"),
        (f"{' '.join(KNIGHTS.split()[:4])} hmvc abc;", "chess", InvalidFen, "halfmove clock"),
        (f"{' '.join(KNIGHTS.split()[:4])} fmvn -4;", "chess", InvalidFen, "move number"),
        ("e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 00", "chess", InvalidUci, "can be no move"),
        ("e4 e5 2024", "chess", InvalidUci, "'2024|2024.* can be no move"),
        ("1... e4", "chess", InvalidUci, "White is to move"),
        ('[Event "a"]\nhello\n[White "x"]\n\n1. e4 *', "chess", InvalidPgn, "line 1: text that is"),
    ],
)
def test_bad_openings(tmp_path, text, game, error, words):
    with pytest.raises(error, match=words) as raised:
        read(tmp_path, text, game)
    assert str(tmp_path) in str(raised.value) or "at least one" in words


def test_bad_suites():
    with pytest.raises(InvalidConfig, match="2 starts for 1 openings"):
        Suite("chess", ((),), (None, KNIGHTS))
    assert Suite("chess", ((),), (None,)) == Suite("chess", ((),))
    assert Suite("chess", ((),), (KNIGHTS,)).digest() != Suite("chess", ((),)).digest()


@pytest.mark.parametrize("openings_as", ["moves", "fen"])
def test_matches_from_positions(tmp_path, openings_as):
    suite = Suite("chess", (("d2d4",), ()), (KNIGHTS, None))
    pgn = tmp_path / "games.pgn"
    match = arena.play_match(
        "random", "random", games=4, openings=suite, openings_as=openings_as, max_plies=6, pgn=pgn
    )
    starts = {record.opening: record.start_fen for record in match.games}
    after = "rnbqkb1r/pppppppp/5n2/8/3P4/5N2/PPP1PPPP/RNBQKB1R b KQkq - 0 2"
    assert starts == {0: KNIGHTS if openings_as == "moves" else after, 1: None}
    for record in match.games:
        assert record.moves
    again = [g for g in match.games if g.group == 0]
    assert len({g.start_fen for g in again}) == 1
    assert {g.sides for g in again} == {(0, 1), (1, 0)}


def test_openings_that_are_typed():
    for openings in (["e4 c5", KNIGHTS], [["e2e4", "c7c5"]]):
        match = arena.play_match("random", "random", games=4, openings=openings, max_plies=4)
        assert {r.opening_moves for r in match.games} <= {("e2e4", "c7c5"), ()}
    for openings, error in [
        ([["e2e4"], ["e2e5"]], InvalidUci),
        (["e4", "Ke3"], InvalidUci),
        (["e4", "9/8 w - -"], InvalidFen),
        ([["f2f3", "e7e5", "g2g4", "d8h4"]], InvalidConfig),
        ([], InvalidConfig),
        (arena.OpeningSuite("chess", ((),), ("nowhere",)), InvalidFen),
    ]:
        with pytest.raises(error):
            arena.play_match("random", "random", games=20, openings=openings, max_plies=4)


def suites():
    return [(game, name) for game in games.names() for name in Suite.names(game)]


def test_the_packages_suites():
    assert {game: list(Suite.names(game)) for game in games.names() if Suite.names(game)} == {
        "atomic": ["balanced"],
        "chess": ["unbalanced"],
        "chess960": ["starts"],
        "connect-four": ["drawn", "two-ply"],
        "crazyhouse": ["balanced"],
    }
    with pytest.raises(InvalidConfig, match=r"'odd': neither a file .*'drawn', 'two-ply'"):
        Suite.load("connect-four", "odd")
    for game, name, told in (
        ("connect-four", "drawm", r"did you mean 'drawn'\? It has 'drawn', 'two-ply' and a usual"),
        ("chess", "balanced", r"neither a file nor a suite of 'chess'"),
        ("krk", "odd", r"It has the usual one alone"),
        ("chess", "no/such.pgn", "no/such.pgn: cannot be read"),
    ):
        with pytest.raises(InvalidConfig, match=told):
            arena.play_match("random", "random", game=game, games=2, openings=name)


@pytest.mark.parametrize(("game", "name"), suites())
def test_every_suite_is_legal_and_its_positions_differ(game, name):
    suite = Suite.load(game, name)
    states = [suite.state(index) for index in range(len(suite))]
    assert len(suite) >= 49
    assert len({state.key for state in states}) == len(suite)
    match = arena.play_match(
        "random", "random", game=game, games=2, openings=name, max_plies=12, seed=1
    )
    assert len(match.games) == 2


def test_connect_four_suites():
    pairs = set(Suite.load("connect-four", "two-ply").lines)
    assert pairs == {(str(a), str(b)) for a in range(7) for b in range(7)}
    pytest.importorskip("bitbully")
    game, suite = games.make("connect-four"), Suite.load("connect-four", "drawn")
    for index in range(0, len(suite), 10):
        assert game.action_scores(suite.state(index)).max() == 0


def test_chess960_starts():
    suite = Suite.load("chess960", "starts")
    boards = {chess.Board(fen, chess960=True).chess960_pos() for fen in suite.starts}
    assert boards == set(range(960))


@pytest.mark.parametrize("phase", ["middlegame", 2])
def test_openings_at_a_phase_of_stored_games(phase):
    store = training.GameStore.sample("chess").subset(range(60))
    suite = Suite.at_phase(store, "lichess", phase, count=20)
    gate = gating.make("lichess")
    wanted = 1 if phase == "middlegame" else 2
    assert len(suite) == 20
    for index in range(len(suite)):
        phases = gate.batch(suite.states(index)).tolist()
        assert phases[-1] == wanted
        assert wanted not in phases[:-1]


def test_openings_at_a_phase_of_a_match_and_of_pgn(tmp_path):
    path = tmp_path / "games.pgn"
    match = arena.play_match("random", "random", games=6, seed=2, max_plies=120, pgn=path)
    gate = "plies:20,40"
    suites = [Suite.at_phase(played, gate, 1, game="chess") for played in (match, match.games)]
    suites.append(Suite.at_phase(path, gate, "21–40"))
    assert suites[0] == suites[1] == suites[2]
    assert {len(line) for line in suites[0].lines} == {21}
    four = arena.play_match("random", "random", game="connect-four", games=4, seed=1)
    assert {len(line) for line in Suite.at_phase(four, "plies:4", 1).lines} == {5}


def test_phases_that_are_not_there():
    match = arena.play_match("random", "random", games=2, seed=2, max_plies=20)
    for phase in ("ending", 3, -1, True):
        with pytest.raises(
            InvalidConfig, match="the gate 'lichess:classic' has the phases 'opening'"
        ):
            Suite.at_phase(match, "lichess", phase)
    with pytest.raises(InvalidConfig, match="no game gets to"):
        Suite.at_phase(match, "plies:100", 1)
    with pytest.raises(InvalidConfig, match="holds no games"):
        Suite.at_phase(5, "lichess", 1)


def test_games_of_ones_own():
    toy_games.register()
    match = arena.play_match("random", "random", game="toy-heap", games=3, seed=1)
    assert len(Suite.at_phase(match, "plies:1", 1).lines) >= 1


@pytest.mark.parametrize(
    ("text", "start", "moves"),
    [
        (f'[FEN "{KNIGHTS}"]\n{{ from a book }}\n[White "b"]\n\n2. d4 *', KNIGHTS, "d2d4"),
        (f'[Event "x"]\n[fEn "{KNIGHTS} ;"]\n\n2. d4 *', KNIGHTS, "d2d4"),
        ('[Event "The "Big" One"]\n\n1. e2-e4 Ng8-f6 1/2', None, "e2e4 g8f6"),
        ('[Site "two\nlines"]\n\n1. ♘f3 d7d5 *', None, "g1f3 d7d5"),
        ("[pgn]\n1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0 0-0[/pgn]", None, "e1g1 e8g8"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_pgn_is_read_as_imports_read_it(tmp_path, text, start, moves, end):
    path = tmp_path / "openings"
    path.write_bytes(f"\ufeff{text}\n".replace("\n", end).encode())
    suite = Suite.read(path)
    assert len(suite) == 1
    assert suite.start(0) == start
    assert " ".join(suite.lines[0]).endswith(moves)


def test_pgn_in_other_encodings_and_compressed(tmp_path):
    text = '[Event "Málaga"]\n\n1. e4 {schön} c5 ½-½\n'.encode("cp1252")
    for data in (text, gzip.compress(text)):
        path = tmp_path / "openings"
        path.write_bytes(data)
        assert Suite.read(path).lines == (("e2e4", "c7c5"),)


def test_moves_in_a_list_are_read_as_in_games(tmp_path):
    text = "e2-e4 e7-e5 Ng1-f3\n1. e4 e6 2. e5 d5 3. exd6 e.p. 1/2\n♘f3 d5 +=\n"
    lines = read(tmp_path, text).lines
    assert [line[-1] for line in lines] == ["g1f3", "e5d6", "d7d5"]
    assert read(tmp_path, "e4 e5\nd4 d5 c4", plies=2).lines[1] == ("d2d4", "d7d5")
    with pytest.raises(InvalidUci, match=r"opening 2 .*a line of its own"):
        read(tmp_path, "e4 e5\n1. d4 1-0 1. c4 1-0")


def test_a_game_that_is_never_closed_is_left_out_and_named(tmp_path):
    text = '[Event "a"]\n\n1. e4 {open *\n[Event "b"]\n\n1. d4 *\n\n[Event "c"]\n\n1. c4 (1. e4 *\n'
    with pytest.warns(UserWarning, match=r"2 games .*line 1: a comment.*line 8: a variation"):
        assert read(tmp_path, text).lines == (("d2d4",),)
    with pytest.raises(InvalidPgn, match="line 1: a comment is never closed"):
        read(tmp_path, text.partition('[Event "b')[0])


def test_positions_that_end_in_a_semicolon(tmp_path):
    suite = read(tmp_path, f"{KNIGHTS};\n{' '.join(KNIGHTS.split()[:4])};\n")
    assert suite.starts == (KNIGHTS, " ".join([*KNIGHTS.split()[:4], "0 1"]))


def test_starts_of_chess960_and_of_other_pockets(tmp_path):
    fen = "nbbqrknr/pppppppp/8/8/8/8/PPPPPPPP/NBBQRKNR w KQkq - 0 1"
    text = f'[FEN "{fen}"]\n\n1. e4 e5 *\n'
    assert read(tmp_path, text, "chess960").lines == (("e2e4", "e7e5"),)
    with pytest.raises(InvalidConfig, match="--game chess960"):
        read(tmp_path, text)
    house = "4k3/8/8/8/8/8/8/4K3[2N-] w - - 0 1"
    assert read(tmp_path, house.replace("-]", "]"), "crazyhouse").states(0)[0].fen.count("N") == 2


def test_openings_at_a_phase_end_where_a_game_is_over(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text('[Event "x"]\n\n' + "Nf3 Nf6 Ng1 Ng8 " * 3 + "e4 1-0\n")
    assert len(Suite.at_phase(path, "plies:4", 1).lines[0]) == 5
    with pytest.raises(InvalidConfig, match="no game gets to"):
        Suite.at_phase(path, "plies:10", 1)


def test_what_has_no_end_is_no_suite(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(InvalidConfig, match="named pipe"):
            Suite.read(path)

"""The engine as a process: what it has loaded when, and how clients of the protocol find it."""

import subprocess
import sys
import textwrap
import tomllib

import pytest

from phasezoo import agents, arena
from phasezoo.apps.cli import main

chess = pytest.importorskip("chess")
chess_engine = pytest.importorskip("chess.engine")
chess_variant = pytest.importorskip("chess.variant")

AGENT = "mcts:nodes=16,batch_size=4"
COMMAND = [sys.executable, "-m", "phasezoo", "uci", "--agent", AGENT]


def talk(text, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "phasezoo", "uci", *(arguments or ("--agent", AGENT))],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_nothing_heavy_is_loaded_before_the_greeting():
    code = """
        import io, sys
        sys.argv = ["phasezoo", "uci", "--agent", "mcts:nodes=4"]
        heavy = {"numpy", "torch", "onnxruntime", "gymnasium", "pettingzoo", "chess"}

        class Out(io.StringIO):
            def write(self, text):
                if "uciok" in text:
                    sys.stderr.write(f"loaded: {sorted(heavy & set(sys.modules))}")
                if "readyok" in text:
                    sys.stderr.write(f"; then: {sorted(heavy & set(sys.modules))}")
                return super().write(text)

        from phasezoo.apps.cli import main
        sys.stdin, sys.stdout = io.StringIO("uci\\nisready\\nquit\\n"), Out()
        main()
        import gymnasium
        sys.stderr.write(f"; {'Chess-v0' in gymnasium.registry}")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stderr.startswith("loaded: []; then: ['gymnasium', 'numpy',")
    assert "torch" not in done.stderr
    assert done.stderr.endswith("; True"), "environments are registered later"


def test_the_end_of_input_is_quit_and_answers_what_is_searched():
    done = talk("position startpos\ngo infinite\n")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.count("bestmove") == 1


def test_a_network_that_cannot_be_loaded_ends_the_process_with_a_code(tmp_path):
    broken = tmp_path / "net"
    broken.mkdir()
    (broken / "manifest.json").write_text("{}")
    for arguments, text in (
        (("--agent", f"mcts:net={broken}"), "uci\nisready\ngo nodes 3\n"),
        (("--agent", AGENT), f"setoption name ExpertsPath value {broken}\ngo nodes 3\n"),
    ):
        done = talk(text, *arguments)
        assert done.returncode == 1
        assert "info string error: " in done.stdout
        assert str(broken) in done.stdout
        assert str(broken) in done.stderr
        assert done.stderr.startswith("phasezoo: ")
        assert done.stderr.count("\n") == 1, "no traceback"
        assert "readyok" not in done.stdout


@pytest.mark.parametrize("name", ["phasezoo-uci", "phasezoo-uci.exe"])
def test_a_program_of_its_own_needs_no_arguments(name, tmp_path, repository):
    scripts = tomllib.loads((repository / "pyproject.toml").read_text())["project"]["scripts"]
    module, function = scripts["phasezoo-uci"].split(":")
    program = tmp_path / name
    program.write_text(f"from {module} import {function}\nraise SystemExit({function}())\n")
    talks = ([], "uci\nposition startpos\nquit\n"), (["--agent", AGENT], "uci\nisready\ngo\n")
    for arguments, text in talks:
        done = subprocess.run(
            [sys.executable, str(program), *arguments],
            input=text, capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        assert "uciok" in done.stdout
        assert done.stdout.count("bestmove") == len(arguments) // 2


def test_garbage_on_the_input_is_passed_over():
    done = subprocess.run(
        COMMAND,
        input=b"\xff\xfe\x00\nuci\ngo nodes 3\n",
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0
    assert b"uciok" in done.stdout
    assert done.stdout.count(b"bestmove") == 1


def test_options_of_the_command(capsys):
    assert main(["uci", "--agnet", "x"]) == 2
    with pytest.raises(SystemExit) as end:
        main(["uci", "--help"])
    assert not end.value.code
    assert "--agent" in capsys.readouterr().out


@pytest.fixture(scope="module")
def client():
    with chess_engine.SimpleEngine.popen_uci(COMMAND, timeout=60) as engine:
        yield engine


def test_a_client_finds_what_it_expects(client):
    assert client.id["name"].startswith("phasezoo")
    assert {"Hash", "Threads", "MultiPV", "UCI_Variant", "UCI_Chess960"} <= set(client.options)
    client.ping()
    info = client.analyse(chess.Board(), chess_engine.Limit(nodes=200))
    assert info["nodes"] >= 200
    assert info["pv"][0] in chess.Board().legal_moves
    assert {"depth", "seldepth", "nps", "time", "score", "hashfull", "tbhits"} <= set(info)


def test_a_client_analyses_with_several_lines_and_chances(client):
    board = chess.Board("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1")
    infos = client.analyse(board, chess_engine.Limit(nodes=2000), multipv=3)
    assert [info["multipv"] for info in infos] == [1, 2, 3]
    assert infos[0]["score"].white().mate() == 2
    info = client.analyse(
        chess.Board(), chess_engine.Limit(nodes=50), options={"UCI_ShowWDL": True}
    )
    assert info["wdl"].white().total() == 1000
    with client.analysis(chess.Board()) as analysis:
        for found in analysis:
            if "pv" in found:
                break
    assert analysis.wait().move in chess.Board().legal_moves


def test_a_client_searches_among_moves(client):
    moves = [chess.Move.from_uci("a2a3")]
    played = client.play(chess.Board(), chess_engine.Limit(nodes=50), root_moves=moves)
    assert played.move == moves[0]
    mated = client.play(chess.Board("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1"), chess_engine.Limit(nodes=5))
    assert mated.move is None


BOARDS = {
    "chess": chess.Board,
    "chess960": lambda: chess.Board.from_chess960_pos(518 - 17),
    "atomic": chess_variant.AtomicBoard,
    "crazyhouse": chess_variant.CrazyhouseBoard,
}


@pytest.mark.parametrize("variant", BOARDS)
def test_whole_games_of_every_variant(client, variant):
    board, moves = BOARDS[variant](), 0
    while not board.is_game_over(claim_draw=True) and moves < 300:
        limit = chess_engine.Limit(nodes=8) if moves % 2 else chess_engine.Limit(time=0.003)
        played = client.play(board, limit, game=variant, ponder=moves % 5 == 0)
        assert played.move in board.legal_moves, (board.fen(), played)
        assert played.ponder is None or played.ponder in after(board, played.move).legal_moves
        board.push(played.move)
        moves += 1
    assert moves > 5


def after(board, move):
    board = board.copy()
    board.push(chess.Move.from_uci(move) if isinstance(move, str) else move)
    return board


@pytest.mark.parametrize("game", ["chess960", "crazyhouse"])
def test_the_package_asks_it_as_any_engine_from_outside(game):
    outside = agents.EngineAgent(COMMAND, nodes=8)
    match = arena.play_match(
        outside, agents.RandomAgent(seed=2), game=game, games=2, seed=1, max_plies=30
    )
    assert {record.reason for record in match.games} <= {"checkmate", "max_plies"}


FEN = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27"


def test_what_fastchess_checks():
    """The steps of ``fastchess --compliance``, over the process's own pipes."""
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:

        def ask(line, end):
            process.stdin.write(f"{line}\n")
            lines = []
            while not lines or not lines[-1].startswith(end):
                lines.append(process.stdout.readline().rstrip("\n"))
                assert lines[-1] or process.poll() is None
            return lines

        def ready(line=None):
            if line is not None:
                process.stdin.write(f"{line}\n")
            assert ask("isready", "readyok") == ["readyok"]

        greeting = ask("uci", "uciok")
        assert any(line.startswith("id name ") for line in greeting)
        assert any(line.startswith("id author ") for line in greeting)
        ready()
        ready("ucinewgame")
        ready("position startpos")
        ready(f"position fen {FEN}")
        for go in (
            "go wtime 100",
            "go btime 100",
            "go wtime 100 winc 100 btime 100 binc 100",
            "go btime 100 binc 100 wtime 100 winc 100",
        ):
            lines = ask(go, "bestmove")
            infos = [line for line in lines if line.startswith("info")]
            assert "score" in infos[-1]
            assert chess.Move.from_uci(lines[-1].split()[1]) in chess.Board(FEN).legal_moves
        ready("ucinewgame")
        for position, board in (
            ("startpos", chess.Board()),
            ("startpos moves e2e4 e7e5", after(after(chess.Board(), "e2e4"), "e7e5")),
        ):
            process.stdin.write(f"position {position}\n")
            played = ask("go wtime 100 btime 100", "bestmove")[-1].split()[1]
            assert chess.Move.from_uci(played) in board.legal_moves
        process.stdin.write("quit\n")
        process.stdin.flush()
        assert process.wait(timeout=60) == 0

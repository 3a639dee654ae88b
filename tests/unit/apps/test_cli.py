import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from phasezoo._interrupt import nothing_written, saying
from phasezoo.apps import cli
from phasezoo.apps.command_line import COMMANDS
from phasezoo.specs import descriptions_of
from phasezoo.specs.arguments import parameters_of


def run(*arguments):
    return cli.main(list(arguments))


def complaint(capsys):
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith("phasezoo: ")
    assert "Traceback" not in error
    return error


def shown_help(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        run(*arguments)
    assert end.value.code in (0, None)
    return capsys.readouterr().out


def test_help_names_every_command(capsys):
    shown = shown_help(capsys, "--help")
    assert shown == shown_help(capsys) == shown_help(capsys, "help")
    for command in ("reproduce", "data", "train", "perft", "doctor", "uci"):
        assert f"\n  {command} " in shown


def test_the_version_is_the_packages(capsys):
    import phasezoo

    assert run("--version") == 0
    assert capsys.readouterr().out == f"phasezoo {phasezoo.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["reproduc"],
            [
                "'reproduc': no such command; did you mean 'reproduce'?",
                "reproduce, data, train",
                "uci, web, check, perft, bench, doctor",
            ],
        ),
        (["reproduce", "alphago"], ["alphago", "m2cts, representation, krk"]),
        (["reproduce"], ["m2cts, representation, krk", "phasezoo reproduce --help"]),
        (["data", "importt"], ["importt", "fetch, import, phases"]),
        (["data", "phases", "--threads", "-1"], ["--threads -1", "from 1 to 65,535"]),
        (
            ["data", "import", "a.pgn", "a.parquet", "--threads", "0"],
            ["--threads 0", "from 1 to 65,535"],
        ),
        (["reproduce", "krk", "--threads", "0"], ["--threads 0", "from 1 to 65,535"]),
        (["perft", "chess", "--deep", "5"], ["--deep"]),
        (
            ["perft", "chess", "--depth", "x"],
            ["--depth x: expected a whole number from 0 to 13 (see"],
        ),
        (
            ["perft", "chess", "--depth", "1", "--threads", "x"],
            ["--threads x: expected a whole number from 1 to 65,535 or none (see"],
        ),
        (["perft", "chess", "--depth", "-1"], ["0 to 13"]),
        (["perft", "chess", "--depth", "2", "--threads", "0"], ["--threads 0", "from 1 to 65,535"]),
        (["perft", "chess", "--depth", "2", "--fen", "x"], ["'x'"]),
        (["perft", "connect-four", "--depth", "2", "--fen", "x"], ["--fen x", "digits 1 to 7"]),
        (["perft", "go", "--depth", "2"], ["go"]),
        (["perft", "ches", "--depth", "2"], ["did you mean 'chess'"]),
        (["data", "import", "a.pgn", "store", "--game", "choss"], ["did you mean 'chess'"]),
        (["perft", "go", "--depth", "2", "--divide"], ["go"]),
        (["perft", "chess", "--depth", "0", "--divide"], ["1 to 13"]),
        (["doctor", "--fast"], ["--fast"]),
        (["reproduce", "m2cts", "--preset", "huge"], ["huge", "quick"]),
        (["reproduce", "m2cts", "--nodse", "5"], ["--nodse"]),
        (
            ["match", "mcts", "random", "--nodes", "5"],
            ["--nodes: no such option; a search has one, as in mcts:nodes=…", "(see phasezoo mat"],
        ),
        (["reproduce", "m2cts", "--node", "5"], ["--node: no such option; did you mean --nodes"]),
        (
            ["reproduce", "m2cts", "--boards", "3"],
            ["--boards: no such option; did", "? (see phasezoo reproduce m2cts --help)"],
        ),
        (["reproduce", "m2cts", "--planes", "v9"], ["--planes v9: "]),
        (["reproduce", "m2cts", "--positions", "1000000000000"], ["from 1,000 to 100,000,000,000"]),
        (
            ["reproduce", "m2cts", "--searches", "nodes=zero"],
            ["nodes='zero': expected a whole number"],
        ),
        (["reproduce", "m2cts", "--arms", "staged@nope"], ["--arms staged@nope: gate"]),
        (["reproduce", "m2cts", "--gate", "hash:3"], ["--gate hash:3: is its own placebo"]),
        (["reproduce", "m2cts", "--nodes"], ["--nodes needs a value"]),
        (["perft", "--depth", "1"], ["GAME is missing (see"]),
        (["perft", "chess", "go", "--depth", "1"], ["'go': this command takes no such word"]),
        (["--verson"], ["'--verson'", "did you mean '--version'?", "xpected one of reproduce"]),
        (
            ["data", "phases", "sample:connect-four"],
            ["--gate lichess (the default): ", "threats, plies and hash"],
        ),
        (
            ["data"],
            ["expected one of fetch, import, phases, show, solve, stats (see"],
        ),
        (
            ["reproduce", "m2cts", "--game", "pommerman", "--learned-gate"],
            ["--learned-gate: no such", "(see phasezoo reproduce m2cts --game pommerman --help)"],
        ),
        (
            ["reproduce", "m2cts", "--from-scratch", "--alone", "--nodes", "3", "--arms", "x"],
            ["--alone: no such option", "(see phasezoo reproduce m2cts --from-scratch --help)"],
        ),
        (
            ["reproduce", "m2cts", "--learning-rate", "big"],
            ["--learning-rate big: expected a number"],
        ),
        (["reproduce", "m2cts", "--nodes", "0"], ["--nodes 0", "1 or more"]),
        (["reproduce", "m2cts", "--games-played", "7"], ["--games-played 7", "even"]),
        (["reproduce", "m2cts", "--gate", "moves:0"], ["moves:0"]),
        (["reproduce", "m2cts", "--gate", "lichess:classical"], ["lichess:classical"]),
        (["reproduce", "m2cts", "--planes", "v9"], ["v9"]),
        (["reproduce", "m2cts", "--network", "rise-axb"], ["rise-axb"]),
    ],
)
def test_wrong_commands_are_one_sentence_and_code_2(
    arguments, words, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    error = complaint(capsys)
    for word in words:
        assert word in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["reproduce"], ["m2cts", "krk"]),
        (["reproduce", "m2cts"], ["--nodes", "--games-played", "--resume"]),
        (["reproduce", "m2cts", "--preset", "paper"], ["rise-256x15"]),
        (["reproduce", "krk"], ["--constants", "--defender"]),
        (["data"], ["import", "phases"]),
        (["data", "import"], ["--min-plies"]),
        (["data", "phases"], ["--monotone"]),
        (["perft"], ["--divide"]),
        (["doctor"], ["backends"]),
    ],
)
def test_every_command_and_group_has_help_of_its_own(command, words, capsys):
    shown = shown_help(capsys, *command, "--help-all")
    title = " ".join(w for w in command if not w.startswith("--") and w != "paper")
    assert f"usage: phasezoo {title} " in shown
    for word in words:
        assert word in shown


def commands(entry=COMMANDS, words=()):
    """All commands and groups, and the variants of studies that have options of their own."""
    yield words, entry
    for name, member in entry.members().items():
        yield from commands(member, (*words, name))


EVERY_COMMAND = [
    *(words for words, _ in commands()),
    ("reproduce", "m2cts", "--from-scratch"),
    ("reproduce", "m2cts", "--curve"),
    ("reproduce", "m2cts", "--game", "pommerman"),
    ("selfplay", "krk"),
]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("words", EVERY_COMMAND, ids=" ".join)
def test_help_fits_a_terminal(words, width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    every = shown_help(capsys, *words, "--help-all").splitlines()
    shown = shown_help(capsys, *words, "--help").splitlines()
    assert max(map(len, every + shown)) <= width
    if width >= 80:
        assert len(shown) <= 60
    options = [line.split()[0] for line in shown if line.startswith("  -")]
    assert set(options) <= {line.split()[0] for line in every if line.startswith("  -")}
    if len(shown) < len(every):
        assert "--help-all" in shown[-1]


@pytest.mark.parametrize(
    ("shell", "program"),
    [("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])],
)
def test_shells_read_the_script_that_completes(shell, program, capsys, tmp_path):
    assert run("completion", shell) == 0
    script = capsys.readouterr().out
    for word in ("reproduce", "m2cts", "--games-played", "gauntlet", "--log-file"):
        assert word.removeprefix("--") in script
    if shutil.which(program[0]):
        (tmp_path / "script").write_text(script)
        subprocess.run([*program, tmp_path / "script"], check=True, timeout=60)


def test_log_files_hold_output_and_log(capsys, tmp_path):
    file = tmp_path / "log.txt"
    for _ in range(2):
        assert run("perft", "chess", "--depth", "1", "--log-file", str(file)) == 0
    assert file.read_text() == capsys.readouterr().out
    assert file.read_text().count("20") >= 2
    assert run("perft", "chess", "--depth", "1", "--log-file", str(tmp_path / "no" / "log")) == 2
    assert "no does not exist; make it first" in complaint(capsys)
    assert run("perft", "chess", "--depth", "1", "-q", "--verbose") == 2
    assert "-q, -v" in complaint(capsys)


def test_common_options_may_stand_in_the_file(capsys, tmp_path):
    options, log = tmp_path / "options.toml", tmp_path / "log.txt"
    words = ("perft", "chess", "--depth", "1", "--config", str(options))
    options.write_text(f'quiet = true\nlog_file = "{log}"\n')
    assert run(*words) == 0
    assert log.read_text() == capsys.readouterr().out
    assert run(*words, "-v") == 0, "what is typed wins"
    for given, expected in (
        ("quiet = 3", "true or false"),
        ("log_file = 3", "in quotes"),
        ('log_file = ""', "in quotes"),
        ("quiet = true\nverbose = true", "give one"),
    ):
        options.write_text(given)
        assert run(*words) == 2
        assert expected in complaint(capsys)


@pytest.mark.parametrize(("switch", "lines"), [([], True), (["-q"], False)])
def test_quiet_commands_print_no_progress(switch, lines, capsys, monkeypatch):
    from phasezoo.report.console import TerminalConsole

    def work(_options):
        with TerminalConsole().task("Games", 2) as task:
            task.update(2)
        logging.getLogger("phasezoo.x").info("detail")
        logging.getLogger("phasezoo.x").warning("careful")
        return 0

    monkeypatch.setattr("phasezoo.apps.perft_command.PerftOptions.run", work)
    assert run("perft", "chess", "--depth", "1", *switch) == 0
    shown = capsys.readouterr()
    assert ("Games: 2 done" in shown.out) == lines
    assert shown.err == ("phasezoo: WARNING: careful\n" if lines else "")
    assert run("perft", "chess", "--depth", "1", "-v") == 0
    assert "phasezoo: INFO: detail" in capsys.readouterr().err


def test_every_option_of_every_command_is_described():
    for kind in (entry.options(()) for _, entry in commands() if entry.options):
        for each in parameters_of(kind):
            assert each.name == "plugin" or descriptions_of(each.owner).get(each.path[-1]), each


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ["data", "stats", "a.pgn"],
            1,
            "make a store of it first, phasezoo data import a.pgn GAMES/ (in Python training.",
        ),
        (["data", "phases", "a.pgn.gz"], 1, "a.pgn.gz is PGN"),
        (["train", "a.pgn", "--positions", "9", "--out", "x"], 1, "phasezoo data import"),
        (["data", "import", "a.pgn", "a.pgn/x"], 1, "a.pgn is a file"),
        (["data", "import", "a.pgn", "a.pgn/x.parquet"], 1, "a.pgn is a file"),
        (["data", "import", "a.pgn", "x", "--split-by", "month", "--test"], 2, "--test needs"),
        (["check", "folder/"], 1, "folder: no manifest.json"),
        (["check", "."], 1, "no manifest.json"),
        (["check", "mcts:node=5"], 2, "did you mean nodes="),
        (["check", "chss"], 2, "'chss' is no game or agent either; did you mean 'chess'?"),
        (["check", "mctss:nodes=5"], 2, "is no game or agent either; did you mean 'mcts'?"),
        (["check", "human"], 2, "asks a person at the terminal"),
        (["match", "UCT", "random"], 2, "did you mean 'uct'?"),
        (["match", "m2cts:experts=nowhere", "random"], 1, "nowhere: no such folder; train_experts"),
        (
            ["train", "nowhere.pgn", "--positions", "9", "--out", "x"],
            1,
            "nowhere.pgn: no such file",
        ),
        (["reproduce", "m2cts", "--preset", "quik"], 2, "gpu, paper; did you mean 'quick'?"),
        (["completion", "fsh"], 2, "one of bash, zsh, fish; did you mean 'fish'?"),
    ],
)
def test_one_thing_in_place_of_another_is_one_sentence(
    arguments, code, words, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name in ("a.pgn", "a.pgn.gz"):
        (tmp_path / name).write_text("1. e4 e5 1-0")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.iterdir())
    assert run(*arguments) == code
    assert words in complaint(capsys)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "text", ["mcts:nodes=2,seed=1", "random", "module:phasezoo.agents:RandomAgent"]
)
def test_agents_are_checked_by_their_texts(text, capsys):
    assert run("check", text, "--game", "connect-four") == 0
    assert "every contract held" in capsys.readouterr().out


def test_ctrl_c_is_130(monkeypatch):
    def stop(_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("phasezoo.apps.perft_command.PerftOptions.run", stop)
    assert run("perft", "chess", "--depth", "1") == 130


def test_perft_ends_with_the_count(capsys):
    assert run("perft", "chess", "--depth", "4") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "197281"
    kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    assert run("perft", "chess", "--depth", "3", "--fen", kiwipete) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "97862"


@pytest.mark.parametrize(
    ("game", "fen", "depth", "count"),
    [
        ("chess", None, 4, 197_281),
        ("chess960", None, 3, 8_902),
        ("atomic", "rn2kb1r/1pp1p2p/p2q1pp1/3P4/2P3b1/4PN2/PP3PPP/R2QKB1R b KQkq - 0 1", 3, None),
        ("crazyhouse", "2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - - 0 1", 3, None),
        ("crazyhouse", "4k3/1Q~6/8/8/4b3/8/Kpp5/8/ b - - 0 1", 3, None),
        ("krk", None, 3, None),
    ],
)
def test_perft_divide_adds_up_to_the_count(game, fen, depth, count, capsys):
    from phasezoo import _core

    given = ["perft", game, "--depth", str(depth), "--divide", *(["--fen", fen] if fen else [])]
    assert run(*given) == 0
    *moves, _, total = capsys.readouterr().out.splitlines()
    parts = dict(line.split(": ") for line in moves)
    assert sum(map(int, parts.values())) == int(total) == _core.perft(game, fen, depth)
    assert len(parts) == len(moves) == _core.perft(game, fen, 1)
    if count is not None:
        assert int(total) == count


def test_perft_divides_a_game_without_notation_by_playing_it(monkeypatch):
    from phasezoo import games
    from phasezoo.apps.perft_command import _leaves
    from phasezoo.games.queries import move_text

    state = games.make("chess").initial_state()

    class Plain:
        """A chess state that cannot be written down."""

        def __init__(self, inner):
            self.inner, self.legal_actions = inner, inner.legal_actions
            self.to_play = inner.to_play

        def play(self, action):
            return Plain(self.inner.play(action))

    assert _leaves("plain", Plain(state), 3, None) == 8_902
    assert move_text(Plain(state), 7) == "7"


LONG = "x" * 300


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["reproduce", "krk", "--out", LONG], "cannot be written"),
        (["reproduce", "krk", "--out", "/proc/phasezoo-run"], "cannot be written"),
        (["reproduce", "krk", "--out", "a.pgn/run"], "cannot be written"),
        (["reproduce", "krk", "--resume", LONG], "too long"),
        (["reproduce", "m2cts", "--games", LONG], "too long"),
        (["data", "import", "a.pgn", LONG], "too long"),
        (["data", "import", "a.pgn", "/proc/phasezoo.parquet"], "cannot be written"),
        (["data", "import", LONG, "a.parquet"], "too long"),
        (["data", "phases", LONG], "too long"),
    ],
)
def test_a_place_that_cannot_be_is_one_short_line(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pgn").write_text('[Result "1-0"]\n\n1. e4 e5 1-0\n')
    assert run(*arguments) == 1
    error = complaint(capsys)
    assert words in error
    assert len(error) < 300
    assert [path.name for path in tmp_path.iterdir()] == ["a.pgn"]


def test_small_commands_load_nothing_heavy():
    code = (
        "import sys\nfrom phasezoo.apps.cli import main\n"
        "heavy = {'torch', 'onnxruntime', 'pyarrow', 'matplotlib', 'chess'}\n"
        "for words in ('--help', 'reproduce --help', '--version', 'perft --help'):\n"
        "    try: main(words.split())\n"
        "    except SystemExit: pass\n"
        "    assert not heavy & set(sys.modules), (words, heavy & set(sys.modules))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "phasezoo", "perft", "chess", "--depth", "2"],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "400"


def test_a_reader_that_leaves_is_no_error():
    code = "import sys; from phasezoo.apps.cli import main; sys.exit(main(['--help']))"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        error = process.stderr.read()
        assert process.wait(60) == 0
    assert error == b""


def test_a_reader_that_leaves_finds_all_results_of_a_match(tmp_path):
    words = ["match", "random", "random", "--game", "connect-four", "--games", "4", "--out"]
    command = [sys.executable, "-u", "-m", "phasezoo", *words, tmp_path / "run"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0
    assert {"results.json", "report.html"} <= {path.name for path in (tmp_path / "run").iterdir()}


def test_a_reader_that_leaves_a_long_run_is_told_how_it_goes_on(tmp_path):
    words = ["selfplay", "connect-four", "--network=resnet-8x1", "--updates=3", "--nodes=4"]
    words += ["--games-per-update=4", f"--out={tmp_path}/run"]
    command = [sys.executable, "-u", "-m", "phasezoo", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert b"Stopped. The same command continues" in process.stderr.read()
        assert process.wait(60) == 1


CLOSED = """
import os, sys
os.close({})
os.execv(sys.executable, [sys.executable, "-m", "phasezoo", *sys.argv[1:]])
"""


@pytest.mark.skipif(os.name != "posix", reason="streams are closed otherwise there")
@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_closed_stream_ends_no_command(stream, tmp_path):
    words = ["match", "random", "random", "--game=connect-four", "--games=2", "--out=run"]
    done = subprocess.run(
        [sys.executable, "-c", CLOSED.format(stream), *words],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == ""
    assert (tmp_path / "run" / "results.json").is_file()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("BrokenPipeError(32, 'Broken pipe')", "BrokenPipeError: [Errno 32] Broken pipe; raised"),
        ("ConnectionRefusedError(111, 'Refused')", "ConnectionRefusedError: [Errno 111]"),
        ("FileNotFoundError(2, 'No such file', 'weights')", "No such file: 'weights'; raised by"),
        ("OSError(28, 'No space left on device')", "OSError: [Errno 28] No space left"),
        ("SystemExit(0)", "SystemExit: 0"),
    ],
)
def test_what_an_agent_of_ones_own_raises_is_told_with_its_place(
    error, words, tmp_path, monkeypatch, capsys
):
    name = f"own_agent_{abs(hash(error))}"
    (tmp_path / f"{name}.py").write_text(f"def act(observation, info):\n    raise {error}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    agent = f"module:{name}:act"
    assert run("match", agent, "random", "--game", "connect-four", "--games", "2") == 1
    line = complaint(capsys)
    assert words in line
    assert f"{name}.py, line 2: " in line


def test_a_game_of_ones_own_that_fails_before_the_first_move_is_told(tmp_path, monkeypatch, capsys):
    (tmp_path / "never_over.py").write_text(
        "import numpy as np\nfrom phasezoo import games\n"
        "class State:\n    to_play = 0\n    legal_actions = np.arange(2)\n"
        "    returns = np.zeros(2, np.float32)\n    def play(self, action): return self\n"
        "    def planes(self, spec, player=None): return np.zeros((1, 1, 1), np.float32)\n"
        "    @property\n    def is_terminal(self):\n        raise RuntimeError('boom')\n"
        "games.register('never-over', initial_state=State, num_players=2, num_actions=2,\n"
        "    plane_specs={'default': (1, 1, 1)})\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["--game", "never-over", "--games", "2", "--plugin", "never_over.py"]
    assert run("match", "random", "random", *words) == 1
    assert "never_over.py, line 11: RuntimeError: boom" in complaint(capsys)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no file here is always full")
def test_a_full_log_is_told_once_and_ends_no_run(capsys):
    words = ["perft", "chess", "--depth", "2", "--log-file", "/dev/full"]
    assert run(*words) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[-1] == "400"
    assert printed.err.count("\n") == 1
    assert "warning: --log-file /dev/full: No space left" in printed.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes there")
def test_a_log_is_a_file(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path):
        assert run("perft", "chess", "--depth", "1", "--log-file", str(place)) == 2
        assert "is a pipe or a directory; give a file" in complaint(capsys)


@pytest.mark.parametrize("columns", [1, 2, 3, 5, 6, 8])
def test_the_narrowest_terminal_has_a_help(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert shown_help(capsys, "match", "--help")


def test_an_option_of_a_file_stands_there_once(tmp_path, capsys):
    (tmp_path / "options.toml").write_text("max-plies = 2\nmax_plies = 3\n")
    words = ["match", "random", "random", "--config", str(tmp_path / "options.toml")]
    assert run(*words) == 2
    assert "max_plies is there twice" in complaint(capsys)


def test_more_games_than_can_be_counted_are_refused(capsys):
    assert run("match", "random", "random", "--game=krk", "--games=99999999999999999998") == 2
    assert "expected a whole number from 1 to 1,000,000,000,000,000" in complaint(capsys)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no file here is always full")
def test_a_full_standard_output_is_one_line():
    words = [sys.executable, "-m", "phasezoo", "perft", "chess", "--depth", "2"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("phasezoo: standard output: No space left")
    assert done.stderr.count("\n") == 1


STOPS = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise KeyboardInterrupt\n"


@pytest.mark.parametrize(
    "words",
    [
        ["selfplay", "connect-four", "--out", "run"],
        ["match", "random", "random", "--out", "run"],
        ["train", "games", "--out", "run"],
    ],
)
def test_ctrl_c_before_anything_is_written_says_so(words, tmp_path):
    (tmp_path / "stops.py").write_text(STOPS)
    program = [sys.executable, "-m", "phasezoo", *words, "--plugin", "stops.py"]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr.strip() == "Stopped before anything was written."
    assert done.stdout == ""
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("words", [["uci"], ["perft", "chess", "1"]])
def test_ctrl_c_says_nothing_where_nothing_would_be_written(words, tmp_path):
    (tmp_path / "stops.py").write_text(STOPS)
    program = [sys.executable, "-m", "phasezoo", *words, "--plugin", "stops.py"]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_of_nested_lines_the_innermost_is_said_once(capsys):
    with pytest.raises(KeyboardInterrupt), saying(lambda: "outer"), saying(lambda: "inner"):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "\ninner\n"
    with pytest.raises(KeyboardInterrupt), saying(lambda: nothing_written("runs/x")):
        raise KeyboardInterrupt
    assert "anything was written to runs/x" in capsys.readouterr().err


FAILING_GAME = """
import numpy as np
from phasezoo import games

class Failing:
    to_play, is_terminal, returns = 0, False, np.zeros(2, dtype=np.float32)
    legal_actions = np.arange(2)
    def play(self, action):
        raise ValueError("nothing moves")
    def planes(self, spec, player=None):
        return np.zeros((1, 1, 1), dtype=np.float32)

games.register(
    "failing", initial_state=Failing, num_players=2, num_actions=2, plane_specs={"all": (1, 1, 1)}
)
"""


def test_a_game_of_ones_own_that_fails_is_told_in_a_line(tmp_path, capsys):
    plugin = tmp_path / "failing_game.py"
    plugin.write_text(FAILING_GAME)
    words = ("match", "random", "random", "--game", "failing", "--games", "2")
    assert run(*words, "--plugin", str(plugin)) == 1
    told = complaint(capsys)
    assert "failing_game.py, line 9: ValueError: nothing moves; raised by play of the game" in told


def test_what_is_no_plugin_is_named(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "notes.txt").write_text("hello")
    for plugin, words in {
        "/dev/zero": "a device, a pipe or a socket",
        str(tmp_path / "pipe"): "a device, a pipe or a socket",
        str(tmp_path / "pipe.py"): "a device, a pipe or a socket",
        str(tmp_path): "it is a folder",
        str(tmp_path / "none.py"): "there is no such file",
        str(tmp_path / "none"): "there is no such file",
        str(tmp_path / "notes.txt"): "ends in .py",
        " ": "names nothing",
    }.items():
        assert run("perft", "chess", "1", "--plugin", plugin) == 2
        said = capsys.readouterr().err
        assert words in said
        assert "ModuleNotFoundError" not in said
        assert "such as my_module.py" in said


def test_a_device_is_no_games_store(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", str(tmp_path / "pipe")):
        assert run("data", "phases", path) != 0
        said = capsys.readouterr().err
        assert "not a regular file" in said
        assert "no such file" not in said


@pytest.mark.parametrize(
    "words",
    [
        ("data", "solve", "krk", "--out"),
        ("data", "solve", "krk", "--overwrite", "--starts"),
        ("data", "show", "sample:krk", "--game", "0", "--out"),
    ],
)
def test_a_file_takes_the_place_of_no_pipe(words, tmp_path, capsys):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert run(*words, str(pipe)) in (1, 2)
    assert f"{pipe}: is a device, a pipe or a socket" in capsys.readouterr().err
    assert pipe.is_fifo()


def test_a_file_name_that_is_no_text_and_an_old_terminal_end_no_match(tmp_path):
    words = [sys.executable, "-m", "phasezoo", "match", "random", "random:seed=2", "-q"]
    words += ["--game", "connect-four", "--games", "2", "--names", "é", "b", "--out"]
    finished = subprocess.run(
        [*words, os.fsencode(tmp_path) + b"/q\xff"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        timeout=300,
        check=True,
    )
    assert b"pairs by points" in finished.stdout
    assert not finished.stderr
    assert any((path / "report.html").exists() for path in tmp_path.iterdir())


@pytest.mark.parametrize("command", ["match random random", "train sample:krk", "selfplay krk"])
def test_an_empty_path_is_not_the_current_folder(command, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*command.split(), "--out", "") == 2
    assert "--out '': expected a path" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_perft_counts_from_columns_too(capsys):
    counts = []
    for more in ([], ["--divide"]):
        assert run("perft", "connect-four", "--depth", "3", "--fen", "44", *more) == 0
        counts.append(capsys.readouterr().out.splitlines()[-1])
    assert counts == ["343", "343"]

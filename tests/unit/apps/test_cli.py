import subprocess
import sys

import pytest

from phasezoo.apps import cli


def run(*arguments):
    return cli.main(list(arguments))


def complaint(capsys):
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith("phasezoo: ")
    assert "Traceback" not in error
    return error


def test_help_names_every_command(capsys):
    assert run("--help") == run() == run("help") == 0
    shown = capsys.readouterr().out
    for command in cli.COMMANDS:
        assert " ".join(command.words) in shown


def test_the_version_is_the_packages(capsys):
    import phasezoo

    assert run("--version") == 0
    assert capsys.readouterr().out == f"phasezoo {phasezoo.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["reproduc"], ["'reproduc' is not a command", "reproduce m2cts"]),
        (["reproduce", "alphago"], ["'reproduce alphago'", "reproduce m2cts"]),
        (["data", "importt"], ["data import", "data phases"]),
        (["perft", "chess", "--deep", "5"], ["--deep"]),
        (["perft", "chess", "--depth", "x"], ["--depth", "'x'"]),
        (["perft", "chess", "--depth", "-1"], ["0 to 13"]),
        (["perft", "chess", "--depth", "2", "--threads", "0"], ["--threads 0", "1 or more"]),
        (["perft", "chess", "--depth", "2", "--fen", "x"], ["'x'"]),
        (["perft", "go", "--depth", "2"], ["go"]),
        (["doctor", "--fast"], ["--fast"]),
        (["reproduce", "m2cts", "--preset", "huge"], ["huge", "quick"]),
        (["reproduce", "m2cts", "--nodse", "5"], ["--nodse"]),
        (["reproduce", "m2cts", "--nodes"], ["--nodes"]),
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


def test_a_group_alone_lists_its_commands(capsys):
    assert run("data") == 2
    assert "data import" in capsys.readouterr().out
    assert run("data", "--help") == 0


@pytest.mark.parametrize("command", [["reproduce", "m2cts"], ["perft"], ["doctor"]])
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as end:
        run(*command, "--help")
    assert end.value.code in (0, None)
    assert "phasezoo " + " ".join(command) in capsys.readouterr().out


def test_ctrl_c_is_130(monkeypatch):
    def stop(_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("phasezoo.apps.perft_command.main", stop)
    assert run("perft", "chess") == 130


def test_perft_ends_with_the_count(capsys):
    assert run("perft", "chess", "--depth", "4") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "197281"
    kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    assert run("perft", "chess", "--depth", "3", "--fen", kiwipete) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "97862"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["perft", "--help"]])
def test_small_commands_load_nothing_heavy(arguments):
    heavy = "torch", "onnxruntime", "pyarrow", "matplotlib", "chess"
    code = (
        "import sys\nfrom phasezoo.apps.cli import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        f"found = [m for m in {heavy!r} if m in sys.modules]\n"
        "assert not found, found\n"
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

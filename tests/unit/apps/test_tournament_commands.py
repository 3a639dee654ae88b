import csv
import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from phasezoo import arena, inference, networks
from phasezoo.agents import making as registry
from phasezoo.apps.cli import main
from phasezoo.apps.tournament import commands
from phasezoo.apps.tournament.live import _Scores
from phasezoo.apps.tournament.report import report
from phasezoo.report.document import Section

PLUGIN = """
import numpy as np
from phasezoo import agents

def last(observation, info):
    return int(np.flatnonzero(info["action_mask"])[-1])

agents.register("last_of_plugin", lambda: last)
"""
FOUR = ("--game", "connect-four", "--games", "6", "--seed", "4")


def run(*words, capsys=None):
    code = main(list(map(str, words)))
    if capsys is None:
        return code
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A match that has ended, of which tests take copies."""
    out = tmp_path_factory.mktemp("finished") / "m"
    assert run("match", "random:seed=1", "random:seed=2", *FOUR, "--out", out) == 0
    return out


@pytest.fixture
def out(finished, tmp_path):
    return Path(shutil.copytree(finished, tmp_path / "m"))


def files(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix in (".csv", ".pgn")}


def test_a_match_prints_what_the_function_says(capsys):
    code, out, err = run("match", "mcts:nodes=20", "random:seed=1", *FOUR, capsys=capsys)
    assert (code, err) == (0, "")
    match = arena.play_match("mcts:nodes=20", "random:seed=1", "connect-four", 6, seed=4)
    assert out.splitlines()[1:4] == match.summary().splitlines()[1:4]


@pytest.mark.parametrize("games", [6, 16])
def test_console_page_and_files_of_a_match_tell_one_interval(tmp_path, games, capsys):
    out = tmp_path / "m"
    players = ("uct:simulations=150,seed=3", "random:seed=4")
    code, told, _ = run("match", *players, "--game", "connect-four", "--games", games,
                        "--names", "strong", "weak", "--out", out, capsys=capsys)  # fmt: skip
    assert code == 0
    results = json.loads((out / "results.json").read_text())
    (match,) = results["matches"]
    row = next(player for player in results["players"] if player["name"] == "weak")
    page = (out / "report.html").read_text()
    low, high = match["elo"]["low"], match["elo"]["high"]
    assert match["wins"] == games  # the cells below are of a clean sweep
    assert (match["elo"]["value"], high) == (None, None)
    if games == 6:
        assert low is None  # three pairs
        shown = "+∞ (too few games for an interval)"
    else:
        shown = f"+∞ [{low:+.1f}, +∞]"
        assert (row["elo"], row["elo_low"]) == (None, None)
        assert row["elo_high"] == pytest.approx(-low)
        assert match["score"]["low"] == pytest.approx(1 / (1 + 10 ** (-low / 400)))
        assert f"to {-low:+.0f}".replace("-", "\N{MINUS SIGN}") in page
    assert told.count("∞ ") == 1
    assert f"Elo {shown}" in told
    assert page.count(shown) == 2  # title and headline


def test_a_tournament_leaves_games_results_and_a_report(tmp_path, capsys):
    out = tmp_path / "t"
    agents = ("mcts:nodes=10", "random:seed=1", "random:seed=2")
    code, told, _ = run("tournament", *agents, "--games", 4, "--max-plies", 30, "--out", out,
                        "--names", "search", "one", "two", capsys=capsys)  # fmt: skip
    assert code == 0
    assert "search v one" in told
    results = json.loads((out / "results.json").read_text())
    assert {player["name"] for player in results["players"]} == {"search", "one", "two"}
    assert [player["games"] for player in results["players"]] == [8, 8, 8]
    rows = list(csv.DictReader((out / "games.csv").read_text().splitlines()))
    assert len(rows) == results["games"] == 12
    assert (out / "games.pgn").read_text().count("[Event ") == 12
    page = (out / "report.html").read_text()
    for said in ("search", "--games 4", "12 games of chess", "Who scored what against whom"):
        assert said in page


def test_a_match_that_a_test_ended_says_so_in_its_files(tmp_path, capsys):
    out = tmp_path / "s"
    players = ("uct:simulations=150,seed=3", "random:seed=4")
    test = ("--games", 60, "--sprt", 0, 150, "--out", out)
    code, printed, _ = run("match", *players, "--game", "connect-four", *test, capsys=capsys)
    assert code == 0
    results = json.loads((out / "results.json").read_text())
    assert results["sprt"]["decision"] == "H1"
    assert f"LLR {results['sprt']['llr']:.2f}" in printed
    page = (out / "report.html").read_text()
    assert f"The sequential test ended the match: LLR {results['sprt']['llr']:.2f}" in page


def test_who_is_rated_first_may_have_lost_to_the_second():
    def record(number, first, second, score):
        value = 2 * score - 1
        return arena.GameRecord(
            number=number,
            group=number // 2,
            sides=(0, 1),
            opening=0,
            start_fen=None,
            opening_moves=(),
            moves=(),
            returns=(value, -value),
            reason="rules",
            ending="rules",
            seeds=(0, 0),
            pairing=(first, second),
        )

    scores = [(0, 1, 0.0)] * 36 + [(0, 1, 1.0)] * 4
    for other in (2, 3):
        scores += [(0, other, 1.0)] * 40 + [(1, other, 1.0)] * 22 + [(1, other, 0.0)] * 18
    games = tuple(record(number, *each) for number, each in enumerate(scores))
    standings = arena.Standings("chess", tuple(map(arena.SideStats, "ABCD")), games)
    answer = report(standings, "tournament", "", Section("again", [])).answer[0].text
    assert standings.names[standings.ranking[0]] == "A"
    assert answer.startswith("Their games say that B is stronger than A: Elo -")
    assert answer.endswith("the other games rate the first higher.")


def test_a_report_of_trainings_tells_their_difference(tmp_path, capsys):
    out = tmp_path / "t"
    players = ("mcts:nodes=10", "mcts:nodes=12", "random:seed=1", "random:seed=2")
    code, told, _ = run("tournament", *players, "--trainings", 2, *FOUR, "--out", out,
                        capsys=capsys)  # fmt: skip
    assert code == 0
    line = next(line for line in told.splitlines() if line.startswith("2 against 2 trainings: Elo"))
    page = (out / "report.html").read_text()
    assert line in page
    assert "trainings of two kinds" in page
    assert json.loads((out / "results.json").read_text())["between_kinds"]["first_sd"] is not None


def test_the_report_tells_the_rows_of_every_expert(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("two_experts.py").write_text(
        "from phasezoo import agents, inference\n\n\n"
        "def two(seed=0):\n"
        "    experts = {'up to 2': inference.Uniform(), 'over 2': inference.Uniform()}\n"
        "    return agents.M2CTSAgent(experts, gate='plies:2', game='connect-four',\n"
        "                             limit=agents.Limit(nodes=8), seed=seed)\n\n\n"
        "agents.register('two', two)\n"
    )
    words = ("--plugin", "two_experts.py", "--game", "connect-four", "--games", 2, "--out", "m")
    assert run("match", "two:seed=1", "random", *words, capsys=capsys)[0] == 0
    monkeypatch.delitem(registry.REGISTRY.own, "two")
    counts = json.loads(Path("m/results.json").read_text())["sides"][0]["counts"]
    assert sum(counts["expert_rows"].values()) == counts["rows"]
    page = Path("m/report.html").read_text()
    table = page[page.index("What each expert of a mixture answered") :]
    for name in ("up to 2", "over 2"):
        share = counts["expert_rows"][name] / counts["rows"]
        assert name in table
        assert f"{100 * share:.1f}" in table
    assert run("match", "random", "random:seed=2", "--games", 2, "--max-plies", 4, "--out", "n",
               capsys=capsys)[0] == 0  # fmt: skip
    assert "What each expert" not in Path("n/report.html").read_text()


@pytest.mark.parametrize("how", ["same command", "--resume"])
def test_what_was_stopped_goes_on_to_the_same_games(tmp_path, monkeypatch, capsys, how):
    command = ("match", "mcts:nodes=20", "random:seed=1", *FOUR)
    assert run(*command, "--out", tmp_path / "whole") == 0
    play = arena.tournament

    def stopped(*args, on_game, **options):
        def count(record):
            on_game(record)
            if record.number == 2:
                raise KeyboardInterrupt

        return play(*args, on_game=count, **options)

    out = tmp_path / "parts"
    with monkeypatch.context() as patch:
        patch.setattr(arena, "tournament", stopped)
        code, _, err = run(*command, "--out", out, capsys=capsys)
    assert code == 130
    assert f"Continue with: phasezoo match --resume {out}" in err
    assert not (out / "results.json").exists()
    again = (*command, "--out", out) if how == "same command" else ("match", "--resume", out)
    assert run(*again) == 0
    assert files(out).keys() == files(tmp_path / "whole").keys()
    assert files(out)["games.csv"] == files(tmp_path / "whole")["games.csv"]


def test_a_directory_of_another_match_is_left_alone(out, capsys):
    before = files(out)
    for words in (
        ("match", "random:seed=1", "random:seed=3", *FOUR, "--out", out),
        ("tournament", "random:seed=1", "random:seed=2", *FOUR, "--out", out),
    ):
        code, _, err = run(*words, capsys=capsys)
        assert code == 1
        assert "holds" in err
    assert files(out) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("match", "random"), "a match is between two agents, 1 were given"),
        (("match", "random", "random", "random"), "3 were given"),
        (("tournament", "random"), "needs two agents at least"),
        (("match", "random", "rando", *FOUR), "did you mean"),
        (("match", "random", "random", "--game", "ches"), "did you mean 'chess'"),
        (("match", "random", "random", "--games", "3"), "must be even"),
        (("match", "random", "random", "--names", "a"), "1 names for 2 agents"),
        (("match", "random", "random", "--openings", "none.txt"), "none.txt"),
        (("match", "--games", "4", "--resume", "x"), "nothing else beside it"),
        (
            ("match", "random", "random", "--resume", "x y"),
            "x y'\n",  # in quotes, as a shell needs it
        ),
        (("match", "random", "random", "--check-adjudication", "0.1"), "give --adjudicate"),
        (("match", "random", "random", "--tables", "nowhere"), "nowhere: no such folder"),
        (("match", "random", "random", "--sprt", "5", "0"), "elo0 must be below elo1"),
        (("match", "random", "random", "--sprt", "5"), "expected two differences"),
        (
            ("match", "random", "random", "--sprt", "0", "nan"),
            "--sprt 0 nan: expected a list, each a number",
        ),
        (
            ("match", "random", "random", "--sprt", "0", "1e999"),
            "--sprt 0 1e999: expected a list, each a number",
        ),
        (("match", "--resume", "x"), "no run of 'match' to resume there"),
        (("tournament", "random", "random", "--anchor", "third"), "no player of this tournament"),
    ],
)
def test_bad_commands_are_one_sentence(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*words, capsys=capsys)
    assert code in (1, 2)
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_could_not_begin_leaves_its_directory_to_the_mended_one(tmp_path, capsys):
    out = tmp_path / "m"
    (tmp_path / "one.txt").write_text("3\n")
    first = ("mcts:nodes=1", "--openings", tmp_path / "one.txt", *FOUR, "--out", out)
    for wrong in (("rando",), ("random", "--openings", "none.txt"), ("uci:no-such,nodes=1",)):
        assert run("match", "random:seed=1", *wrong, *FOUR, "--out", out) in (1, 2)
        assert not out.exists()
    out.mkdir()
    assert run("match", "mcts:nodes=1,seed=2", *first) == 2  # all games are the same
    assert list(out.iterdir()) == []
    assert run("match", "random:seed=1", "random:seed=2", *FOUR, "--out", out) == 0
    before = files(out)
    capsys.readouterr()
    (out / "games.jsonl").write_text("{}\n")
    assert run("match", "--resume", out) == 1
    assert (out / "config.json").exists()
    assert files(out) == before


@pytest.mark.parametrize(("made", "other"), [("match", "tournament"), ("tournament", "match")])
def test_a_run_of_the_other_command_names_its_own(tmp_path, capsys, made, other):
    out = tmp_path / "m"
    assert run(made, "random:seed=1", "random:seed=2", *FOUR, "--out", out) == 0
    before = files(out)
    capsys.readouterr()
    code, _, err = run(other, "--resume", out, capsys=capsys)
    assert code == 2
    assert f"was made by phasezoo {made}; go on with it by phasezoo {made} --resume {out}" in err
    assert files(out) == before


def test_a_resumed_run_finds_the_files_of_its_agents(tmp_path, monkeypatch, capsys):
    """Relative paths in agents' texts are meant from where the run was begun."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "own_last_agent.py").write_text(PLUGIN)
    words = ("match", "module:own_last_agent.py:last", "random:seed=1", *FOUR)
    monkeypatch.chdir(home)
    assert run(*words, "--out", "whole") == 0
    whole = files(home / "whole")
    monkeypatch.setattr(commands, "time", None)  # before any game
    with pytest.raises(AttributeError):
        run(*words, "--out", "cut")
    monkeypatch.undo()
    monkeypatch.chdir(elsewhere)
    capsys.readouterr()
    code, _, err = run("match", "--resume", Path("../home/cut"), capsys=capsys)
    assert code == 2
    assert "names code to run: module:own_last_agent.py:last" in err
    again = err.partition("name it again: phasezoo ")[2]
    code, _, err = run(*shlex.split(again), capsys=capsys)
    assert code == 0, err
    assert files(home / "cut") == whole
    assert Path.cwd() == elsewhere
    assert list(elsewhere.iterdir()) == []


def test_a_resumed_run_whose_folder_is_gone_says_where_it_looks(tmp_path, monkeypatch, capsys):
    home, moved = tmp_path / "home", tmp_path / "moved"
    home.mkdir()
    network = networks.make("mlp-8x1", (3, 6, 7), 7, seed=1)
    inference.save(network, home / "net", game="connect-four")
    monkeypatch.chdir(home)
    monkeypatch.setattr(commands, "time", None)  # before any game
    with pytest.raises(AttributeError):
        run("match", "policy:net=net", "random:seed=1", *FOUR, "--out", "cut")
    monkeypatch.undo()
    home.rename(moved)
    monkeypatch.chdir(tmp_path)
    code, _, err = run("match", "--resume", moved / "cut", capsys=capsys)
    assert code == 1
    assert f"the run began in {home}, which is gone" in err
    assert f"are taken from {tmp_path}" in err
    monkeypatch.chdir(moved)
    assert run("match", "--resume", moved / "cut") == 0


@pytest.mark.parametrize(
    ("written", "damaged", "said"),
    [
        ('"games": 6', '"games": "six"', "games: 'six' is not of type int"),
        ('"game": ', '"gamex": ', "unknown key 'gamex'"),
        ('"names": []', '"names": [1, 2]', "names[0]: 1 is not of type str"),
    ],
)
def test_settings_that_were_damaged_are_named(out, capsys, written, damaged, said):
    config = out / "config.json"
    assert written in config.read_text()
    config.write_text(config.read_text().replace(written, damaged))
    code, _, err = run("match", "--resume", out, capsys=capsys)
    assert code in (1, 2)
    assert f"{config}" in err
    assert said in err


def test_a_resumed_run_imports_the_plugins_that_are_named_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "last_plugin.py").write_text(PLUGIN + "\nprint('runs')\n")
    words = ("match", "last_of_plugin", "random:seed=2", *FOUR)
    try:
        assert run(*words, "--plugin", "last_plugin.py", "--out", "m") == 0
        assert "--plugin last_plugin.py" in (tmp_path / "m" / "report.html").read_text()
        del sys.modules["last_plugin"]
        monkeypatch.delitem(registry.REGISTRY.own, "last_of_plugin")
        monkeypatch.chdir("/")
        capsys.readouterr()
        code, _, err = run("match", "--resume", tmp_path / "m", capsys=capsys)
        assert code == 2
        assert f"names code to run: {tmp_path / 'last_plugin.py'}. " in err
        assert "last_plugin" not in sys.modules
        again = err.partition("name it again: phasezoo ")[2]
        monkeypatch.chdir(tmp_path)
        code, told, _ = run(*shlex.split(again), capsys=capsys)
        assert code == 0
        assert told.count("runs\n") == 1
    finally:
        sys.modules.pop("last_plugin", None)


@pytest.mark.parametrize(
    "agent",
    [
        "module:planted.py:agent",
        "planted:agent",
        "module:os:system,command=touch ran",
        "uci:./planted.sh,nodes=1",
        "uci:'sh -c \"touch ran\"',nodes=1",
        "uci:sh,nodes=1,Debug Log File=ran",
        "sb3:planted.zip",
        "legacy_pommerman:planted:Agent",
    ],
)
def test_agents_of_a_run_from_elsewhere_run_nothing_unasked(
    out, tmp_path, monkeypatch, capsys, agent
):
    for name in ("planted.py", "planted.sh"):
        (out / name).write_text("open('ran', 'w')\n" if name.endswith("py") else "touch ran\n")
        (out / name).chmod(0o755)
    config = json.loads((out / "config.json").read_text())
    config["config"]["agents"] = [agent, "random:seed=2"]
    (out / "config.json").write_text(json.dumps(config))
    (out / "begun_in.txt").write_text(f"{out}\n")
    (out / "games.jsonl").unlink()
    monkeypatch.chdir(out)
    code, _, err = run("match", "--resume", out, capsys=capsys)
    assert code == 2
    assert "names code to run" in err
    code, _, err = run("match", "random:seed=1", "random:seed=2", "--resume", out, capsys=capsys)
    assert code == 2
    assert "its agents are" in err
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize(
    ("agent", "runs"),
    [
        ("random", False),
        ("mcts:net=phasezoo/chess-small,nodes=10", False),
        ("uci:sh,nodes=10,Threads=2,Hash=64,Ponder=false", False),
        ("uci:/bin/sh,nodes=10", True),
        ("uci:no-such-program-anywhere,nodes=10", True),
        ("uci:sh,nodes=10,EvalFile=nn.bin", True),
    ],
)
def test_installed_engines_go_on_unasked(agent, runs):
    assert commands._runs_code(agent) is runs


def test_a_match_ends_as_soon_as_its_test_decides(capsys, tmp_path):
    words = ("match", "mcts:nodes=30", "random", "--game", "connect-four", "--games", "400")
    out = tmp_path / "m"
    code, told, _ = run(*words, "--sprt", "0", "50", "--out", out, capsys=capsys)
    assert code == 0
    assert "LLR" in told
    games = json.loads((out / "results.json").read_text())["games"]
    assert 4 <= games < 400
    code, again, _ = run("match", "--resume", out, capsys=capsys)
    assert (code, again) == (0, told)


def test_tables_end_games_of_a_command(capsys):
    words = ("match", "tablebase", "random", "--game", "krk", "--games", "4", "--tables", "game")
    code, told, _ = run(*words, capsys=capsys)
    assert code == 0
    assert "4 adjudicated" in told
    code, told, _ = run(*words, "--check-adjudication", "1", capsys=capsys)
    assert "4 played on after a verdict" in told


def test_the_command_of_a_report_says_what_differs_from_defaults():
    options = commands.TournamentOptions(
        agents=("mcts:nodes=5", "random"), game="krk", games=4, adjudicate=True, names=("a b", "c")
    )
    assert options.command == (
        "phasezoo tournament mcts:nodes=5 random --game krk --games 4 --adjudicate --names 'a b' c"
    )


def test_the_live_table_counts_every_game():
    table = arena.tournament(["random:seed=1", "random:seed=2"], "connect-four", 6, seed=4)
    scores = _Scores(table.names)
    for record in table.games:
        scores.add(record)
    shown = scores.table()
    assert shown.row_count == 2
    games = list(shown.columns[1].cells)
    assert games == ["6", "6"]
    assert sum(float(share.rstrip("%")) for share in shown.columns[5].cells) == pytest.approx(100)

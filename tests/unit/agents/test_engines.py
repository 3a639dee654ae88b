"""Engines from outside as agents: a toy engine of these tests, and Stockfish if it is installed."""

import copy
import gc
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import gymnasium as gym
import pytest

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo import agents, arena, games
from phasezoo.agents.engines.process import MORE_FOLDERS, find_engine
from phasezoo.errors import EngineFailed, GameForfeited, InvalidConfig, InvalidState
from phasezoo.runs.provenance import usable_cores

TOY = Path(__file__).parent / "engines" / "toy_engine.py"
STOCKFISH = shutil.which("stockfish", path=os.pathsep.join((os.environ["PATH"], *MORE_FOLDERS)))
needs_stockfish = pytest.mark.skipif(
    STOCKFISH is None, reason="Stockfish is not installed (Debian: apt install stockfish)"
)


def command(*modes):
    return [sys.executable, str(TOY), *modes]


def toy(*modes, **options):
    return agents.EngineAgent(command(*modes), **{"nodes": 5, "name": "toy", **options})


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ends(pids, seconds=20):
    until = time.monotonic() + seconds
    while any(map(is_alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(is_alive, pids))


def played(match):
    return [(record.moves, record.reason, record.returns) for record in match.games]


@pytest.mark.parametrize("game", ["chess", "chess960", "atomic", "crazyhouse", "krk"])
def test_engines_play_every_variant(game):
    match = arena.play_match(
        toy("variants"), "random", game=game, games=4, max_plies=60, seed=2, log=None
    )
    assert len(match.games) == 4
    assert match.sides[0].nodes == 42 * match.sides[0].moves > 0
    assert all(record.ending in ("rules", "max_plies") for record in match.games)


def test_limits_as_engines_are_told_them(tmp_path):
    clock = agents.TimeControl(left_ms=900, increment_ms=10, moves_to_go=3)
    told = {
        "depth 4 nodes 7": agents.Limit(nodes=7, depth=4),
        "movetime 20": agents.Limit(movetime_ms=20),
        "mate 2": agents.Limit(mate=2),
        "wtime 900 btime 900 winc 10 binc 10 movestogo 3": agents.Limit(clock=clock),
    }
    state = games.make("chess").initial_state()
    for number, (words, limit) in enumerate(told.items()):
        log = tmp_path / f"log{number}"
        with agents.EngineAgent(command(f"log:{log}"), limit=limit) as agent:
            agent.session(0).act(state)
        assert f" go {words}\n" in log.read_text()


def test_engines_are_told_the_start_all_moves_and_their_options(tmp_path):
    log = tmp_path / "log"
    agent = toy(f"log:{log}", options={"Style": "wild", "Threads": 2})
    suite = arena.OpeningSuite("chess", (("e2e4", "e7e5"),))
    match = arena.play_match(agent, "random", games=2, openings=suite, max_plies=9, concurrency=1)
    lines = [line.partition(" ")[2] for line in log.read_text().splitlines()]
    assert "setoption name Style value wild" in lines
    assert "setoption name Threads value 2" in lines
    assert lines.count("uci") == 1
    assert lines.count("ucinewgame") == 2
    assert {line for line in lines if line.startswith("go")} == {"go nodes 5"}
    told = [line for line in lines if line.startswith("position")]
    expected = []
    for record in match.games:
        moves = [*record.opening_moves, *record.moves]
        mine = range(record.sides.index(0), len(moves), 2)
        expected += [f"position startpos moves {' '.join(moves[:n])}" for n in mine if n >= 2]
    assert told == expected


@pytest.mark.parametrize(
    ("mode", "reason", "words"),
    [
        ("crash:3", "crash", "exit code: 3"),
        ("hang:3", "timeout", "no answer within 2 s"),
        ("illegal:3", "illegal_move", "a1a1"),
        ("none:3", "illegal_move", "no move"),
        ("nonsense:3", "illegal_move", "hello"),
    ],
)
def test_who_fails_loses_and_the_match_goes_on(mode, reason, words, tmp_path):
    log, pgn = tmp_path / "log", tmp_path / "games.pgn"
    agent = toy(mode, f"log:{log}", timeout_s=2)
    suite = arena.OpeningSuite("chess", ((),))
    games_played = 2 if reason == "timeout" else 4
    match = arena.play_match(agent, "random", games=games_played, openings=suite, seed=1, pgn=pgn)
    for record in match.games:
        own = record.sides.index(0)
        assert (record.ending, record.reason) == ("forfeit", reason)
        assert record.returns[own] == -1.0 == -record.returns[1 - own]
        assert words in record.note
        assert len(record.moves) == 4 + own  # two of its moves, and the other's up to its third
    assert match.losses == games_played
    assert match.sides[0].moves == 2 * games_played
    processes = {line.split()[0] for line in log.read_text().splitlines()}
    assert len(processes) == games_played
    assert ends(map(int, processes))
    assert f'[Reason "{reason}"]' in pgn.read_text()
    assert "{[%eval 0.35,3] [%nodes 42]}" in pgn.read_text().replace("\n", " ")


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("illegal:2", "illegal move"),
        ("crash:2", "crash"),
        ("hang:2", "timeout"),
        ("none:2", "illegal move"),
    ],
)
def test_summaries_say_who_forfeited_how_many_games_and_why(mode, said):
    suite = arena.OpeningSuite("chess", ((),))
    players = {"faulty": toy(mode, timeout_s=1, parallel=4), "calm": "random"}
    options = {"names": [*players], "games": 4, "openings": suite}
    line = f"4 games forfeited by faulty: {said} (first: Toy at ply "
    match = arena.play_match(*players.values(), **options)
    assert line in match.summary()
    assert match.games[0].note in match.summary()
    standings = arena.tournament([*players.values()], **options)
    assert line in standings.summary()
    assert line in standings.as_match().summary()
    calm = arena.play_match("random", "random", games=2, openings=suite, max_plies=6)
    assert "forfeit" not in calm.summary()


def test_who_forfeits_one_game_is_not_who_forfeits_another():
    suite = arena.OpeningSuite("chess", ((),))
    players = [toy("illegal:4"), "random", toy("crash:2", name="other")]
    standings = arena.tournament(players, names=["first", "calm", "other"], games=4, openings=suite)
    lost = [
        (record.agents[record.returns.index(-1.0)], record.reason) for record in standings.games
    ]
    illegal, crashed = lost.count((0, "illegal_move")), lost.count((2, "crash"))
    assert illegal >= 4
    assert crashed >= 4
    said = standings.summary()
    assert f"{illegal} games forfeited by first: illegal move (first: " in said
    assert f"{crashed} games forfeited by other: crash (first: " in said
    assert "by calm" not in said


def test_bad_manners_are_endured(caplog):
    assert played(arena.play_match(toy("garbage", "slow:2"), "random", games=2, max_plies=12)) == (
        played(arena.play_match(toy(), "random", games=2, max_plies=12))
    )


LINES = [
    ("name Paths type string /a/b c", "expected default", "Paths", "/x y"),
    ("name Paths type string", None, "Paths", "/x y"),
    ("name Move min type string default max 3 var", None, "Move min", "y"),
    ("name Hash type spin default 8 min 16 max 64", "default is out of its range", "Hash", 16),
    ("name Hash type spin default 128 min 16 max 64", "default is out of its range", "Hash", 64),
    ("name Hash type spin min 16 max 64", "default is not a whole number", "Hash", 16),
    ("name Hash type spin default 16.0 min 16 max 64", "not a whole number", "Hash", 16),
    ("name Hash type spin default 16 min low max 64", "not two whole numbers", "Hash", 20),
    ("name Hash type spin default 16 min 64 max 1", "min 64 being above max 1", "Hash", 20),
    ("name min time type spin default 2 min 1 max 9", None, "min time", 5),
    ("name Mode type combo default x var a b var c", "not one of its values", "Mode", "a b"),
    ("name Mode type combo var a", "not one of its values", "Mode", "a"),
    ("name Book type check default maybe", "neither true nor false", "Book", True),
    ("name Book type check default True", None, "Book", False),
    ("name MultiPV type spin default 0 min 1 max 9", "default is out of its range", None, None),
    ("name MultiPV type spin default many", "default is not a whole number", None, None),
    ("name Dial type dial default 3", "passed over", None, None),
    ("name Nothing", "passed over", None, None),
    ("type check default true", "passed over", None, None),
    ("", "passed over", None, None),
]


@pytest.mark.parametrize(("line", "fault", "name", "value"), LINES)
def test_options_at_fault_are_one_warning_and_can_be_set(
    line, fault, name, value, caplog, capfd, tmp_path
):
    log = tmp_path / "log"
    options = {} if name is None else {name: value}
    agent = toy(f"option:{line}", f"log:{log}", options=options)
    match = arena.play_match(agent, "random", games=4, max_plies=8, concurrency=4)
    assert {record.ending for record in match.games} == {"max_plies"}
    told = [record for record in caplog.records if record.levelname == "WARNING"]
    assert len(told) == (fault is not None)
    assert fault is None or (fault in told[0].message and line in told[0].message)
    written = str(value).lower() if isinstance(value, bool) else value
    is_told = f"setoption name {name} value {written}\n" in log.read_text()
    assert is_told == (name is not None)
    assert "Traceback" not in capfd.readouterr().err


def test_of_an_option_told_twice_the_last_counts():
    lines = ("name Dial type string default", "name Dial type spin default 1 min 1 max 3")
    told = [f"option:{line}" for line in lines]
    assert arena.play_match(toy(*told, options={"Dial": 2}), "random", games=2, max_plies=4).games
    with pytest.raises(EngineFailed, match="at most 3"):
        arena.play_match(toy(*told, options={"Dial": 4}), "random", games=2)


@pytest.mark.parametrize("ponder", ["a1a1", "e9e4", "king", "E2E4Q"])
def test_illegal_ponder_moves_are_one_warning(ponder, caplog, capfd):
    agent = toy(f"ponder:{ponder}")
    match = arena.play_match(agent, "random", games=2, max_plies=12)
    assert played(match) == played(arena.play_match(toy(), "random", games=2, max_plies=12))
    assert [record.message.rpartition(": ")[2] for record in caplog.records] == [
        "illegal ponder moves are ignored"
    ]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("ponder", ["(none)", "NULL"])
def test_no_ponder_move_is_no_fault(ponder, caplog):
    assert arena.play_match(toy(f"ponder:{ponder}"), "random", games=2, max_plies=8).games
    assert caplog.records == []


FAULTS = [
    (
        "info depth twelve",
        "an unreadable 'depth' in a line of info is ignored: 'info depth twelve'",
    ),
    ("info depth", "an unreadable 'depth' in a line of info is ignored"),
    ("info depth -3 nodes 42", "an unreadable 'depth' in a line of info is ignored"),
    ("info depth 3 nodes -7 nps 4", "an unreadable 'nodes' in a line of info is ignored"),
    ("info nodes 1e6", "an unreadable 'nodes' in a line of info is ignored"),
    ("info nodes 99999999999999999999999999", "an unreadable 'nodes' in a line of info is ignored"),
    ("info score cp lots", "an unreadable 'score' in a line of info is ignored"),
    ("info score lots 3", "an unreadable 'score' in a line of info is ignored"),
    ("info score", "an unreadable 'score' in a line of info is ignored"),
    ("info score cp", "an unreadable 'score' in a line of info is ignored"),
    ("info time x nps y hashfull z wdl 1 2 currmove zz pv zz9 e2e4", None),
    ("info string depth twelve nodes -3", None),
    ("", None),
    ("  info   depth 3  nodes 42 ", None),
    ("thinking hard", "unexpected lines are ignored: 'thinking hard'"),
    ("id name Other", "unexpected lines are ignored"),
    ("option name Late type check default true", "unexpected lines are ignored"),
    ("uciok", "unexpected lines are ignored"),
    ("readyok", "unexpected lines are ignored"),
    ("x" * 5000, "xxx'…"),
]


@pytest.mark.parametrize(("line", "fault"), FAULTS)
def test_lines_at_fault_are_one_warning_and_nothing_else(line, fault, caplog, capfd):
    match = arena.play_match(toy(f"says:{line}"), "random", games=4, max_plies=10)
    assert {record.ending for record in match.games} == {"max_plies"}
    thoughts = [each for record in match.games for each in record.thoughts if each is not None]
    assert {each.nodes for each in thoughts} == {42}
    assert {each.depth for each in thoughts} == {3}
    assert len(caplog.records) == (fault is not None)
    for record in caplog.records:
        assert record.message.startswith(sys.executable)
        assert fault in record.message
        assert len(record.message.rpartition(" ignored: ")[2]) < 300
    assert capfd.readouterr().err == ""


def test_each_kind_of_fault_is_warned_of(caplog):
    lines = ("info depth x nodes -1", "info depth y", "hello", "good bye")
    arena.play_match(toy(*(f"says:{x}" for x in lines)), "random", games=2, max_plies=12)
    assert [record.message.split(": ")[1] for record in caplog.records] == [
        "an unreadable 'depth' in a line of info is ignored",
        "an unreadable 'nodes' in a line of info is ignored",
        "unexpected lines are ignored",
    ]


def test_names_in_latin_1_are_read_with_one_warning(caplog):
    agent = toy("latin:Köder", parallel=2)
    assert arena.play_match(agent, "random", games=4, max_plies=8, concurrency=4).games
    (record,) = caplog.records
    assert "lines that are not UTF-8 are read as Latin-1: 'id name Köder'" in record.message
    forfeit = arena.play_match(toy("latin:Köder", "none:1"), "random", games=2).games[0]
    assert forfeit.note.startswith("Köder at ply")


def test_names_of_several_lines_are_one_line_in_reports(tmp_path):
    agent = toy("named:Deep\rToy\x1b[2J 3\u2028x", name="toy\nof\ttests\x1b[31m")
    pgn = tmp_path / "games.pgn"
    names = ("first\nname", "second\u2028name")
    match = arena.play_match(agent, "random", games=2, max_plies=8, pgn=pgn)
    assert str(match).startswith("<Match toy of tests [31m v random: ")
    assert '[White "toy of tests [31m"]' in pgn.read_text()
    assert arena.sides.names_of([agent, agent], names) == ["first name", "second name"]
    pool = agent.session_pool(games.make("chess"))
    assert pool.identity[0] == "Deep Toy [2J 3 x"
    pool.end()


def test_matches_do_not_depend_on_how_many_are_played_at_once():
    matches = [
        arena.play_match(toy(), "random", games=6, seed=3, max_plies=30, concurrency=concurrency)
        for concurrency in (1, 6)
    ]
    assert played(matches[0]) == played(matches[1])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: toy("mute", start_timeout_s=1), "no uciok within 1 s"),
        (lambda: agents.EngineAgent("true", nodes=1), "died unexpectedly"),
        (lambda: toy(options={"Thread": 1}), "did you mean Threads"),
        (lambda: toy(options={"Threads": 99}), "at most 4"),
        (lambda: toy(options={"Style": "odd"}), "Style"),
        (lambda: toy("variants", options={"UCI_Variant": "atomic"}), "leave it out"),
    ],
)
def test_what_cannot_start_is_said_before_the_match(made, words):
    with pytest.raises(EngineFailed, match=words):
        arena.play_match(made(), "random", games=2)


def test_engines_of_other_games():
    with pytest.raises(EngineFailed, match="does not play atomic"):
        arena.play_match(toy(), "random", game="atomic", games=2)
    with pytest.raises(InvalidConfig, match="not 'connect-four'"):
        arena.play_match(toy(), "random", game="connect-four", games=2)
    with pytest.raises(InvalidConfig, match="no simulations"):
        arena.play_match(toy(), "random", games=2, limit=agents.Limit(simulations=3))


def test_missing_engines():
    for missing in ("no-such-engine", ["no-such-engine", "x"], "/no/such/engine"):
        with pytest.raises(EngineFailed, match="apt install stockfish"):
            agents.EngineAgent(missing, nodes=1)
    with pytest.raises(EngineFailed, match="apt install stockfish"):
        agents.make("uci:no-such-engine,nodes=5")
    for bad in ("", [], "a 'b"):
        with pytest.raises(EngineFailed):
            find_engine(bad)
    assert find_engine(f"{sys.executable} -c 'print(1)'")[1:] == ["-c", "print(1)"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"nodes": 0},
        {"depth": 0},
        {"depth": True},
        {"nodes": 1, "timeout_s": 0},
        {"nodes": 1, "parallel": 0},
        {"nodes": 1, "limit": agents.Limit(nodes=2)},
        {"limit": agents.Limit(simulations=2)},
        {"limit": agents.Limit(infinite=True)},
    ],
)
def test_options_out_of_range(options):
    with pytest.raises(InvalidConfig):
        agents.EngineAgent(sys.executable, **options)


def test_engines_as_texts():
    text = f"uci:'{sys.executable} {TOY}',nodes=7,depth=3,Style=wild,Threads=2,timeout_s=5"
    agent = agents.make(text)
    assert agent.command == command()
    assert agent.limit == agents.Limit(nodes=7, depth=3)
    assert agent.options == {"Style": "wild", "Threads": "2"}
    assert agent.parallel == max(1, usable_cores() // 2)
    assert agents.make(f"uci:{sys.executable},mate=3,nodes=9").limit.mate == 3
    assert agent.name == agents.spec_of(agent)
    again = agents.make(agents.spec_of(agent))
    assert (again.command, again.options) == (agent.command, agent.options)
    assert arena.play_match(agent, "random", games=2, max_plies=20).sides[0].nodes > 0


def test_options_of_engines_are_told_from_misspelt_ones():
    with pytest.raises(InvalidConfig, match=r"did you mean nodes=\?"):
        agents.make(f"uci:{sys.executable},node=5,nodes=3")
    made = agents.make("uci", command=sys.executable, nodes=5, Style="wild", options={"Hash": 2})
    assert made.options == {"Hash": 2, "Style": "wild"}
    assert agents.spec_of(made) == f"uci:{sys.executable},nodes=5,Style=wild,Hash=2"


def test_what_an_engine_says_of_its_move():
    state = games.make("chess").initial_state()
    with toy() as agent:
        move = agent.session(0).move(state)
        assert move.action in state.legal_actions
        assert (move.nodes, move.depth) == (42, 3)
        assert move.value == pytest.approx(1 - 1.4**-0.35)
        # UCI's scores are for the player to move, whichever that is.
        black = agent.session(1).move(state.play(move.action))
        assert black.value == move.value


def test_processes_end_with_the_agent():
    agent = toy("deaf")
    state = games.make("chess").initial_state()
    first, second = agent.session(0), agent.session(1)
    first.act(state)
    second.act(state)
    pids = agent._pool.pids
    assert len(pids) == 2
    assert all(map(is_alive, pids))
    del first
    third = agent.session(2)
    third.act(state)
    assert agent._pool.pids == pids  # the game that is over left its engine to this one
    del second, third, agent
    gc.collect()
    assert ends(pids)


def test_who_ends_between_games_forfeits_none():
    state = games.make("chess").initial_state()
    with toy() as agent:
        session = agent.session(0)
        session.act(state)
        session.close()
        (engine,) = agent._pool._host.engines
        os.kill(engine.pid, signal.SIGKILL)
        until = time.monotonic() + 20
        while engine.is_running and time.monotonic() < until:
            time.sleep(0.02)
        assert agent.session(1).act(state) in state.legal_actions
        assert engine not in agent._pool._host.engines


def test_a_closed_agent_goes_on_with_new_processes():
    agent, state = toy(), games.make("chess").initial_state()
    session = agent.session(0)
    session.act(state)
    before = agent._pool.pids
    agent.close()
    assert ends(before)
    with agent:
        assert agent.session(0).act(state) in state.legal_actions


PROGRAM = """
    import signal
    import sys
    from phasezoo import agents, arena, games

    def sitting(observation, info):
        print("sitting", flush=True)
        sys.stdin.readline()
        return int(info["state"].legal_actions[0])

    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what runs in background
    engine = agents.EngineAgent(sys.argv[1:], nodes=5)
"""

MATCH = "arena.play_match(engine, sitting, games=2)"

THINKING = """
    state = games.make("chess").initial_state()
    pool = engine.session_pool(games.make("chess"))
    pool.ask(pool.open(1), state, 0)
    print("sitting", flush=True)
    pool.poll()
"""

SESSION = """
    session, state = engine.session(0), games.make("chess").initial_state()
    session.act(state)
    sitting(None, {"state": state})
"""


@pytest.mark.parametrize(
    ("body", "mode", "interrupts"),
    [(MATCH, "deaf", True), (THINKING, "slow:100000", True), (SESSION, "deaf", False)],
)
def test_processes_end_with_the_program(body, mode, interrupts, tmp_path):
    log = tmp_path / "log"
    program = textwrap.dedent(PROGRAM) + textwrap.dedent(body)
    with subprocess.Popen(
        [sys.executable, "-c", program, *command(mode, f"log:{log}")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        try:
            assert running.stdout.readline() == "sitting\n"
            pids = {int(line.split()[0]) for line in log.read_text().splitlines()}
            assert pids
            assert all(map(is_alive, pids))
            if interrupts:
                running.send_signal(signal.SIGINT)
            _, errors = running.communicate("" if interrupts else "\n", timeout=60)
        finally:
            running.kill()
    assert ends(pids)
    assert ("KeyboardInterrupt" in errors) == interrupts
    assert "never awaited" not in errors
    assert "Exception ignored" not in errors


def test_copies_have_processes_of_their_own():
    agent = toy()
    assert pickle.loads(pickle.dumps(agent)).command == agent.command
    env = gym.make("Chess-v0", opponent=agent, observation="none").unwrapped
    env.reset(seed=1)
    env.step(int(env.game_state.legal_actions[0]))
    twin = copy.deepcopy(env)
    assert twin.game_state == env.game_state
    for other in (twin, env):
        other.step(int(other.game_state.legal_actions[1]))
        assert other.game_state.ply == 4


def test_copies_of_vectors_have_processes_of_their_own():
    def step(envs, place):
        envs.step([int(state.legal_actions[place]) for state in envs.states])

    envs = gym.make_vec("Chess-v0", num_envs=2, opponent=toy(), observation="none").unwrapped
    envs.reset(seed=1)
    step(envs, 0)
    twin = copy.deepcopy(envs)
    for each in (envs, twin):
        step(each, 1)
        assert [state.ply for state in each.states] == [4, 4]
    pool = toy().session_pool(games.make("chess"))
    pool.ask(pool.open(1), games.make("chess").initial_state(), 0)
    with pytest.raises(InvalidState, match="are thinking"):
        copy.deepcopy(pool)
    pool.end()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_has_processes_of_its_own():
    agent, state = toy(), games.make("chess").initial_state()
    agent.session(0).act(state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if agent.session(1).act(state) in state.legal_actions else 2
            agent.close()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert agent.session(2).act(state) in state.legal_actions  # the parent's engines still live


def test_engines_are_opponents_in_environments():
    text = f"uci:'{sys.executable} {TOY}',nodes=5"
    env = gym.make("Chess-v0", opponent=text, agent_color="black", observation="none")
    assert env.reset(seed=1)[1]["ply"] == 1
    envs = gym.make_vec("Chess-v0", num_envs=3, opponent=text, observation="none")
    envs.reset(seed=1)
    envs.step([int(state.legal_actions[0]) for state in envs.unwrapped.states])
    assert [state.ply for state in envs.unwrapped.states] == [2, 2, 2]


def test_in_environments_failing_is_an_error():
    env = gym.make("Chess-v0", opponent=toy("crash:1"), observation="none")
    env.reset(seed=1)
    with pytest.raises(GameForfeited, match="exit code: 3") as failed:
        env.step(int(env.unwrapped.game_state.legal_actions[0]))
    assert failed.value.reason == "crash"
    assert pickle.loads(pickle.dumps(failed.value)).reason == "crash"
    envs = gym.make_vec("Chess-v0", num_envs=2, opponent=toy("illegal:1"), observation="none")
    envs.reset(seed=1)
    with pytest.raises(GameForfeited, match="a1a1"):
        envs.step([int(state.legal_actions[0]) for state in envs.unwrapped.states])


@needs_stockfish
def test_stockfish():
    text = "uci:stockfish,nodes=300,Threads=1,Hash=4"
    matches = [arena.play_match(text, "random", games=2, seed=1, max_plies=60) for _ in range(2)]
    assert played(matches[0]) == played(matches[1])
    assert matches[0].wins == 2
    with pytest.raises(EngineFailed, match="does not play crazyhouse"):
        arena.play_match(text, "random", game="crazyhouse", games=2)
    mate = games.make("chess").from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    with agents.make("uci:stockfish,depth=5") as agent:
        move = agent.session(0).move(mate)
    assert mate.san(move.action) == "Rd8#"
    assert move.value == 1.0
    assert move.depth >= 1

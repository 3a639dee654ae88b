"""Whatever agent plays on the board: time, memory, threads and processes have bounds."""

import json
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette")

from web_client import Refused, client, talking

from phasezoo import agents, games
from phasezoo.agents.making import REGISTRY
from phasezoo.apps.cli import main
from phasezoo.apps.web import agents as web_agents, sessions, workers
from phasezoo.apps.web.agents import Agents
from phasezoo.apps.web.bounds import Bounds
from phasezoo.apps.web.search import Searcher, Stop
from phasezoo.errors import InvalidConfig

TOY = Path(__file__).parents[1] / "agents" / "engines" / "toy_engine.py"
ENGINE = f"uci:'{shlex.join([sys.executable, str(TOY)])}',nodes=1"


def until(holds, seconds=30.0):
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.01)


def searchers_of(made, name):
    return list(made.app.state.server.sessions.find(name).searchers)


@pytest.mark.parametrize(
    "text",
    [
        "mcts:nodes=4000000000",
        "mcts:infinite=true",
        "mcts:clock=900000+10",
        "mcts:movetime_ms=1000000000",
        "uct:simulations=4000000000",
        "uct:clock=900000+10,first_nodes=4000000000",
        "single_player_mcts:simulations=4000000000",
        "decoupled_mcts:simulations=4000000000",
        "beam:nodes=4000000000",
        ENGINE.replace("nodes=1", "nodes=4000000000,timeout_s=1000000"),
    ],
)
def test_every_search_has_a_time(text):
    agent = Bounds(move_seconds=2.5).bounded(agents.make(text))
    for name in ("limit", "first_limit"):
        limit = getattr(agent, name, None)
        assert limit is None or limit.movetime_ms == 2_500
        assert limit is None or not limit.infinite
    if isinstance(agent, agents.EngineAgent):
        assert agent.timeout_s <= 60


def test_a_shorter_time_is_kept():
    assert Bounds(60.0).bounded(agents.make("mcts:movetime_ms=20")).limit.movetime_ms == 20


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mcts:net_threads=100000", "net_threads=100000: at most"),
        ("mcts:threads=9999999999", "threads=9999999999: at most"),
        ("mcts:memory_mb=513", "memory_mb=513: at most 512"),
        ("mcts:memory_mb=0", "memory_mb=0: at most 512"),
        ("uct:memory_mb=4000", "memory_mb=4000: at most 512"),
        ("mcts:cache_mb=4000", "cache_mb=4000: at most 512"),
        ("mcts:cache_mb=inf", "cache_mb=inf: at most 512"),
        ("mcts:batch_size=60000", "batch_size=60000: at most 1,024"),
        ("beam:memory_mb=1e9", "memory_mb=1e9: at most 512"),
        ("uci:sh,nodes=1,Hash=100000", "Hash=100000: at most 512"),
        ("uci:sh,nodes=1,Threads=4096", "Threads=4096: at most"),
        ("uci:sh,nodes=1,parallel=4096", "parallel=4096: at most"),
    ],
)
def test_what_asks_for_too_much_is_refused_by_name(text, told):
    bounds = Bounds(memory_mb=2_048, searches=2)
    with pytest.raises(InvalidConfig, match=told):
        bounds.check(text)


def test_a_search_by_layers_keeps_no_million_positions():
    agent = agents.make("beam:schedule='1000000'")
    with pytest.raises(InvalidConfig, match="keeps at most"):
        Bounds().bounded(agent)


def test_a_tree_has_a_size_also_if_none_is_named():
    bounds = Bounds(memory_mb=256, searches=4)
    for text in ("mcts", "uct", "beam", "decoupled_mcts", "single_player_mcts"):
        agent = bounds.bounded(agents.make(text))
        assert getattr(getattr(agent, "config", agent), "memory_mb") == 32, text  # noqa: B009
    named = bounds.bounded(agents.make("mcts:memory_mb=7"))
    assert named.config.memory_mb == 7


def test_trees_of_all_games_have_a_total_and_the_oldest_go_first():
    bounds = Bounds(memory_mb=16, searches=1)
    game = games.make("connect-four")
    text = "mcts:simulations=30,memory_mb=3"
    searchers = [
        Searcher(bounds.bounded(agents.make(text)), text, game, 0, 1, bounds=bounds)
        for _ in range(4)
    ]
    for searcher in searchers:
        searcher.tree_mb = 3.0
        searcher.search(game.initial_state(), Stop(60), lambda _: None)
    assert [searcher._session is None for searcher in searchers] == [True, True, False, False]
    answer = searchers[0].search(game.initial_state(), Stop(60), lambda _: None)
    assert answer.action is not None
    assert [searcher._session is None for searcher in searchers] == [False, True, True, False]


@pytest.mark.parametrize("device", ["meta", "nonsense", "", "cpu:x", "cuda:99", "privateuseone"])
def test_devices_that_answer_nothing_are_refused_by_name(device):
    pytest.importorskip("torch")
    with client() as made, talking(made) as page:
        text = f"mcts:net=phasezoo/connect-four-small,nodes=2,device={device}"
        with pytest.raises(Refused, match="device"):
            page.ask("new", game="connect-four", players=[text, None])


def test_what_loads_holds_up_nobody(monkeypatch):
    go_on = threading.Event()
    parse = agents.make

    def slowly(text):
        if "net=" in text:
            assert go_on.wait(60)
        return parse(text.replace("net=slow,", ""))

    monkeypatch.setattr(web_agents.agents, "make", slowly)
    with client() as made, talking(made) as first, talking(made) as second, talking(made) as third:
        for k, page in enumerate((first, second)):
            for number in (1, 2):
                players = ["mcts:net=slow,simulations=2", f"mcts:net=slow,simulations={3 + k}"]
                page._socket.send_json(
                    {"do": "new", "game": "connect-four", "players": players, "re": number}
                )
        name = third.new("connect-four", [None, "mcts:simulations=5"])
        third.play(name, "4")
        third.wait(name, lambda shown: shown["ply"] == 2)
        go_on.set()
        for page in (first, second):
            assert page.answer(1)["game"]
            assert page.answer(2)["game"]
        assert len(made.app.state.server.agents._made) == 3


def test_a_failed_load_is_tried_again(monkeypatch):
    tries = []

    def fails(text):
        tries.append(text)
        raise InvalidConfig(text)

    monkeypatch.setattr(web_agents.agents, "make", fails)
    with client() as made, talking(made) as page:
        for _ in range(2):
            with pytest.raises(Refused, match="net=x"):
                page.ask("new", game="connect-four", players=["mcts:net=x", None])
    assert len(tries) == 2


@pytest.fixture
def stuck(monkeypatch):
    """An agent that does not answer until it is let."""
    let = threading.Event()
    monkeypatch.setattr(REGISTRY, "own", dict(REGISTRY.own))
    agents.register("stuck", lambda: lambda observation, info: let.wait(60) and 0)
    yield let
    let.set()


def test_an_agent_that_does_not_answer_holds_up_its_own_game_alone(monkeypatch, stuck):
    monkeypatch.setattr(workers, "MORE_SECONDS", 0.1)
    with client(threads=1, move_seconds=0.1) as made, talking(made) as page:
        for _ in range(3):  # more than there are threads
            name = page.new("connect-four", ["stuck", None])
            shown = page.wait(name, lambda shown: shown["trouble"])
            assert "has not ended after" in shown["trouble"]
        name = page.new("connect-four", [None, "random"])
        page.play(name, "4")
        page.wait(name, lambda shown: shown["ply"] == 2)
        stuck.set()
        until(lambda: made.app.state.server.workers.busy == 0)


def test_threads_that_are_stuck_are_replaced_up_to_a_number(monkeypatch, stuck):
    monkeypatch.setattr(workers, "MORE_SECONDS", 0.05)
    monkeypatch.setattr(workers, "MOST_STUCK", 2)
    with client(threads=1, move_seconds=0.1) as made, talking(made) as page:
        for _ in range(3):
            name = page.new("connect-four", ["stuck", None])
            page.wait(name, lambda shown: shown["trouble"])
        assert made.app.state.server.workers.busy <= 3
        stuck.set()
        until(lambda: made.app.state.server.workers.busy == 0)
        name = page.new("connect-four", [None, "random"])
        page.play(name, "4")
        page.wait(name, lambda shown: shown["ply"] == 2)


def test_a_game_that_was_left_lets_its_trees_go_and_goes_on_when_somebody_comes(monkeypatch):
    monkeypatch.setattr(sessions, "LEFT_SECONDS", 0.05)
    assert sessions.LEFT_SECONDS < 60
    with client() as made, talking(made) as page:
        name = page.new("connect-four", [None, "mcts:simulations=20"])
        page.play(name, "4")
        page.wait(name, lambda shown: shown["ply"] == 2)
        (_, searcher) = searchers_of(made, name)
        assert searcher._session is not None
        page.ask("leave", game=name)
        until(lambda: searcher._session is None)
        page.ask("join", game=name)
        page.wait(name, lambda shown: shown["ply"] == 2)
        page.play(name, "4")
        assert page.wait(name, lambda shown: shown["ply"] == 4)


def test_the_usual_time_after_which_a_game_lets_go_is_below_a_minute():
    assert 0 < sessions.LEFT_SECONDS < 60


@pytest.mark.parametrize("how", ["leave", "assign", "close"])
def test_engines_end_with_the_game_that_they_play(monkeypatch, how):
    pytest.importorskip("chess")
    monkeypatch.setattr(sessions, "LEFT_SECONDS", 0.05)
    with client(engines=2) as made, talking(made) as page:
        name = page.new("chess", [None, ENGINE])
        page.play(name, "e4")
        page.wait(name, lambda shown: shown["ply"] == 2)
        (_, searcher) = searchers_of(made, name)
        (pid,) = searcher.agent._pool.pids
        if how == "leave":
            page.ask("leave", game=name)
        elif how == "assign":
            page.ask("assign", game=name, player=1, agent="random")
        if how != "close":
            until(lambda: not is_running(pid))
    until(lambda: not is_running(pid))


def is_running(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # it may end while its file is read
        return False


def test_engines_have_a_number():
    pytest.importorskip("chess")
    with client(engines=1) as made, talking(made) as page:
        found = []
        for _ in range(3):
            name = page.new("chess", [None, ENGINE])
            page.play(name, "e4")
            page.wait(name, lambda shown: shown["ply"] == 2)
            found += [searcher for searcher in searchers_of(made, name) if searcher]
        assert sum(searcher.agent._pool is not None for searcher in found) == 1
    with client(engines=0) as made, talking(made) as page:
        name = page.new("chess", [ENGINE, None])
        shown = page.wait(name, lambda shown: shown["trouble"])
        assert "0 engines" in shown["trouble"]


@pytest.mark.parametrize("gate", ["learned:{0}", "monotone:learned:{0}", "learned:{1}/../out"])
def test_gates_that_are_folders_lie_in_the_folders_that_were_named(tmp_path, gate):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    text = gate.format(outside, inside)
    with client(trusting=False, runs=(inside,)) as made, talking(made) as page:
        name = page.new("connect-four", [None, None])
        for fields in ({"gate": text}, {"gate": "none", "other_gate": text}):
            with pytest.raises(Refused, match="lies outside"):
                page.ask("gates", game=name, **fields)
            with pytest.raises(Refused, match="lies outside"):
                page.ask("new", game="connect-four", players=[None, None], **fields)
        for option in ("gate", "search_gate"):
            players = [f"m2cts:experts=phasezoo/chess-small,{option}={text}", None]
            with pytest.raises(Refused, match="lies outside"):
                page.ask("new", game="chess", players=players)
        with pytest.raises(Refused, match="lies outside"):
            page.ask("gates", game=name, gate=f"learned:{inside}/link")
        with pytest.raises(Refused, match="no manifest"):
            page.ask("gates", game=name, gate=f"learned:{inside}")


def test_networks_of_others_play_with_their_order_of_moves_beside_them(tmp_path, monkeypatch):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names = games.make("chess").move_names("v2")
    moves = [*filter(None, names.usual), *(name for name, _ in names.special.values())][::-1]
    liked, runs = moves.index("e2e4"), tmp_path / "runs"
    runs.mkdir()
    (runs / "moves.txt").write_text("\n".join(moves))
    (tmp_path / "moves.txt").write_text("\n".join(moves))
    weights = np.zeros((52 * 64, len(moves) + 1), np.float32)
    weights[:, liked] = 1.0
    info, kinds = onnx.helper.make_tensor_value_info, onnx.TensorProto
    nodes = [
        onnx.helper.make_node(kind, [*given], [name])
        for kind, given, name in (
            ("Flatten", ["data"], "flat"),
            ("MatMul", ["flat", "w"], "policy"),
            ("MatMul", ["flat", "v"], "value"),
        )
    ]
    graph = onnx.helper.make_graph(
        nodes, "theirs", [info("data", kinds.FLOAT, ["n", 52, 8, 8])],
        [info(name, kinds.FLOAT, None) for name in ("policy", "value")],
        [onnx.numpy_helper.from_array(weights[:, :-1], "w"),
         onnx.numpy_helper.from_array(weights[:, -1:], "v")],
    )  # fmt: skip
    opset = onnx.helper.make_opsetid("", 17)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8)
    (runs / "theirs.onnx").write_bytes(model.SerializeToString())
    text = f"policy:net={runs}/theirs.onnx,planes=v2,temperature=0,actions="
    with client(trusting=False, runs=(runs,)) as made, talking(made) as page:
        name = page.new("chess", [f"{text}{runs}/moves.txt", None])
        shown = page.wait(name, lambda shown: shown["ply"] == 1 or shown["trouble"])
        assert not shown["trouble"]
        assert shown["moves"] == ["e4"]
        with pytest.raises(Refused, match="lies outside"):
            page.ask("new", game="chess", players=[f"{text}{tmp_path}/moves.txt", None])


def test_folders_that_no_system_has_are_outside():
    made = Agents(trusting=False)
    for folder in ("\0", "x" * 5_000):
        with pytest.raises(InvalidConfig, match="lies outside"):
            made.check_gate(f"learned:{folder}")
        with pytest.raises(InvalidConfig, match="lies outside"):
            made.check(f"mcts:net={folder}")


class Started:
    """``phasezoo web`` as a process."""

    def __init__(self, folder, *words):
        heeding = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
        command = [sys.executable, "-m", "phasezoo", "web", "--port", "0", *words]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=folder, **heeding
        )
        self.line = self.process.stdout.readline()
        self.address = re.search(r"http://127\.0\.0\.1:\d+", self.line)[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def asked(self, *headers, **message):
        from websockets.sync.client import connect

        address = self.address.replace("http", "ws") + "/ws"
        with connect(address, max_size=2**22, additional_headers=dict(headers)) as page:
            page.send(json.dumps({"re": 1, **message}))
            while (answer := json.loads(page.recv(60))).get("re") != 1:
                pass
            return answer


SLEEPER = """
import time
from phasezoo import agents, games

def load():
    time.sleep(1_000)

agents.register("loads_long", load)
agents.register("thinks_long", lambda: lambda observation, info: time.sleep(1_000))
"""


def test_without_a_token_pages_start_nothing_unless_they_are_trusted(tmp_path):
    pytest.importorskip("websockets")
    (tmp_path / "runs").mkdir()
    asks = {"do": "new", "game": "chess", "players": ["uci:'touch ran',nodes=1", None]}
    with Started(tmp_path) as server:
        for text in (
            asks["players"][0],
            "module:os:system",
            "os:system",
            "sb3:x.zip",
            "mcts:net=/etc",
        ):
            error = server.asked(**{**asks, "players": [text, None]})["error"]
            assert "--trust" in error["message"]
        assert "ok" in server.asked(**{**asks, "players": ["mcts:nodes=1", None]})
    assert not (tmp_path / "ran").exists()
    token = "a token & more"
    with Started(tmp_path, "--token", token) as server:
        assert server.line.split()[1].endswith("/?token=a%20token%20%26%20more")
        answer = server.asked(("Authorization", f"Bearer {token}"), **asks)
        assert "lies outside" not in json.dumps(answer)
        assert "--trust" not in json.dumps(answer)


@pytest.mark.parametrize("agent", ["loads_long", "thinks_long"])
@pytest.mark.parametrize("signals", [1, 2])
def test_ctrl_c_ends_it_whatever_goes_on(tmp_path, agent, signals):
    pytest.importorskip("websockets")
    from websockets.sync.client import connect

    (tmp_path / "sleeper.py").write_text(SLEEPER)
    words = ("--plugin", "sleeper.py", "--trust")
    with (
        Started(tmp_path, *words) as server,
        connect(server.address.replace("http", "ws") + "/ws", max_size=2**22) as page,
    ):
        page.send(json.dumps({"do": "new", "game": "connect-four", "players": [agent, None]}))
        if agent == "thinks_long":
            while not json.loads(page.recv(60)).get("thinking"):
                pass
        for _ in range(signals):
            server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 130


@pytest.mark.parametrize("words", [["--memory-mb", "1"], ["--engines", "-1"]])
def test_bounds_of_the_server_have_bounds(words, capsys):
    assert main(["web", "--port", "0", *words]) == 2
    assert words[0] in capsys.readouterr().err

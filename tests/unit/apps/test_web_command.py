"""``phasezoo web`` as a process: it says where it is, and ends when it is told to."""

import asyncio
import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("websockets")

from websockets.sync.client import connect

from phasezoo import agents
from phasezoo.apps.cli import main
from phasezoo.apps.web.command import WebOptions
from phasezoo.apps.web.server import make_app


def test_it_ends_at_once_though_a_search_goes_on(tmp_path):
    command = [sys.executable, "-m", "phasezoo", "web", "--port", "0"]
    # Where the tests themselves run in the background, Ctrl-C is ignored, and so by children.
    heeding = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, **heeding
    ) as server:
        try:
            line = server.stdout.readline()
            address = re.search(r"http://127\.0\.0\.1:\d+", line)[0]
            with urllib.request.urlopen(address) as answer:
                assert b"phasezoo" in answer.read()
            with connect(address.replace("http", "ws") + "/ws", max_size=2**22) as socket:
                players = ["mcts:nodes=1000000000", None]
                socket.send(json.dumps({"do": "new", "game": "connect-four", "players": players}))
                while not json.loads(socket.recv(30)).get("thinking"):
                    pass
                server.send_signal(signal.SIGINT)
                assert server.wait(30) == 130
        finally:
            server.kill()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--port", "99999"], "--port 99999"),
        (["--threads", "0"], "--threads 0"),
        (["--token", "short"], "at least 8 letters"),
        (["--runs", "nowhere"], "no such folder"),
        (["--host", "192.0.2.1"], "--host 192.0.2.1"),
        (["--agents", "mcst:nodes=9"], "did you mean 'mcts'"),
    ],
)
def test_wrong_options_are_one_sentence(words, told, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["web", "--port", "0", *words]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_an_agent_whose_network_is_not_there_is_told_of_at_the_start(capsys, tmp_path):
    assert main(["web", "--port", "0", "--agents", f"m2cts:experts={tmp_path}"]) == 1
    assert "no experts.json there" in capsys.readouterr().err


def test_an_agent_that_was_made_at_the_start_is_not_made_again(monkeypatch):
    text = "policy:net=phasezoo/krk-small"
    options = WebOptions(agents=(text,))
    made = options._make_agents()
    server = make_app(options, made=made).state.server
    monkeypatch.setattr(agents, "make", lambda text: pytest.fail(f"{text} is made again"))
    try:
        listed = asyncio.run(server.agents.get(text, server.workers))
        assert listed.agent is made[text]
    finally:
        server.workers.close()

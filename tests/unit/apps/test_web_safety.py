"""The board's server: what is refused, and that nothing breaks by it."""

import asyncio

import pytest

pytest.importorskip("starlette")

from hypothesis import HealthCheck, given, settings, strategies as st
from starlette.websockets import WebSocketDisconnect
from web_client import Refused, client, talking

from phasezoo.apps.web.agents import Agents
from phasezoo.apps.web.fields import LONGEST_MESSAGE
from phasezoo.apps.web.outbox import Outbox
from phasezoo.errors import InvalidConfig, UnknownAgent


@pytest.fixture(scope="module")
def server():
    with client() as made:
        yield made


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8017"},
        {"host": "127.0.0.1:9999"},
        {"host": "10.0.0.1:8017"},
        {"host": ""},
        {"host": "127.0.0.1:8017", "origin": "http://evil.example"},
        {"host": "127.0.0.1:8017", "origin": "http://127.0.0.1:9999"},
        {"host": "127.0.0.1:8017", "origin": "null"},
        {"host": "127.0.0.1:8017", "origin": "file://127.0.0.1:8017"},
    ],
)
def test_other_names_and_pages_of_other_sites_are_refused(server, headers):
    assert server.get("/", headers=headers).status_code == 403
    with pytest.raises(WebSocketDisconnect), talking(server, **headers):
        pass


@pytest.mark.parametrize("host", ["127.0.0.1:8017", "localhost:8017", "[::1]:8017"])
def test_this_machine_is_let_in(server, host):
    answer = server.get("/", headers={"host": host})
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    with talking(server, host=host, origin=f"http://{host}") as page:
        assert page.ask("hello")["games"]


def test_names_that_were_given_are_let_in_at_any_port():
    with client(names=("lab.example",)) as made:
        host = "LAB.example:4443"
        assert made.get("/", headers={"host": host}).status_code == 200
        assert made.get("/", headers={"host": "lab.example.evil:4443"}).status_code == 403
        with talking(made, host=host, origin=f"https://{host}") as page:
            assert page.ask("hello")


def test_elsewhere_a_token_is_needed():
    with client(host="0.0.0.0", token="a long secret") as made:
        assert made.get("/").status_code == 401
        assert made.get("/static/app.js").status_code == 401
        assert made.get("/?token=wrong").status_code == 401
        with pytest.raises(WebSocketDisconnect), talking(made):
            pass
        with pytest.raises(WebSocketDisconnect), talking(made, authorization="Bearer wrong"):
            pass
        assert made.get("/", headers={"host": "rebound.example:8017"}).status_code == 403
        with talking(made, authorization="Bearer a long secret") as page:
            assert page.ask("hello")
        answer = made.get("/?token=a+long+secret", follow_redirects=False)
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert made.get("/").status_code == 200  # the client keeps the cookie
        with talking(made, host="192.168.0.7:8017") as page:
            assert page.ask("hello")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../command.py",
        "/static/..%2fcommand.py",
        "/static/%2e%2e/command.py",
        "/static//etc/passwd",
        "/static/",
        "/command.py",
        "/static/index.html%00",
    ],
)
def test_nothing_but_the_pages_own_files_is_served(server, path):
    answer = server.get(path)
    assert answer.status_code == 404
    assert "phasezoo" not in answer.text


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("", "no JSON"),
        ("[1]", "is a list"),
        ('{"do": NaN}', "NaN"),
        ("{}", "'do' is missing"),
        ('{"do": "fly"}', "no such request"),
        ('{"do": "__init__"}', "no such request"),
        ('{"do": "new"}', "'game' is missing"),
        ('{"do": "new", "game": "go"}', "no such game"),
        ('{"do": "new", "game": "chess", "players": 3}', "expected a list"),
        ('{"do": "new", "game": "chess", "players": [1]}', "expected a text"),
        ('{"do": "new", "game": "chess", "players": ["nobody"]}', "no such agent"),
        ('{"do": "new", "game": "chess", "players": ["human"]}', "asks at the terminal"),
        ('{"do": "new", "game": "chess", "players": [], "position": "x"}', "expected 8 ranks"),
        ('{"do": "new", "game": "chess", "players": [], "options": {"fog": 1}}', "no such option"),
        ('{"do": "new", "game": "chess", "players": [], "gate": "x"}', "gate"),
        (
            '{"do": "new", "game": "chess", "players": [], "pace": -1}',
            "pace=-1: expected seconds, a number",
        ),
        ('{"do": "play", "game": "?"}', "not on this server"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_bad_messages_are_answered_by_what_is_wrong(server, message, told):
    with talking(server) as page:
        name = page.new("chess", [None, None])
        error = page.send(message)
        assert told in error["message"]
        assert error["kind"] != "InternalError"
        assert "Traceback" not in error["message"]
        assert page.play(name, "e4")["moves"] == ["e4"]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"ply": 1, "action": 75}, "at ply 0"),
        ({"ply": 0, "action": 4671}, "not legal"),
        ({"ply": 0, "action": "75"}, "whole number"),
        ({"ply": 0, "action": True}, "whole number"),
        ({"ply": 0}, "'action' is missing"),
    ],
)
def test_actions_that_cannot_be_played_leave_the_game_as_it_is(server, fields, told):
    with talking(server) as page:
        name = page.new("chess", [None, None])
        with pytest.raises(Refused, match=told):
            page.ask("play", game=name, **fields)
        assert page.play(name, "e4")["ply"] == 1


def test_a_message_that_is_too_long_closes_the_page_alone(server):
    with talking(server) as other:
        name = other.new("chess", [None, None])
        with pytest.raises(WebSocketDisconnect) as closed, talking(server) as page:
            page.send("x" * (LONGEST_MESSAGE + 1))
        assert closed.value.code == 1009
        assert other.play(name, "e4")["ply"] == 1


def test_games_and_pages_have_a_limit():
    with client(games=2, pages=2) as made, talking(made) as page:
        page.new("chess", [None, None])
        first = page.new("chess", [None, None])
        with pytest.raises(Refused, match="no more fit"):
            page.new("chess", [None, None])
        page.ask("leave", game=first)  # what nobody watches makes room
        page.new("chess", [None, None])
        with talking(made):
            with pytest.raises(WebSocketDisconnect) as closed, talking(made) as third:
                third.hear()
            assert closed.value.code == 1013


def test_pages_may_name_harmless_agents_alone_unless_they_are_trusted():
    agents = Agents(("uci:stockfish",), trusting=False)
    agents.check("uci:stockfish")
    agents.check("mcts:net=phasezoo/chess-small,nodes=10")
    for text in ("uci:sh", "module:os:system", "os:system", "sb3:x.zip", "legacy_pommerman:a:b"):
        with pytest.raises(InvalidConfig, match="--agents"):
            agents.check(text)
    for text in (
        "mcts:net=/etc",
        "m2cts:experts=../x",
        "m2cts:policy=/etc,value=phasezoo/chess-small",
        "m2cts:policy=phasezoo/chess-small,value=/etc/shadow.pb",
        "mcts:syzygy=/etc",
        "mcts:net=phasezoo/../x",
    ):
        with pytest.raises(InvalidConfig, match="lies outside"):
            agents.check(text)


@pytest.mark.parametrize("trusting", [True, False])
@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("mtcs:nodes=50", UnknownAgent, "did you mean 'mcts'"),
        ("foo", UnknownAgent, "no such agent"),
        ("mcts:nods=3", InvalidConfig, "did you mean nodes="),
        ("mcts:nodes=many", InvalidConfig, "whole number"),
    ],
)
def test_agents_that_there_are_not_are_told_when_they_are_typed(trusting, text, error, words):
    agents = Agents(trusting=trusting)
    assert agents.checked_text("mcts:nodes=50") == "mcts:nodes=50"
    with pytest.raises(error, match=words):
        agents.checked_text(text)


def test_networks_lie_in_the_folders_that_were_named(tmp_path):
    inside = tmp_path / "runs"
    inside.mkdir()
    (inside / "link").symlink_to("/etc")
    agents = Agents(trusting=False, folders=(inside,))
    agents.check(f"mcts:net={inside}/a")
    for folder in (f"{inside}/../other", f"{inside}/link", str(tmp_path)):
        with pytest.raises(InvalidConfig, match="lies outside"):
            agents.check(f"mcts:net={folder}")


def test_a_slow_page_gets_the_newest_picture_alone():
    async def scene():
        outbox = Outbox()
        for number in range(1_000):
            outbox.renew("game", lambda number=number: {"number": number})
            outbox.renew("gone", lambda: None)
        outbox.reply({"re": 1})
        return [await outbox.next(), await outbox.next()], outbox.waiting

    found, waiting = asyncio.run(scene())
    assert found == [{"re": 1}, {"number": 999}]
    assert waiting == 0


WORDS = st.sampled_from(
    [
        "hello", "new", "join", "leave", "play", "undo", "set", "show", "assign", "run", "hurry",
        "look", "gates", "text", "chess", "krk", "random", "lichess", "pgn", "GAME", "", "…",
    ]
)  # fmt: skip
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS
)
VALUES = SCALARS | st.lists(SCALARS, max_size=4) | st.dictionaries(WORDS, SCALARS, max_size=3)
NAMES = st.sampled_from(
    ["game", "players", "ply", "action", "position", "options", "seed", "gate", "other_gate",
     "pace", "at", "viewer", "flipped", "player", "agent", "on", "to", "kind"]
)  # fmt: skip


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(WORDS, st.dictionaries(NAMES, VALUES, max_size=8)), max_size=6))
def test_whatever_is_sent_is_answered_and_the_game_goes_on(server, requests):
    with talking(server) as page:
        name = page.new("chess", [None, None])
        for what, fields in requests:
            given = {key: name if value == "GAME" else value for key, value in fields.items()}
            known = {"game": name, "players": [None, None], **given}
            refusal = page.refusal(what, known)
            assert refusal is None or refusal["kind"] != "InternalError", (what, known, refusal)
        page.ask("join", game=name)
        for player in range(2):
            page.ask("assign", game=name, player=player, agent=None)
        page.ask("look", game=name, on=False)
        page.ask("set", game=name)
        page.games.clear()
        page.ask("show", game=name, at=None)
        shown = page.wait(name, lambda shown: shown["at"] == 0 and shown["players"] == [None, None])
        assert len(shown["board"]["legal"]) == 20
        page.play(name, "e4")

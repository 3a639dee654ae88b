"""The board's server at its socket: who says nothing, who says nonsense, and how many there are."""

import json
import logging
import socket
import time
from contextlib import contextmanager

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("websockets")

from web_serving import served
from websockets.sync.client import connect

from phasezoo.apps.web.command import listening
from phasezoo.apps.web.connections import Seldom

TOKEN = "pässwörd & #%;\"+='"


@pytest.fixture(scope="module")
def server():
    with served(threads=1) as made:
        yield made


@contextmanager
def opened(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as made:
        yield made


def asked(server, request: bytes) -> bytes:
    """All that is answered to some bytes."""
    with opened(server) as made:
        made.sendall(request)
        answer = b""
        while part := made.recv(65_536):
            answer += part
        return answer


def get(server, path="/", *headers: str, encoding="latin-1") -> bytes:
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        *headers,
        "Connection: close",
    ]
    return asked(server, "".join(f"{line}\r\n" for line in lines).encode(encoding) + b"\r\n")


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def is_open(made) -> bool:
    made.setblocking(False)
    try:
        return made.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    finally:
        made.setblocking(True)


def until_closed(made) -> None:
    made.settimeout(30)
    try:
        while made.recv(65_536):
            pass
    except ConnectionError:
        return


def test_small_answers_are_sent_at_once():
    with listening("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
        with socket.create_connection(listener.getsockname()):
            accepted, _ = listener.accept()
            with accepted:
                assert accepted.proto == socket.IPPROTO_TCP
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    "origin",
    [
        "http://[", "http://[::1", "http://127.0.0.1:99999999", "http://a:b:c", "http://\xe9\xff",
        "null", "//", "http://", "\x7f", "http://127.0.0.1:PORT/path", "http://127.0.0.1:PORT?x",
        "http://127.0.0.1:PORT, http://evil.example", "https://evil.example@127.0.0.1:PORT",
    ],
)  # fmt: skip
def test_an_origin_that_is_no_address_is_refused(server, origin):
    answer = get(server, "/", f"Origin: {origin.replace('PORT', str(server.port))}")
    assert status(answer) in (400, 403)
    assert b"Traceback" not in answer


def test_two_origins_are_one_too_many(server):
    own = f"Origin: http://127.0.0.1:{server.port}"
    assert status(get(server, "/", own)) == 200
    assert status(get(server, "/", own, own)) == 403


@pytest.mark.parametrize(
    "request_",
    [
        b"\0" * 4_096 + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nA: " + b"x" * 100_000 + b"\r\n\r\n",
    ],
)
def test_nonsense_is_refused_and_the_server_goes_on(server, request_):
    try:
        answer = asked(server, request_)
    except ConnectionError:  # closed before it had all been read
        answer = b"HTTP/1.1 400 "
    assert status(answer) in (400, 403)
    assert status(get(server)) == 200


def test_a_token_of_any_letters_is_taken_from_address_header_and_cookie():
    with served(threads=1, token=TOKEN) as made:
        quoted = "p%C3%A4ssw%C3%B6rd%20%26%20%23%25%3B%22%2B%3D%27"
        assert status(get(made)) == 401
        assert status(get(made, "/?token=p%E4ssw")) == 401
        assert status(get(made, "/?token=%ff%00&token")) == 401
        answer = get(made, f"/?token={quoted}")
        assert status(answer) == 303
        cookie = answer.partition(b"set-cookie: ")[2].partition(b";")[0].decode()
        assert "p" + "ässw" not in cookie
        assert status(get(made, "/", f"Cookie: {cookie}")) == 200
        assert status(get(made, "/", f"Cookie: {cookie}x")) == 401
        for other in ('prefs={"theme":"dark"}', "filter[a]=b", "name=Jane Doe", "flag", "n=\xe9"):
            assert status(get(made, "/", f"Cookie: {other}; {cookie}")) == 200
        assert status(get(made, "/", f"Authorization: Bearer {TOKEN}")) == 200
        assert status(get(made, "/", f"Authorization: Bearer {TOKEN}", encoding="utf-8")) == 200
        assert status(get(made, "/", "Authorization: Bearer \xe4\xff")) == 401
        assert status(get(made, "/", "Cookie: phasezoo_token=\xe4\xff; \xff")) == 401


def test_who_sends_no_whole_request_is_closed():
    with served(threads=1, seconds=0.5) as made, opened(made) as silent, opened(made) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
        until_closed(silent)
        until_closed(slow)
        with opened(made) as again:  # a second request, and a body that does not come
            host = f"Host: 127.0.0.1:{made.port}\r\n".encode()
            again.sendall(b"GET / HTTP/1.1\r\n" + host + b"Content-Length: 9\r\n\r\nx")
            until_closed(again)
        with opened(made) as kept:
            kept.sendall(b"GET / HTTP/1.1\r\n" + host + b"\r\n")
            assert kept.recv(65_536).startswith(b"HTTP/1.1 200")
            kept.sendall(b"GET /")
            until_closed(kept)


def test_a_page_stays_open_though_it_says_nothing():
    with served(threads=1, seconds=0.3) as made:
        address = f"ws://127.0.0.1:{made.port}/ws"
        with connect(address, max_size=2**22) as page:
            with opened(made) as silent:
                until_closed(silent)
            page.send(json.dumps({"do": "hello", "re": 1}))
            assert json.loads(page.recv(30))["ok"]["games"]


def test_connections_have_a_number_and_the_silent_ones_go_first():
    with served(threads=1, most=8, token=TOKEN) as made:
        first = [socket.create_connection(("127.0.0.1", made.port)) for _ in range(8)]
        more = [socket.create_connection(("127.0.0.1", made.port)) for _ in range(40)]
        assert status(get(made, "/", f"Authorization: Bearer {TOKEN}")) == 200
        assert status(get(made)) == 401
        for each in first:
            until_closed(each)
        assert sum(map(is_open, more)) <= 8
        for each in (*first, *more):
            each.close()


def test_many_refusals_are_few_lines():
    lines = []
    handler = logging.Handler()
    handler.emit = lines.append
    with served(threads=1) as made:
        logging.getLogger("uvicorn.error").addHandler(handler)
        began = time.monotonic()
        try:
            for _ in range(200):
                asked(made, b"nonsense\r\n\r\n")
        finally:
            logging.getLogger("uvicorn.error").removeHandler(handler)
        seconds = time.monotonic() - began
    assert len(lines) <= 1 + seconds
    assert any("left out" in line.getMessage() for line in lines) or seconds < 1


def test_kinds_of_lines_are_told_apart_and_those_left_out_are_counted():
    seldom = Seldom(seconds=1_000.0)

    def line(number, message="refused %s"):
        return logging.LogRecord("x", logging.WARNING, "file.py", number, message, ("a",), None)

    assert seldom.filter(line(1))
    assert seldom.filter(line(2))
    assert not seldom.filter(line(1, "refused \n%s"))
    assert not seldom.filter(line(1))
    seldom._last.clear()
    late = line(1)
    assert seldom.filter(late)
    assert late.getMessage() == "refused a (2 like it were left out)"

import hashlib
import http.server
import threading
from pathlib import Path

import pytest

from phasezoo.apps import cli, data_fetch_command
from phasezoo.runs.lock import held

BODY = bytes(range(256)) * 4_000


class Handler(http.server.BaseHTTPRequestHandler):
    ranges, cut, seen = True, 0, []

    def do_GET(self):
        kind = type(self)
        kind.seen.append((self.path, self.headers.get("Range")))
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/games.pgn")
            self.end_headers()
            return
        if self.path == "/empty.pgn":
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.path != "/games.pgn":
            self.send_error(404)
            return
        start = 0
        asked = self.headers.get("Range")
        if kind.ranges and asked and self.headers.get("If-Range") == '"v1"':
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
        if start >= len(BODY):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(BODY)}")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(BODY) - start))
        self.send_header("ETag", '"v1"')
        self.end_headers()
        end = len(BODY)
        if kind.cut:
            kind.cut -= 1
            end = start + 300_000
        self.wfile.write(BODY[start:end])

    def log_message(self, *_):
        pass


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(data_fetch_command, "TIMEOUT_SECONDS", 10)
    kind = type("Served", (Handler,), {"ranges": True, "cut": 0, "seen": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    kind.url = f"http://127.0.0.1:{server.server_port}"
    yield kind
    server.shutdown()
    server.server_close()
    thread.join()


def fetch(*words):
    return cli.main(["data", "fetch", *map(str, words)])


@pytest.mark.parametrize("path", ["games.pgn", "moved"])
def test_a_file_is_fetched_and_the_next_command_named(path, served, tmp_path, capsys):
    digest = hashlib.sha256(BODY).hexdigest()
    assert fetch(f"{served.url}/{path}", "--sha256", digest, "--out", "a.pgn") == 0
    assert (tmp_path / "a.pgn").read_bytes() == BODY
    assert [file.name for file in tmp_path.iterdir()] == ["a.pgn"]
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-1] == "next: phasezoo data import a.pgn a.parquet"
    assert shown.err == ""
    assert fetch(f"{served.url}/games.pgn", "--out", "a.pgn") == 1
    assert "--overwrite" in capsys.readouterr().err


@pytest.mark.parametrize("ranges", [True, False])
def test_a_cut_connection_is_continued(ranges, served, tmp_path):
    served.ranges, served.cut = ranges, 2
    assert fetch(f"{served.url}/games.pgn") == 0
    assert (tmp_path / "games.pgn").read_bytes() == BODY
    asked = [where for _, where in served.seen]
    assert asked[0] is None
    assert all(asked[1:])
    assert len(asked) == 3


def test_a_part_of_an_earlier_command_is_continued(served, tmp_path):
    for name, text in {"games.pgn.part": BODY[:1000], "games.pgn.part.etag": b'"v1"'}.items():
        (tmp_path / name).write_bytes(text)
    assert fetch(f"{served.url}/games.pgn") == 0
    assert served.seen == [("/games.pgn", "bytes=1000-")]
    assert (tmp_path / "games.pgn").read_bytes() == BODY


@pytest.mark.parametrize("rest", [BODY, BODY + b"more"])
def test_a_complete_or_longer_part_ends_well(rest, served, tmp_path):
    (tmp_path / "games.pgn.part").write_bytes(rest)
    (tmp_path / "games.pgn.part.etag").write_text('"v1"')
    assert fetch(f"{served.url}/games.pgn") == 0
    assert (tmp_path / "games.pgn").read_bytes() == BODY


def test_a_file_that_changed_is_fetched_anew(served, tmp_path):
    (tmp_path / "games.pgn.part").write_bytes(b"old" * 100)
    (tmp_path / "games.pgn.part.etag").write_text('"v0"')
    assert fetch(f"{served.url}/games.pgn") == 0
    assert (tmp_path / "games.pgn").read_bytes() == BODY


def test_a_kill_joins_no_two_versions_of_a_file(served, tmp_path, monkeypatch):
    """The new version is fetched from its first byte on."""
    (tmp_path / "games.pgn.part").write_bytes(b"old" * 100)
    (tmp_path / "games.pgn.part.etag").write_text('"v0"')

    usual = Path.open

    def killed(self, *args, **options):
        if self.suffix == ".part":
            raise KeyboardInterrupt
        return usual(self, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", killed)
        with pytest.raises(KeyboardInterrupt):
            data_fetch_command.fetch(f"{served.url}/games.pgn", tmp_path / "games.pgn.part", print)
    assert fetch(f"{served.url}/games.pgn") == 0
    assert (tmp_path / "games.pgn").read_bytes() == BODY


@pytest.mark.parametrize(
    ("path", "more", "code", "words"),
    [
        ("games.pgn", ["--sha256", "0" * 64], 1, "its SHA-256 is"),
        ("games.pgn", ["--sha256", "xyz"], 2, "64 hexadecimal digits"),
        ("none.pgn", [], 1, "404 Not Found"),
        ("empty.pgn", [], 1, "the server's file is empty"),
        ("games.pgn", ["--out", "no/games.pgn"], 1, "the folder no does not exist"),
    ],
)
def test_what_is_refused_leaves_no_file(path, more, code, words, served, tmp_path, capsys):
    assert fetch(f"{served.url}/{path}", *more) == code
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "source", ["lichess:2017-13", "ftp://x/y", "games.pgn", "file:///etc/passwd"]
)
def test_other_sources_are_refused(source, capsys):
    assert fetch(source) == 2
    assert "expected" in capsys.readouterr().err


def test_a_second_process_waits_for_the_first(served, tmp_path, capsys):
    (tmp_path / "games.pgn.part").write_bytes(BODY[:100])
    with held(tmp_path / "games.pgn.lock"):
        assert fetch(f"{served.url}/games.pgn") == 1
        assert "games.pgn.lock: another process is working" in capsys.readouterr().err
        assert (tmp_path / "games.pgn.part").read_bytes() == BODY[:100]
    assert fetch(f"{served.url}/games.pgn") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.pgn"]


def test_a_month_of_lichess_has_an_address():
    assert data_fetch_command._address("lichess:2017-04").endswith("_2017-04.pgn.zst")

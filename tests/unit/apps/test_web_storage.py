"""What pages may look into: runs, finished games, training; and nothing else."""

import json
import os
import shutil

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("pyarrow")

from web_client import Refused, client, talking

from phasezoo import agents, arena, games, training
from phasezoo.apps.web.storage import SAMPLES, Storage
from phasezoo.errors import InvalidConfig
from phasezoo.games import legal_actions_of

SECRET = "nobody may read this"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of runs, and beside it what nobody may reach."""
    base = tmp_path_factory.mktemp("web")
    (base / "secret").mkdir()
    (base / "secret" / "report.html").write_text(SECRET)
    (base / "secret" / "metrics.csv").write_text("update,loss\n1,2\n")
    runs = base / "runs"
    zero = runs / "zero"
    zero.mkdir(parents=True)
    (zero / "report.html").write_text("<title>a report</title><script>1</script>")
    (zero / "other.html").write_text(SECRET)
    (zero / "metrics.csv").write_text(
        "update,positions,learn/loss,match/elo\n1,10,2.5,\n2,20,1.5,30\n3,30,1."
    )
    (zero / "probes.jsonl").write_text('{"version":0,"numbers":{"score":0.25}}\n{"version":1,"nu')
    uct = agents.UCTAgent(threshold=7, limit=agents.Limit(simulations=60), seed=1)
    match = arena.play_match(uct, agents.RandomAgent(seed=2), game="connect-four", games=4, seed=3)
    with training.StoreWriter(zero / "games", game="connect-four") as writer:
        writer.extend(match)
        writer.add(
            start=games.make("connect-four").initial_state(),
            actions=[3, 2, 3, 2, 3, 2, 3],
            returns=[1.0, -1.0],
            visits=[np.eye(7, dtype=np.int64)[a] * 100 for a in (3, 2, 3, 2, 3, 2, 3)],
            values=[0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.9],
        )
    arena.play_match(
        agents.MCTSAgent(_Material(), limit=agents.Limit(nodes=12), seed=1),
        agents.RandomAgent(seed=2),
        game="chess",
        games=2,
        seed=3,
        max_plies=30,
        pgn=runs / "games.pgn",
    )
    recorded = runs / "recorded"
    recorded.mkdir()
    state = games.make("pommerman-ffa").initial_state(seed=3)
    rng = np.random.default_rng(1)
    for step in range(6):
        text = state.to_json()
        (recorded / f"{step:03}.json").write_text(json.dumps(text) if step % 2 else text)
        moves = [int(rng.choice(legal_actions_of(state, player))) for player in range(4)]
        state = state.play(np.array(moves))
    (runs / "link").symlink_to(base / "secret")
    (runs / "zero" / "leak").mkdir()
    (runs / "zero" / "leak" / "report.html").symlink_to(base / "secret" / "report.html")
    (runs / "zero" / "leak" / "metrics.csv").symlink_to(base / "secret" / "metrics.csv")
    (runs / "linked").mkdir()
    (runs / "linked" / "a.parquet").symlink_to(next((zero / "games").glob("*.parquet")))
    return runs


class _Material:
    plane_spec = "minimal"

    def evaluate(self, planes):
        from phasezoo import inference

        value = np.tanh((planes[:, :6].sum((1, 2, 3)) - planes[:, 6:].sum((1, 2, 3))) / 5)
        return inference.Evaluation(policy_logits=None, value=value.astype(np.float32))


@pytest.fixture(scope="module")
def server(folder):
    with client(runs=(folder,)) as made:
        yield made


@pytest.fixture
def page(server):
    with talking(server) as talker:
        yield talker


def test_what_lies_in_a_folder_is_listed_and_links_are_not(page):
    assert page.ask("hello")["storage"] == ["runs", SAMPLES]
    items = {(item["path"], item["kind"]) for item in page.ask("storage", root="runs")}
    assert items == {
        ("zero/report.html", "report"),
        ("zero/metrics.csv", "training"),
        ("zero/games", "store"),
        ("games.pgn", "pgn"),
        ("recorded", "recording"),
    }
    assert {item["path"] for item in page.ask("storage", root=SAMPLES)} >= {"chess", "krk"}


OUTSIDE = (
    "../secret/report.html",
    "zero/../../secret/report.html",
    "link/report.html",
    "zero/leak/report.html",
    "/etc/passwd",
    "zero//../../../etc/passwd",
    "zero\\..\\..",
    ".",
    "",
    "zero/\0report.html",
)


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_out_of_the_folders(folder, page, server, path):
    with pytest.raises(InvalidConfig, match="no such thing"):
        Storage([folder]).find("runs", path)
    for what in ("games", "open", "training"):
        with pytest.raises(Refused, match="no such thing"):
            page.ask(what, root="runs", path=path)
    if "\0" not in path:
        answer = server.get(f"/report/runs/{path}")
        assert SECRET not in answer.text
        assert answer.status_code in (403, 404)


@pytest.mark.parametrize(
    "path", ["zero/" + 300 * "a", "/".join(30 * [200 * "a"]), "zero/\ud800"], ids=range(3)
)
def test_names_that_no_system_has_are_of_nothing_there(folder, page, path):
    with pytest.raises(InvalidConfig, match="no such thing"):
        Storage([folder]).find("runs", path)
    for what in ("games", "open", "training"):
        with pytest.raises(Refused, match=r"no such thing|letters"):
            page.ask(what, root="runs", path=path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_what_is_listed_can_be_opened(tmp_path):
    run = tmp_path / "2024-01-01T12:00:00"
    run.mkdir()
    (run / "metrics.csv").write_text("update\n")
    storage = Storage([tmp_path])
    (item,) = storage.items(tmp_path.name)
    assert storage.find(tmp_path.name, item.path).name == "metrics.csv"


def test_links_inside_of_a_store_are_not_followed(page):
    for what in ("games", "open"):
        with pytest.raises(Refused, match="holds links"):
            page.ask(what, root="runs", path="linked")


def test_pipes_and_devices_are_neither_listed_nor_read(folder, page):
    root = folder.name
    before = page.ask("storage", root=root)
    store = folder / "with_pipe"
    store.mkdir()
    for name in ("pipe.pgn", "pipe.parquet", "with_pipe/0.parquet"):
        os.mkfifo(folder / name)
    (folder / "zero.pgn").symlink_to("/dev/zero")
    try:
        assert page.ask("storage", root=root) == before
        for path in ("pipe.pgn", "pipe.parquet", "zero.pgn", "with_pipe"):
            for what in ("games", "open"):
                with pytest.raises(Refused, match=r"no such thing|links or pipes"):
                    page.ask(what, root=root, path=path)
    finally:
        shutil.rmtree(store)
        for name in ("pipe.pgn", "pipe.parquet", "zero.pgn"):
            (folder / name).unlink()


def test_reports_are_served_and_can_do_nothing(server):
    answer = server.get("/report/runs/zero/report.html")
    assert "a report" in answer.text
    assert answer.headers["content-security-policy"].startswith("sandbox allow-scripts")
    for path in ("zero/other.html", "zero/metrics.csv", "zero", "zero/leak/report.html"):
        assert server.get(f"/report/runs/{path}").status_code == 404
    assert server.get("/report/elsewhere/zero/report.html").status_code == 404
    assert server.get("/report/runs/..%2f..%2fsecret/report.html").status_code == 404


def test_a_stored_game_is_stepped_through_with_what_its_searches_found(page):
    listed = page.ask("games", root="runs", path="zero/games")
    assert listed["total"] == 5
    assert listed["games"][4]["returns"] == [1.0, -1.0]
    name = page.ask("open", root="runs", path="zero/games", number=4)["game"]
    shown = page.wait(name, lambda shown: True)
    assert (shown["at"], shown["ply"]) == (0, 7)
    assert shown["moves"] == list("4343434")
    assert shown["analyses"][0]["moves"][0] | {"path": None} == {
        "action": 3, "name": "4", "path": None, "visits": 100, "share": 1.0, "q": None,
        "prior": None,
    }  # fmt: skip
    *moved, last = shown["values"]  # nobody searched where the game is over
    assert last == [None, None]
    values = [next(v for v in each if v is not None) for each in moved]
    assert values == pytest.approx([0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.9])
    assert shown["over"]["reason"] == "connect_four"
    page.ask("undo", game=name, to=2)  # and is played on from there
    page.wait(name, lambda shown: shown["ply"] == 2)
    page.ask("show", game=name, at=None)
    shown = page.wait(name, lambda shown: shown["at"] == 2)
    assert page.play(name, "7")["moves"] == ["4", "3", "7"]
    with pytest.raises(Refused, match="there are fewer"):
        page.ask("open", root="runs", path="zero/games", number=5)


def test_a_pgn_of_a_match_has_the_values_that_its_comments_tell(page):
    listed = page.ask("games", root="runs", path="games.pgn")
    assert listed["total"] == 2
    name = page.ask("open", root="runs", path="games.pgn", number=1)["game"]
    shown = page.wait(name, lambda shown: True)
    assert shown["ply"] == listed["games"][1]["plies"]
    white = listed["games"][1]["players"].index("MCTS")
    known = [[k for k, v in enumerate(each) if v is not None] for each in shown["values"]]
    searched = [ply for ply, players in enumerate(known) if players]
    assert searched
    assert all(ply % 2 != white for ply in searched)  # a comment is of the position after a move
    assert all(known[ply] == [white] for ply in searched)


def test_a_game_that_went_on_after_an_unclaimed_draw_is_stepped_through(page, folder):
    moves = "Nf3 Nf6 Ng1 Ng8 " * 2 + "Nf3 {[%eval 0.5]} Nf6"
    path = folder / "unclaimed.pgn"
    path.write_text(f'[Event "x"]\n\n{moves} 1-0\n\n[White "skipped"]\n\n1. e5 1-0\n\n1. e4 1-0\n')
    try:
        assert page.ask("games", root="runs", path=path.name)["total"] == 2
        name = page.ask("open", root="runs", path=path.name, number=0)["game"]
    finally:
        path.unlink()
    for ply in (8, 9, 10):
        page.ask("show", game=name, at=ply)
        shown = page.wait(name, lambda shown, ply=ply: shown["at"] == ply)
        assert "<svg" in shown["board"]["svg"]
    assert shown["moves"][-2:] == ["Nf3", "Nf6"]
    assert [ply for ply, values in enumerate(shown["values"]) if values != [None, None]] == [9]
    assert shown["values"][9][0] > 0
    text = page.ask("text", game=name, kind="pgn")
    assert "5. Nf3" in text


def test_a_recording_of_states_is_stepped_through(page):
    name = page.ask("open", root="runs", path="recorded")["game"]
    shown = page.wait(name, lambda shown: True)
    assert shown["kind"] == "pommerman-ffa"
    assert shown["moves"] == [f"step {step}" for step in range(1, 6)]
    page.ask("show", game=name, at=4)
    shown = page.wait(name, lambda shown: shown["at"] == 4)
    assert "<svg" in shown["board"]["svg"]
    with pytest.raises(Refused, match="JSON"):
        page.ask("text", game=name, kind="pgn")
    assert json.loads(page.ask("text", game=name, kind="json"))["actions"] == [None] * 5


def test_training_is_followed_while_it_writes(page, folder):
    found = page.ask("training", root="runs", path="zero/metrics.csv")
    assert found["columns"] == {
        "update": [1, 2], "positions": [10, 20], "learn/loss": [2.5, 1.5], "match/elo": [None, 30],
    }  # fmt: skip
    assert found["probes"] == [{"version": 0, "numbers": {"score": 0.25}}]
    assert found["ladder"] == []
    with (folder / "zero" / "metrics.csv").open("a") as file:
        file.write("25,40\n")
    found = page.ask("training", root="runs", path="zero/metrics.csv")
    assert found["columns"]["learn/loss"] == [2.5, 1.5, 1.25]
    with pytest.raises(Refused, match=r"metrics\.csv"):
        page.ask("training", root="runs", path="zero/report.html")


def test_the_ladder_of_versions_is_rated(page, folder):
    rungs = [
        {
            "first": 5,
            "second": 0,
            "nodes": 8,
            "scores": [1, 1, 1, 0.5] * 4,
            "openings": [0, 0, 1, 1] * 4,
        },
        {
            "first": 10,
            "second": 5,
            "nodes": 8,
            "scores": [1, 0, 1, 0.5] * 4,
            "openings": [0, 0, 1, 1] * 4,
        },
    ]
    lines = "".join(f"{json.dumps(rung)}\n" for rung in rungs)
    damaged = [
        {**rungs[0], **change}
        for change in ({"first": "b"}, {"openings": None}, {"nodes": [1]}, {"scores": ["x"]})
    ]
    damaged.append({**rungs[0], "scores": [10**400]})
    lines += "".join(f"{json.dumps(rung)}\n" for rung in damaged)
    (folder / "zero" / "ladder.jsonl").write_text(lines + '{"first": 15')
    ladder = page.ask("training", root="runs", path="zero/metrics.csv")["ladder"]
    assert [row["version"] for row in ladder] == [0, 5, 10]
    assert ladder[0]["elo"] == 0 < ladder[1]["elo"] < ladder[2]["elo"]
    (folder / "zero" / "ladder.jsonl").unlink()


def test_a_damaged_table_of_a_training_has_no_columns(page, folder):
    metrics = folder / "zero" / "metrics.csv"
    whole = metrics.read_text()
    metrics.write_text(f"{whole}{'9' * 140_000},1,2\n")
    try:
        found = page.ask("training", root="runs", path="zero/metrics.csv")
    finally:
        metrics.write_text(whole)
    assert found["columns"] == {}


def test_sample_games_of_the_package_are_opened(page):
    name = page.ask("open", root=SAMPLES, path="krk", number=3, gate="lichess")["game"]
    shown = page.wait(name, lambda shown: True)
    assert shown["kind"] == "krk"
    assert len(shown["strip"]["plies"]) == shown["ply"] + 1

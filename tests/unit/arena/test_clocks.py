"""Matches under time: clocks that run, and times in records, logs, frames and PGN."""

import io
import json
import sys
from pathlib import Path

import chess.pgn
import pytest

from phasezoo import agents, arena, games, inference
from phasezoo.agents import Limit, TimeControl
from phasezoo.arena.clocks import Clock
from phasezoo.arena.pgn import pgn_of
from phasezoo.errors import InvalidConfig

TOY = Path(__file__).parent.parent / "agents" / "engines" / "toy_engine.py"


class Own:
    """An agent of one's own, which plays the first legal move."""

    limit = Limit(clock=TimeControl(left_ms=60_000))

    def __init__(self):
        self.told = []

    def session(self, seed):
        return self

    def act(self, state, player=None):
        return int(games.legal_actions_of(state, state.to_play)[0])

    def move(self, state, limit=None):
        self.told.append(limit)
        return agents.Move(self.act(state))


def timed(**limit):
    return agents.MCTSAgent(inference.Uniform(), limit=Limit(**limit), batch_size=4, seed=1)


def clock(left_ms=60_000, increment_ms=20, **options):
    return TimeControl(left_ms=left_ms, increment_ms=increment_ms, **options)


def played(first, second="random:seed=3", **options):
    given = {"games": 2, "seed": 5, "max_plies": 8, "openings": ["e4 e5"]}
    return arena.play_match(first, second, **(given | options))


def nodes(pgn):
    game = chess.pgn.read_game(io.StringIO(pgn))
    assert game.errors == []
    return list(game.mainline())


def test_a_clock_counts_down_and_gets_its_increments():
    one = Clock(TimeControl(left_ms=1000, increment_ms=100))
    assert one.control == TimeControl(left_ms=1000, increment_ms=100)
    assert one.press(0.5)
    assert one.left_ms == pytest.approx(600)
    assert one.control.left_ms == one.left_ms
    assert not one.press(0.601)
    assert one.left_ms == 0


def test_a_clock_of_so_many_moves_gets_its_time_again():
    one = Clock(TimeControl(left_ms=1000, moves_to_go=2))
    assert one.press(0.25)
    assert (one.left_ms, one.control.moves_to_go) == (750, 1)
    assert one.press(0.25)
    assert (one.left_ms, one.control.moves_to_go) == (1500, 2)


def test_the_clock_of_a_player_runs_through_the_game():
    match = played(timed(nodes=9, clock=clock(60_000)))
    for record in match.games:
        own = record.sides.index(0)
        left = 60.0
        assert len(record.thoughts) == 6
        for thought in record.thoughts[own::2]:
            left += 0.02 - thought.seconds
            assert thought.clock == pytest.approx(left, abs=0.005)
        assert record.thoughts[1 - own :: 2] == (None,) * 3  # who plays without time is not timed


def test_times_stand_in_the_game_as_other_programs_read_them(tmp_path):
    path = tmp_path / "games.pgn"
    match = played(timed(movetime_ms=30), timed(nodes=9, clock=clock()), pgn=path)
    text = path.read_text()
    record = match.games[0]
    found = nodes(text)[2:]
    assert len(found) == len(record.thoughts) == 6
    for node, thought in zip(found, record.thoughts, strict=True):
        assert node.emt() == pytest.approx(thought.seconds, abs=5e-4)
    assert [node.clock() for node in found[0::2]] == [None] * 3
    for node, thought in zip(found[1::2], record.thoughts[1::2], strict=True):
        assert node.clock() == pytest.approx(thought.clock, abs=5e-4)
    long = arena.Thought(0.5, 7, 3, seconds=61.25, clock=3 * 3600 + 59.9996)
    made = pgn_of(arena.GameRecord(0, 0, (0, 1), 0, None, (), ("e2e4",), (0, 0), "x", "max_plies",
                                   (1, 2), thoughts=(long,)), ("a", "b"))  # fmt: skip
    assert "[%emt 0:01:01.250] [%clk 3:01:00.000]" in made.replace("\n", " ")


def test_games_by_nodes_have_no_times(tmp_path):
    match = played("mcts:nodes=2", "mcts:nodes=2,seed=1", pgn=tmp_path / "games.pgn")
    assert all(thought.seconds is None for thought in match.games[0].thoughts)
    assert "%emt" not in (tmp_path / "games.pgn").read_text()
    assert match.to_frame()["seconds"].tolist() == [None, None]


def test_times_come_back_from_a_log_and_stand_in_frames(tmp_path):
    log, agent = tmp_path / "games.jsonl", timed(movetime_ms=5)
    first = played(agent, log=log)
    again = played(agent, log=log, pgn=tmp_path / "games.pgn")
    assert again.games == first.games
    assert (tmp_path / "games.pgn").read_text().count("%emt") == 6
    row = again.to_frame().iloc[0]
    spent = sum(thought.seconds for thought in first.games[0].thoughts if thought)
    assert row["seconds"] == (pytest.approx(spent, abs=0.004), None)
    # Logs of before times were kept.
    lines = log.read_text().splitlines()
    for number, line in enumerate(lines[1:], start=1):
        entry = json.loads(line)
        entry["game"]["thoughts"] = [each and each[:4] for each in entry["game"]["thoughts"]]
        lines[number] = json.dumps(entry)
    log.write_text("\n".join(lines) + "\n")
    assert played(agent, log=log).games[0].thoughts[0].seconds is None


def test_a_clock_that_runs_out_loses_the_game(tmp_path):
    path = tmp_path / "games.pgn"
    engine = agents.EngineAgent(
        [sys.executable, str(TOY), "slow:60"], limit=Limit(clock=clock(100, 0)), name="toy"
    )
    match = played(engine, pgn=path)
    for record in match.games:
        assert (record.ending, record.reason) == ("forfeit", "timeout")
        assert record.score == 0
        assert len(record.moves) <= 3  # at most one of its moves
        assert "s were left" in record.note
        assert record.seconds[record.sides.index(0)] > 0.1
    assert '[Termination "time forfeit"]' in path.read_text()


def test_what_an_engine_loads_when_it_starts_is_no_time_of_its_first_move():
    engine = agents.EngineAgent(
        [sys.executable, str(TOY), "load:2500"], limit=Limit(clock=clock(2_000, 0)), name="toy"
    )
    assert all(record.reason == "max_plies" for record in played(engine).games)


def test_rollouts_and_engines_play_by_the_clock_too(tmp_path):
    told = tmp_path / "told"
    engine = agents.EngineAgent(
        [sys.executable, str(TOY), f"log:{told}"], limit=Limit(clock=clock(30_000)), name="toy"
    )
    match = played(engine, agents.UCTAgent(limit=Limit(clock=clock(3_000, 0)), seed=1))
    for record in match.games:
        assert all(thought.seconds is not None for thought in record.thoughts)
        ours = record.thoughts[record.sides.index(1) :: 2]
        assert [thought.clock for thought in ours] == sorted(
            (thought.clock for thought in ours), reverse=True
        )
    asked = [line.split() for line in told.read_text().splitlines() if " go " in line]
    times = [int(words[words.index("wtime") + 1]) for words in asked]
    assert times[0] == 30_000
    assert len(set(times)) > 1


def test_clocks_are_for_two_players_in_turn():
    with pytest.raises(InvalidConfig, match="two players who move in turn; give movetime_ms="):
        arena.play_match(
            agents.SinglePlayerMCTSAgent(
                inference.Uniform(), others="simple", limit=Limit(clock=clock())
            ),
            "random",
            game="pommerman-ffa",
            games=4,
        )

    with pytest.raises(InvalidConfig, match="Own does not play by a clock"):
        played(Own())


def test_agents_of_ones_own_are_told_their_clock():
    agent = Own()
    agent.keeps_clocks = True
    match = played(agent)
    assert [limit.clock.left_ms for limit in agent.told[::3]] == [60_000] * 2
    assert len({limit.clock.left_ms for limit in agent.told}) == 5
    for record in match.games:
        thoughts = record.thoughts[record.sides.index(0) :: 2]
        assert all(thought.value is None and thought.clock <= 60 for thought in thoughts)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("60+0.6", TimeControl(left_ms=60_000, increment_ms=600)),
        ("10", TimeControl(left_ms=10_000)),
        ("40/300", TimeControl(left_ms=300_000, moves_to_go=40)),
        ("40/0.5+0.01", TimeControl(left_ms=500, increment_ms=10, moves_to_go=40)),
    ],
)
def test_clocks_as_texts(text, control):
    agent = agents.make(f"uct:clock={text}")
    assert agent.limit.clock == control
    assert agents.make(f"mcts:nodes=5,clock={text}").limit == Limit(nodes=5, clock=control)
    assert agents.spec_of(agents.make("uct", clock=control)) == f"uct:clock={text}"
    assert agents.spec_of(agents.make("uct", limit=Limit(clock=control))) == f"uct:clock={text}"


def test_clocks_that_no_text_can_write():
    kept = TimeControl(left_ms=5, overhead_ms=1)
    with pytest.raises(InvalidConfig, match="no text names"):
        agents.spec_of(agents.make("uct", clock=kept))


@pytest.mark.parametrize("text", ["", "60+", "a", "60+0.6+1", "-3", "0/5", "nan", "1e400"])
def test_texts_that_are_no_clocks(text):
    with pytest.raises(InvalidConfig, match="clock="):
        agents.make(f"uct:clock={text}")

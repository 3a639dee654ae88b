import json
from dataclasses import asdict

import numpy as np
import pytest
import toy_games
from material import Material

from phasezoo import agents, arena, inference
from phasezoo.arena.conditions import Conditions
from phasezoo.arena.play import play_matches
from phasezoo.arena.playing import Plan
from phasezoo.errors import InvalidConfig, InvalidEvaluation
from phasezoo.specs import removed

toy_games.register()
LICHESS = ("opening", "middlegame", "endgame")


def sides(routing="exact", **options):
    mixture = agents.M2CTSAgent(
        {name: Material(5.0 * (i + 1)) for i, name in enumerate(LICHESS)},
        gate="lichess",
        routing=routing,
        **options,
    )
    return mixture, agents.MCTSAgent(Material(), **options)


def play(games=8, nodes=12, players=None, **options):
    settings = {"seed": 5, "max_plies": 40, "limit": agents.Limit(nodes=nodes)} | options
    return arena.play_match(*(players or sides()), games=games, **settings)


def strong(nodes):
    """A search without a policy that misleads it, and with a reduction instead of a loss for what
    it has not looked at."""
    limit = agents.Limit(nodes=nodes)
    return agents.MCTSAgent(Material(policy=False), limit=limit, fpu=0.2)


def test_the_same_games_at_any_concurrency(tmp_path):
    texts = []
    for number, concurrency in enumerate((1, 64, 3, 64)):
        path = tmp_path / f"{number}.pgn"
        play(concurrency=concurrency, pgn=path)
        texts.append(path.read_text())
    assert texts[0] == texts[1] == texts[2] == texts[3]


def test_random_moves_do_not_depend_on_concurrency_either():
    drawing = {"temperature": 1.0, "temperature_plies": 20, "dirichlet_epsilon": 0.25}
    one = play(concurrency=1, players=sides(**drawing))
    many = play(concurrency=64, players=sides(**drawing))
    assert one.games == many.games
    assert len({record.moves for record in one.games}) == 8


def test_statistics_of_both_sides():
    match = play(games=16, concurrency=16)
    mixture, single = match.sides
    assert (mixture.name, single.name) == ("M2CTS", "MCTS")
    assert (mixture.limit, mixture.gate, mixture.routing) == (
        "12 nodes",
        "lichess:classic",
        "exact",
    )
    for side in match.sides:
        assert side.moves == sum(
            record.sides[(ply + len(record.opening_moves)) % 2] == match.sides.index(side)
            for record in match.games
            for ply in range(len(record.moves))
        )
        # Nodes are rows; a search that proves its root, or has one move, ends early.
        assert side.counts.rows == side.nodes <= 12 * side.moves
        assert side.nodes > 11 * side.moves
        assert side.simulations >= side.nodes
        assert side.counts.seconds > 0
    assert mixture.counts.off_phase_rows == 0
    assert single.counts.mean_rows > 12  # full batches, although each tree has one leaf out
    assert mixture.counts.calls > single.counts.calls
    assert "M2CTS v MCTS: 16 games of chess" in match.summary()


def test_limits_are_replaced_pair_by_pair():
    match = play(games=2, limit=(agents.Limit(nodes=20), agents.Limit(nodes=5)), max_plies=20)
    assert match.sides[0].nodes_per_move == pytest.approx(20, abs=1)
    assert match.sides[1].nodes_per_move == pytest.approx(5, abs=0.5)
    own = sides(limit=agents.Limit(nodes=7))
    match = play(games=2, players=own, limit=None, max_plies=20)
    assert [side.limit for side in match.sides] == ["7 nodes"] * 2
    match = play(games=2, players=own, limit=(None, agents.Limit(nodes=3)), max_plies=20)
    assert [side.limit for side in match.sides] == ["7 nodes", "3 nodes"]


def test_an_agents_batch_size_holds():
    match = play(games=2, concurrency=1, players=sides(batch_size=6), nodes=30)
    assert match.sides[1].counts.mean_rows > 3
    match = play(games=2, concurrency=1, nodes=30)
    assert match.sides[1].counts.mean_rows == 1


def test_pool_rows_cap_a_call():
    widest = []

    class Watching(Material):
        def evaluate(self, planes):
            widest.append(len(planes))
            return super().evaluate(planes)

    players = agents.MCTSAgent(Watching()), agents.MCTSAgent(Material())
    play(games=32, players=players, concurrency=32, pool_rows=8, max_plies=14)
    assert max(widest) == 8


@pytest.mark.parametrize("routing", ["exact", "majority", "soft"])
def test_pool_rows_change_no_game(routing):
    plain, wide = (
        play(games=2, players=sides(batch_size=8, routing=routing), nodes=30, pool_rows=rows)
        for rows in (8, None)
    )
    assert [game.moves for game in plain.games] == [game.moves for game in wide.games]


def test_pool_rows_never_cut_a_trees_batch():
    players = agents.MCTSAgent(Material(), batch_size=8), agents.MCTSAgent(Material())
    with pytest.raises(InvalidConfig, match=r"pool_rows=7 .* batch_size=8.* at least 8"):
        play(games=2, players=players, pool_rows=7)


def test_a_search_beats_chance():
    match = arena.play_match(strong(100), "random", games=6, seed=1)
    assert match.score > 0.8
    assert match.elo.value > 200


def test_adjudication_by_the_searches_values():
    rules = arena.Adjudication(resign_value=0.3, resign_moves=2, draw_value=None)
    match = arena.play_match(strong(60), "random", games=4, seed=1, adjudication=rules)
    # Random play has no values, so only the search could resign, and it is winning.
    assert match.adjudicated == 0
    both = strong(60), strong(2)
    match = arena.play_match(*both, games=8, seed=1, adjudication=rules)
    assert match.adjudicated > 0
    for record in match.games:
        if record.ending == "resignation":
            assert sorted(record.returns) == [-1.0, 1.0]
    drawn = arena.Adjudication(resign_value=None, draw_value=0.99, draw_moves=1, draw_from_move=0)
    match = arena.play_match(*both, games=2, seed=1, adjudication=drawn)
    assert [record.ending for record in match.games] == ["agreement"] * 2
    assert match.draws == 2


@pytest.mark.parametrize("routing", ["exact", "majority", "soft"])
def test_every_routing_plays(routing):
    experts = {name: Material() for name in LICHESS}
    mixture = agents.M2CTSAgent(experts, "lichess", routing, batch_size=4)
    match = play(games=4, players=(mixture, agents.MCTSAgent(Material(), batch_size=4)))
    assert match.sides[0].routing == routing
    if routing == "exact":
        assert match.sides[0].counts.off_phase_rows == 0
    if routing == "soft":
        assert match.sides[0].counts.rows == 3 * match.sides[0].nodes


def test_another_search_gate_is_reported():
    experts = {name: Material() for name in LICHESS}
    mixture = agents.M2CTSAgent(experts, "lichess", search_gate="lichess:engine")
    match = play(games=2, players=(mixture, agents.MCTSAgent(Material())))
    side = match.sides[0]
    assert (side.gate, side.search_gate) == ("lichess:classic", "lichess:engine")
    assert 0 < side.regated_share <= 1
    assert "trained under lichess:classic, searched with lichess:engine" in match.summary()


def test_a_failing_expert_is_named():
    class Faulty(Material):
        def evaluate(self, planes):
            return inference.Evaluation(value=np.full(len(planes), np.inf))

    experts = {"opening": Material(), "middlegame": Faulty(), "endgame": Faulty()}
    mixture = agents.M2CTSAgent(experts, "lichess", name="broken")
    with pytest.raises(
        InvalidEvaluation,
        match=r"side 0 of the match \(broken\): the expert of phase 'middlegame' \(Faulty\): value",
    ):
        play(players=(mixture, agents.MCTSAgent(Material())), nodes=50, max_plies=None)


def test_three_players_search():
    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(simulations=200))
    match = arena.play_match(agent, "random", game="toy-heap", games=9, seed=3)
    assert len(match.games) == 9
    assert match.score > 0.5


def test_time_limits_play_one_game_at_a_time():
    seen = []
    match = play(
        games=2, limit=agents.Limit(movetime_ms=2), max_plies=16, progress=lambda *n: seen.append(n)
    )
    assert len(match.games) == 2
    assert match.sides[0].limit == "2 ms"


def test_tree_reuse_spares_no_nodes_but_deepens_the_tree():
    kept = play(games=2, nodes=40)
    dropped = play(games=2, nodes=40, players=sides(reuse_tree=False))
    assert kept.sides[0].nodes_per_move == pytest.approx(40, abs=2)
    assert dropped.sides[0].nodes_per_move == pytest.approx(40, abs=2)
    assert kept.games != dropped.games


def test_a_log_names_the_options_of_version_0_2_0_so_that_its_matches_go_on(tmp_path):
    log = tmp_path / "games.jsonl"
    searches = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=4), seed=1)
    arena.play_match(searches, "random", game="connect-four", games=2, seed=1, log=log)
    match = json.loads(log.read_text().splitlines()[0])["match"]
    searched, random = (side[5] for side in match["sides"])
    later = {"in_flight"}  # an option of today, named where it is not the default
    assert searched.keys() == (asdict(searches.config).keys() | removed.DEFAULTS.keys()) - later
    assert random is None


def test_matches_side_by_side_are_those_played_alone(tmp_path):
    """An agent of several matches searches for all of them in one pool, in fewer calls."""
    first, second, third = (
        agents.MCTSAgent(Material(), limit=agents.Limit(nodes=nodes)) for nodes in (9, 7, 5)
    )

    def plan(one, other, seed, name):
        conditions = Conditions.of(
            "chess", None, gate=None, openings_as="moves", seed=seed, concurrency=64,
            pool_rows=None, threads=1, max_plies=24, adjudication=None,
        )  # fmt: skip
        return Plan((one, other), conditions, [(0, 1)], 4, log=tmp_path / f"{name}.jsonl")

    pairs = [(first, second, 1), (first, third, 2), (second, third, 3)]
    plans = [plan(*pair, name) for name, pair in enumerate(pairs)]
    alone = [
        arena.play_match(one, other, games=4, seed=seed, concurrency=64, max_plies=24)
        for one, other, seed in pairs
    ]
    found = play_matches(plans)
    assert [match.games for match in found] == [match.games for match in alone]

    sides, apart = ([side for match in each for side in match.sides] for each in (found, alone))
    for mine, its in zip(sides, apart, strict=True):
        assert (mine.nodes, mine.moves) == (its.nodes, its.moves)
    assert sum(s.counts.rows for s in sides) == sum(s.counts.rows for s in apart)
    assert sum(s.counts.calls for s in sides) < 0.8 * sum(s.counts.calls for s in apart)
    # Each goes on from its own log.
    log = tmp_path / "1.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:3]))
    assert [match.games for match in play_matches(plans)] == [match.games for match in alone]

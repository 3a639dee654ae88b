"""The phase mixture against one network by other searches."""

import dataclasses
import io
import json

import numpy as np
import pytest
import synthetic
from test_m2cts_run import tiny

from phasezoo import inference
from phasezoo.agents import Limit, M2CTSAgent, MCTSAgent, SearchConfig
from phasezoo.arena import pgn_of
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.catalogue import GAMES
from phasezoo.experiments.matches import play
from phasezoo.experiments.two_player import playing
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.cost import Prices
from phasezoo.experiments.two_player.matches import MatchSide, Pairing, together
from phasezoo.experiments.two_player.playing import equal_limits
from phasezoo.experiments.two_player.preparation import loader, prepare, search_options
from phasezoo.experiments.two_player.variants import EXPERT, ONE, searches_of
from phasezoo.inference.cost import CostModel
from phasezoo.inference.recalibration import RecalibratedEvaluator, Recalibration
from phasezoo.report.console import TerminalConsole
from phasezoo.runs import jsonable


def searched(*texts, **changes):
    return searches_of(M2ctsConfig(searches=texts, **changes))


def test_a_search_is_the_settings_with_what_differs():
    batch, both, timed, mapped = searched(
        "search-batch=16", "nodes=200,routing=majority", "movetime=12.5", "recalibrated,nodes=7"
    )
    plain = M2ctsConfig()
    assert batch.config == dataclasses.replace(plain, search_batch=16)
    assert both.config == dataclasses.replace(plain, nodes=200, routing="majority")
    assert timed.config == dataclasses.replace(plain, movetime=12.5)
    assert mapped.config == dataclasses.replace(plain, nodes=7)
    assert [search.recalibrated for search in (batch, both, timed, mapped)] == [False] * 3 + [True]
    assert search_options(timed.config)["limit"] == Limit(movetime_ms=12.5)
    (nodes,) = searched("nodes=9", movetime=5.0)
    assert search_options(nodes.config)["limit"] == Limit(nodes=9)


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("default", SearchConfig()),
        ("published", SearchConfig.published()),
        ("default:c_puct_init=1.5", SearchConfig(c_puct_init=1.5)),
        ("published:c_puct_init=1.5", SearchConfig.published(c_puct_init=1.5)),
        (
            "default:fpu=0.3,fpu_style=scaled_reduction",
            SearchConfig(fpu=0.3, fpu_style="scaled_reduction"),
        ),
    ],
)
def test_constants_of_a_search_are_given_by_name(text, config):
    assert search_options(M2ctsConfig(search=text))["config"] == config
    if text != "default":
        (other,) = searched(f"nodes=9,search='{text}'")
        assert search_options(other.config)["config"] == config


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("batch=8",), "'batch=8' is not one of search-batch=…, nodes=…"),
        (("",), "--searches '': a value is missing"),
        (("nodes=many",), "nodes=many: nodes='many': expected a whole number"),
        (("nodes=0",), "nodes=0: nodes=0: expected a whole number, 1 or more"),
        (("movetime=-1",), "movetime=-1.0: expected a number above 0"),
        (("movetime=nan",), "movetime='nan': expected"),
        (("routing=none",), "routing='none': expected one of majority, exact, soft"),
        (("nodes=5,nodes=6",), "nodes stands there twice"),
        (("nodes=50",), "the search of the match itself"),
        (("nodes=60", "nodes=60"), "there already"),
        (("equal-cost", "equal-cost"), "there already"),
        (("equal-cost=1",), "is not one of"),
        (("movetime=5", "movetime=5,equal-cost"), "by nodes, not by time"),
        (("nodes=60", "routing=majority,equal-cost"), "give routing=majority too"),
        (("equal-cost,recalibrated",), "give recalibrated too"),
        (("recalibrated=yes",), "is not one of"),
        (("movetime=5,nodes=9",), "not both"),
        (("simulations-per-node=2,movetime=5",), "not both"),
        (("movetime=5", "movetime=5.0"), "there already"),
        ((f"nodes={2**63}",), f"--searches nodes={2**63}: nodes={2**63}: expected"),
        (("simulations-per-node=99999999999999999999",), "--searches simulations.*: simulations="),
        (("movetime=1e300",), "--searches movetime=1e300: movetime"),
        (("nodes='9",), "--searches .* is not closed"),
        (("nodes=9,,",), "--searches 'nodes=9,,': a value is missing"),
        (("search=fast",), "--search fast: expected default or published"),
        (("search=default:batch_size=8",), "batch_size is given by --search-batch"),
        (("search=default:c_puct=1",), "c_puct=.*c_puct_init"),
        (("search=default:c_puct_init=-1",), "c_puct_init=-1.0: expected a number"),
        (("search=default:9",), "needs a key"),
        (("movetime=5,search=default:root=gumbel",), "Gumbel's root shares out nodes"),
        (("search=default", "search=published:fpu=0"), "the search of the match itself"),
    ],
)
def test_searches_that_cannot_be_are_refused(texts, message):
    with pytest.raises(InvalidConfig, match=message):
        M2ctsConfig(searches=texts).validate()


def test_constants_that_cannot_be_are_refused():
    with pytest.raises(InvalidConfig, match="--search default:fpu=3: fpu is 3, allowed are"):
        M2ctsConfig(search="default:fpu=3").validate()


def test_equal_cost_belongs_to_the_same_search_at_equal_nodes():
    plain, majority, dear = searched(
        "equal-cost", "routing=majority", "routing=majority,equal-cost"
    )
    assert [one.equal_cost for one in (plain, majority, dear)] == [True, False, True]
    assert plain.config == M2ctsConfig()
    assert plain.at_equal_nodes([plain, majority, dear]) is None
    assert dear.at_equal_nodes([plain, majority, dear]) == majority


def spent(calls, rows, padded=0, nodes=None):
    return MatchSide(rows, padded, calls, name="x", nodes=nodes or rows)


@pytest.mark.parametrize("per_node", [None, 3])
def test_the_mixture_gets_the_nodes_that_cost_as_much(per_node):
    # A row costs 1 and a call 10: 3 a node in calls of 5 rows, 2 a node in calls of 10.
    price = CostModel(10.0, 1.0)
    played = synthetic.matches("lower")
    total = dataclasses.replace(played.total, sides=(spent(20, 100), spent(10, 100)))
    played = dataclasses.replace(played, pairings=[total])
    config = M2ctsConfig(nodes=300, simulations_per_node=per_node)
    first, second = equal_limits(config, Prices(price, price), played)
    assert second == config.limit()
    assert first.nodes == 200
    assert first.simulations == (None if per_node is None else 600)
    # An expert that is twice as dear gets half of that, and padded rows are paid too.
    first, _ = equal_limits(config, Prices(CostModel(20.0, 2.0), price), played)
    assert first.nodes == 100
    padded = dataclasses.replace(total, sides=(spent(20, 100, padded=100), spent(10, 100)))
    played = dataclasses.replace(played, pairings=[padded])
    assert equal_limits(config, Prices(price, price), played)[0].nodes == 150
    # By soft routing each of three experts is asked about every node.
    soft = dataclasses.replace(total, sides=(spent(30, 300, nodes=100), spent(10, 100)))
    played = dataclasses.replace(played, pairings=[soft])
    assert equal_limits(config, Prices(price, price), played)[0].nodes == 100


def test_games_of_a_version_that_counted_no_nodes_are_read_and_give_no_equal_cost():
    played = synthetic.matches("lower")
    old = jsonable.encode(played.total)
    for side in old["sides"]:
        del side["nodes"]
    total = together([jsonable.decode(Pairing, old), played.total])
    assert [side.nodes for side in total.sides] == [None, None]
    assert total.sides[0].rows == 2 * played.total.sides[0].rows
    price = CostModel(10.0, 1.0)
    with pytest.raises(InvalidConfig, match="did not count nodes; run the command again"):
        equal_limits(
            M2ctsConfig(), Prices(price, price), dataclasses.replace(played, pairings=[total])
        )


def test_recalibrated_values_are_the_map_of_the_networks_own():
    network = inference.load("phasezoo/connect-four-small", threads=1)
    planes = np.zeros((3, *network.manifest.input_shape), dtype=np.float32)
    planes[1, 0, 0, :4] = planes[2, 1, 2, 3] = 1
    plain = network.evaluate(planes.copy())
    change = Recalibration(0.5, -0.25, 100)
    mapped = RecalibratedEvaluator(network, change).evaluate(planes.copy())
    values = plain.values().astype(np.float64)
    odds = np.log((1 + values) / (1 - values))
    expected = 2 / (1 + np.exp(-(0.5 * odds - 0.25))) - 1
    assert mapped.value == pytest.approx(expected, abs=1e-5)
    assert mapped.wdl is None
    assert np.array_equal(mapped.policy_logits, plain.policy_logits)


def test_other_searches_are_matches_of_the_same_networks(store, tmp_path):
    texts = ("nodes=6,routing=majority", "recalibrated", "movetime=1", "equal-cost")
    config = tiny(store, searches=texts, games_played=4, watched_positions=0)
    out = tmp_path / "run"
    results = GAMES["chess"].reproduce(config, out)
    assert [row.name for row in results.searches] == list(texts)
    prices = jsonable.decode(Prices, json.loads((out / "prices.json").read_text()))
    nodes = equal_limits(config, prices, results.matches)[0].nodes
    assert [row.matches.limit for row in results.searches] == [
        "6 nodes a move",
        "4 nodes a move",
        "1 ms a move",
        f"{nodes} nodes a move against 4",
    ]
    log = (out / "matches/search-equal-cost-1-baseline-1.jsonl").read_text()
    told = json.loads(log.splitlines()[0])
    assert [side[1] for side in told["match"]["sides"]] == [f"{nodes} nodes", "4 nodes"]
    assert all(row.matches.total.games == 4 for row in results.searches)
    # The first is what a match with these settings is.
    prepared = prepare(dataclasses.replace(config, nodes=6, routing="majority", searches=()))
    own = prepared.config
    load, options = loader(own), search_options(own)
    experts = {name: load(out / f"networks/expert-{name}-1") for name in prepared.phases}
    players = {
        "M2CTS": M2CTSAgent(experts, gate=own.gate, routing=own.routing, **options),
        "MCTS": MCTSAgent(load(out / "networks/baseline-1"), **options),
    }
    again = play(
        TerminalConsole(io.StringIO()),
        "The same",
        players,
        tmp_path / "again.jsonl",
        games=own.games_played,
        openings=prepared.match_openings,
        seed=prepared.seed("match", 0, 0),
        concurrency=own.concurrency,
        max_plies=own.max_plies,
    )
    (found,) = results.searches[0].matches.pairings
    assert found.pentanomial == list(again.pentanomial)
    assert found.mean_plies == again.mean_plies
    for record in again.games:
        assert pgn_of(record, playing.NAMES).split("\n\n")[1] in (out / "games.pgn").read_text()
    # The values of both sides are mapped phase by phase, so both ask by phase.
    sides = results.searches[1].matches.total.sides
    assert all(side.rows > 0 and side.off_phase_rows == 0 for side in sides)
    for name in (EXPERT, ONE):
        assert list(results.boundaries.maps_of(name, 0)) == list(prepared.phases)

import inspect
import math
import re
from dataclasses import asdict, fields

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phasezoo import _core, agents, games, inference
from phasezoo.errors import InvalidConfig, UnknownAgent
from phasezoo.specs import fields_of
from phasezoo.specs.removed import REMOVED


@given(st.one_of(st.none(), st.integers(1, 10**9)), st.one_of(st.none(), st.floats(0.001, 1e9)))
def test_limits_from_one_up_are_allowed(nodes, movetime):
    if nodes is None and movetime is None:
        with pytest.raises(InvalidConfig, match="without a limit"):
            agents.Limit(nodes=nodes, movetime_ms=movetime)
    else:
        assert agents.Limit(nodes=nodes, movetime_ms=movetime).nodes == nodes


@pytest.mark.parametrize(
    "given",
    [
        {"nodes": 0},
        {"nodes": -5},
        {"nodes": 1.5},
        {"nodes": True},
        {"simulations": 0},
        {"movetime_ms": 0},
        {"movetime_ms": float("nan")},
        {"movetime_ms": float("inf")},
        {"movetime_ms": -1},
        {"movetime_ms": "5"},
        {"movetime_ms": True},
        {"movetime_ms": [5]},
        {"movetime_ms": 1j},
        {"movetime_ms": 1e300},
        {"movetime_ms": 10**400},
        {"movetime_ms": 5e-324},
        {"nodes": "5"},
        {"nodes": 2**63},
        {"nodes": float("nan")},
        {"simulations": np.float64(5)},
    ],
)
def test_limits_out_of_range(given):
    ((name, value),) = given.items()
    for options in (given, {"nodes": 10, "simulations": 10, **given}):
        with pytest.raises(InvalidConfig, match=re.escape(f"{name}={value!r}: ")):
            agents.Limit(**options)


def test_numbers_of_numpy_are_numbers():
    limit = agents.Limit(nodes=np.int64(5), simulations=np.uint8(6), movetime_ms=np.float32(0.5))
    assert limit == agents.Limit(nodes=5, simulations=6, movetime_ms=0.5)
    assert [type(value) for value in asdict(limit).values()][:3] == [int, int, float]
    assert agents.Limit(movetime_ms=np.int64(7)).movetime_ms == 7


@pytest.mark.parametrize("ms", [1e-6, 1e12])
def test_a_search_takes_every_time_that_is_allowed(ms):
    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=9, movetime_ms=ms))
    assert 1 <= agent.search(games.make("connect-four").initial_state()).nodes <= 9


def test_experts_come_by_the_names_of_phases():
    with pytest.raises(InvalidConfig, match="experts is a list: expected a dictionary"):
        agents.M2CTSAgent([inference.Uniform()] * 3, gate="lichess")


def test_limits_in_words():
    assert str(agents.Limit(nodes=50)) == "50 nodes"
    assert str(agents.Limit(simulations=3, movetime_ms=0.5)) == "3 simulations, 0.5 ms"


def test_unknown_search_options_list_the_known_ones():
    with pytest.raises(InvalidConfig, match=r"cpuct=: a search has no such option.*c_puct_init"):
        agents.SearchConfig().with_(cpuct=2)
    with pytest.raises(InvalidConfig, match="speed=: a search"):
        agents.MCTSAgent(inference.Uniform(), speed=3)


@pytest.mark.parametrize("agent", [agents.MCTSAgent, agents.BeamAgent, agents.DecoupledMCTSAgent])
def test_a_limit_among_search_options_says_where_it_belongs(agent):
    with pytest.raises(InvalidConfig, match=r"nodes=.*give limit=Limit\(nodes=50\)"):
        agent(inference.Uniform(), nodes=50)


@pytest.mark.parametrize("name", REMOVED)
def test_removed_search_options_say_what_to_use_instead(name):
    assert name not in _core.SearchParams().asdict()
    told = re.escape(f"{name}= was removed after version 0.2.0") + f".*{REMOVED[name].instead[:9]}"
    for make in (
        lambda: agents.MCTSAgent(inference.Uniform(), **{name: REMOVED[name].default}),
        lambda: agents.make(f"mcts:{name}=0.5"),
        lambda: agents.make("mcts", **{name: 0.5}),
        lambda: agents.SearchConfig(**{name: 0.5}),
    ):
        with pytest.raises(InvalidConfig, match=told):
            make()


@pytest.mark.parametrize(
    "option",
    [
        {"batch_size": 0},
        {"c_puct_init": -1.0},
        {"node_temperature": 0.0},
        {"dirichlet_epsilon": 1.5},
        {"virtual_style": "loss"},
        {"quantile_clipping": 1.0},
        {"memory_mb": -1},
        {"fpu": float("nan")},
    ],
)
def test_search_options_out_of_range_are_refused_at_once(option):
    with pytest.raises(InvalidConfig, match=next(iter(option))):
        agents.MCTSAgent(inference.Uniform(), **option)
    with pytest.raises(InvalidConfig, match=next(iter(option))):
        agents.SearchConfig(**option)


@pytest.mark.parametrize(
    ("kind", "core"),
    [
        (agents.SearchConfig, _core.SearchParams),
        (agents.DecoupledConfig, _core.decoupled_settings),
        (agents.BeamConfig, _core.beam_settings),
    ],
)
def test_every_range_is_the_cores(kind, core):
    attributes = inspect.getdoc(kind).partition("Attributes:")[2]
    options = fields_of(kind)
    assert re.findall(r"^ {4}(\w+): ", attributes, re.MULTILINE) == [each.name for each in options]
    for option in options:
        numbers = (each for each in option.values.kinds if each.type in (int, float))
        for number in numbers:
            allowed = [number.range.least, number.range.most]
            wrong = [number.range.least - 1, number.range.most * 1.1 + 1, number.range.below]
            for make in (kind, core):
                for value in filter(math.isfinite, allowed):
                    make(**{option.name: number.type(value)})
                for value in filter(math.isfinite, wrong):
                    with pytest.raises((InvalidConfig, OverflowError), match=option.name):
                        make(**{option.name: number.type(value)})


def test_overrides_and_published_self_play():
    config = agents.SearchConfig.self_play(dirichlet_epsilon=0.1)
    assert (config.dirichlet_epsilon, config.batch_size, config.reuse_tree) == (0.1, 8, False)
    agent = agents.MCTSAgent(inference.Uniform(), config=config, batch_size=4, node_temperature=1.2)
    assert (agent.config.batch_size, agent.config.node_temperature) == (4, 1.2)
    assert agent.config.dirichlet_epsilon == 0.1


def test_match_play_is_the_published_one():
    # The engine's published options (docs/definitions/published.md#search).
    config = agents.SearchConfig.published()
    assert (config.c_puct_init, config.c_puct_base, config.node_temperature) == (2.5, 19652, 1.7)
    assert (config.q_value_weight, config.q_veto_delta, config.dirichlet_epsilon) == (1.0, 0.4, 0)
    assert (config.virtual_style, config.virtual_mix_threshold) == ("virtual_mix", 1000)
    assert config.fpu is None
    assert config.batch_size == 1
    # An unvisited action counts as even with its node by default, which is stronger.
    assert config.with_(fpu=0.0) == agents.SearchConfig()
    assert agents.SearchConfig.self_play().fpu is None


def test_every_option_is_a_parameter_of_the_core():
    assert agents.SearchConfig().for_core().asdict() == asdict(agents.SearchConfig())
    assert agents.SearchConfig().for_core() == _core.SearchParams()


@pytest.mark.parametrize("name", [field.name for field in fields(agents.SearchConfig)])
def test_every_default_is_the_cores(name):
    default = getattr(agents.SearchConfig(), name)
    assert getattr(_core.SearchParams(), name) == default
    # As people write it: what went through the core's float32 shows no digits of rounding.
    assert len(str(default)) <= len("virtual_mix")


def test_defaults_that_once_differed_by_place():
    config = agents.SearchConfig()
    assert (config.memory_mb, config.temperature, config.temperature_plies) == (2048, 1.0, 0)


def test_agents_by_name():
    assert agents.make("random", seed=3).name == "random"
    mcts = agents.make("mcts", limit=agents.Limit(nodes=7))
    assert (mcts.limit.nodes, mcts.name) == (7, "MCTS")
    with pytest.raises(UnknownAgent, match="did you mean 'random'"):
        agents.make("ramdom")


def test_agents_of_ones_own_by_name():
    agents.register("test-first", lambda **options: ("first", options))
    assert agents.make("test-first", a=1) == ("first", {"a": 1})
    assert "test-first" in agents.names()
    agents.register("test-first", lambda: "second")
    assert agents.make("test-first") == "second"
    with pytest.raises(InvalidConfig, match="an agent of the package"):
        agents.register("random", lambda: None)


@pytest.mark.parametrize("name", ["solver", "reuse_tree", "draw_on_second_occurrence"])
@pytest.mark.parametrize("value", ["no", 1, None])
def test_what_is_neither_true_nor_false_is_refused(name, value):
    with pytest.raises(InvalidConfig, match=rf"{name}={value!r}: expected True or False"):
        agents.SearchConfig(**{name: value})
    with pytest.raises(InvalidConfig, match=name):
        agents.MCTSAgent(inference.Uniform(), **{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("c_puct_init", "x"),
        ("temperature_plies", 1.5),
        ("batch_size", 10**30),
        ("batch_size", True),
        ("fpu", []),
    ],
)
def test_a_setting_of_another_type_is_named(name, value):
    if name in ("c_puct_init", "batch_size", "fpu"):
        with pytest.raises(InvalidConfig, match=re.escape(f"{name}={value!r}: ")):
            agents.DecoupledMCTSAgent(inference.Uniform(), **{name: value})
    with pytest.raises(InvalidConfig, match=re.escape(f"{name}={value!r}: ")):
        agents.MCTSAgent(inference.Uniform(), **{name: value})

"""Agents as short texts: the grammar, typed values, every name, and the way back."""

import dataclasses
import json
import pickle
import sys
import textwrap

import pytest

from phasezoo import agents, inference
from phasezoo.errors import CheckpointError, InvalidConfig, UnknownAgent
from phasezoo.specs import read_value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no agent"),
        (":nodes=4", "no agent"),
        ("=", "no agent"),
        (7, "no agent"),
        ("mcts:", "a value is missing"),
        ("mcts:nodes=4,", "a value is missing"),
        ("mcts:nodes=", "nodes= has no value"),
        ("mcts:nodes=4,nodes=5", "nodes= is given twice"),
        ("mcts:gate=plies:14,28", "'28' has no key"),
        ("mcts:gate='plies:14,28", "is not closed"),
        ("mcts:gate='a'b,nodes=4", "is not closed"),
    ],
)
def test_texts_that_do_not_follow_it(text, words):
    with pytest.raises(InvalidConfig, match=words):
        agents.make(text)


def test_every_field_of_limits_and_settings_is_an_option():
    for name in ("mcts", "m2cts", "single_player_mcts"):
        known = agents.options(name)
        fields = {field.name for field in dataclasses.fields(agents.SearchConfig)}
        limits = {field.name for field in dataclasses.fields(agents.Limit)} - {"clock"}
        assert fields | limits <= set(known)
        assert not {"evaluator", "limit", "config"} & set(known)
    fields = {field.name for field in dataclasses.fields(agents.DecoupledConfig)}
    assert fields <= set(agents.options("decoupled_mcts"))


def test_searches():
    agent = agents.make("mcts:nodes=40,movetime_ms=7.5,c_puct_init=2,solver=false,gate='plies:3,9'")
    assert agent.limit == agents.Limit(nodes=40, movetime_ms=7.5)
    assert (agent.config.c_puct_init, agent.config.solver) == (2.0, False)
    assert agent.gate.spec == "plies:3,9"
    assert isinstance(agent.evaluator, inference.Uniform)
    uct = agents.make("uct:c=2,threshold=50,simulations=30,first_simulations=60,rollout=random")
    assert (uct.c, uct.threshold) == (2.0, 50)
    assert uct.limit == agents.Limit(simulations=30)
    assert uct.first_limit == agents.Limit(simulations=60)


def test_networks_and_experts():
    mcts = agents.make("mcts:net=phasezoo/chess-small,net_threads=1,nodes=3")
    m2cts = agents.make("m2cts:experts=phasezoo/chess-small,routing=majority,nodes=3")
    assert type(m2cts) is agents.M2CTSAgent
    assert m2cts.evaluator.routing == "majority"
    assert m2cts.gate.names == mcts.gate.names == ("opening", "middlegame", "endgame")
    experts = dict.fromkeys(m2cts.gate.names, inference.Uniform())
    assert agents.make("m2cts", experts=experts, gate="lichess", nodes=5).limit.nodes == 5
    with pytest.raises(InvalidConfig, match="m2cts needs gate="):
        agents.make("m2cts", experts=experts)
    with pytest.raises(CheckpointError):
        agents.make("mcts:net=no/such/folder")


NEEDED = {
    "legacy_pommerman": "random:Random",
    "m2cts": "experts=phasezoo/chess-small",
    "scripted": "simple",
    "sb3": "model.zip",
    "uci": f"'{sys.executable}',nodes=1",
    "module": "phasezoo.agents:RandomAgent",
}


@pytest.mark.parametrize("name", [name for name in agents.names() if not name.startswith("test-")])
def test_every_name_makes_an_agent(name):
    if name == "sb3":
        with pytest.raises(CheckpointError, match=r"model\.zip: no such file"):
            agents.make("sb3:model.zip")
        return
    if name == "legacy_pommerman":
        with pytest.raises(InvalidConfig, match=r"'random' has no 'Gone'"):
            agents.make("legacy_pommerman:random:Gone")
    agent = agents.make(f"{name}:{NEEDED[name]}" if name in NEEDED else name)
    assert hasattr(agent, "session") or callable(agent)


def test_every_class_of_agents_has_a_name():
    """But for those that wrap a callable, which module: names."""
    from phasezoo.agents.catalogue import AGENTS

    made = {kind.make for kind in AGENTS.values()} | {kind.like for kind in AGENTS.values()}
    classes = {
        getattr(agents, name)
        for name in agents.__all__
        if name.endswith("Agent") and not getattr(getattr(agents, name), "_is_protocol", False)
    }
    assert classes - made == {agents.CallableAgent}


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("mcts:node=40", InvalidConfig, r"node=: mcts has no such option; did you mean nodes= or"),
        ("random:sed=1", InvalidConfig, r"did you mean seed=\? its options are seed, name"),
        ("human:x=1", InvalidConfig, r"human has no such option; its options are name"),
        ("mcts:nodes=many", InvalidConfig, "nodes='many': expected a whole number"),
        ("mcts:nodes=0", InvalidConfig, "nodes=0"),
        (f"mcts:cache_mb={'9' * 30}", InvalidConfig, "cache_mb=9"),
        ("mcts:nodes", InvalidConfig, "mcts:nodes needs a key"),
        ("uct:selection=best", InvalidConfig, "expected ucb1 or puct"),
        ("mcts:evaluator=x", InvalidConfig, "no such option"),
        ("mtcs:nodes=4", UnknownAgent, "did you mean 'mcts'"),
        ("scripted", InvalidConfig, "scripted needs script=, such as scripted:SCRIPT"),
        ("scripted:clever", InvalidConfig, "known are simple, simple_unbiased"),
        ("scripted:simple,script=simple", InvalidConfig, "say the same thing"),
        ("module", InvalidConfig, "say which"),
        ("module:mod", InvalidConfig, "expected module:name"),
        ("module:no_such_module:Agent", InvalidConfig, "cannot be imported"),
        ("no_such_module:Agent", UnknownAgent, "no such agent"),
        ("math:no_such_name", InvalidConfig, "'math' has no 'no_such_name'"),
        ("module:math:pi", InvalidConfig, "gives a float, which is no agent"),
        ("module:math:hypot", InvalidConfig, "gives a float, which is no agent"),
    ],
)
def test_what_is_refused(text, error, words):
    with pytest.raises(error, match=words):
        agents.make(text)


def test_a_limit_is_given_once():
    with pytest.raises(InvalidConfig, match="nodes= and limit= say the same thing"):
        agents.make("mcts", nodes=4, limit=agents.Limit(nodes=4))


OWN = """
    from phasezoo.agents import Limit

    class Deep:
        def __init__(self, depth: int = 1, label: str = "", speed=0, limit: Limit | None = None):
            self.given = depth, label, speed, limit

        def session(self, seed):
            raise NotImplementedError

    def first(observation, info):
        return 0

    def second(obs, extra):
        return 1

    def factory(depth: int = 2):
        return Deep(depth)

    def needy(depth: int, width: int):
        return Deep(depth)

    def single(state):
        return 0

    class Nested:
        deep = Deep

    def pointless():
        return None

    ready = Deep(9)
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_texts.py").write_text(textwrap.dedent(OWN))
    yield
    sys.modules.pop("own_texts", None)


@pytest.mark.usefixtures("own")
def test_agents_of_ones_own():
    made = agents.make("module:own_texts:Deep,depth=3,label=7,speed=1.5,nodes=20")
    assert made.given == (3, "7", 1.5, agents.Limit(nodes=20))
    assert agents.make("own_texts:Deep").given == (1, "", 0, None)
    assert agents.make("module:own_texts:Nested.deep,depth=4").given[0] == 4
    assert agents.make("module:own_texts:factory,depth=5").given[0] == 5
    assert agents.make("module:own_texts:factory").given[0] == 2
    assert agents.make("module:own_texts:needy,depth=6,width=1").given[0] == 6
    assert agents.make("module:own_texts:ready").given[0] == 9
    assert agents.make("module:own_texts:first")(None, None) == 0
    assert agents.make("module:own_texts:second")(None, None) == 1
    assert agents.make("module", object="own_texts:Deep", depth=8).given[0] == 8
    for text, words in [
        ("module:own_texts:Deep,dept=3", "did you mean depth="),
        ("module:own_texts:Deep,depth=x", "depth='x': expected a whole number"),
        ("module:own_texts:needy,depth=x,width=1", "depth='x'"),
        ("module:own_texts:needy,depth=1", "needs width=, such as own_texts:needy,width="),
        ("module:own_texts:single", r"single\(state\) is no agent, .*own_texts:single,state=…"),
        ("module:own_texts:ready,depth=3", "no such option"),
        ("module:own_texts:pointless", "gives a NoneType"),
    ]:
        with pytest.raises(InvalidConfig, match=words):
            agents.make(text)


@pytest.mark.usefixtures("own")
def test_a_file_of_ones_own_by_its_path(tmp_path):
    for path in ["own_texts.py", "./own_texts.py", str(tmp_path / "own_texts.py")]:
        assert agents.make(f"{path}:Deep,depth=4").given[0] == 4


@pytest.mark.usefixtures("own")
def test_a_file_of_ones_own_is_imported_once():
    one, other = (agents.make("module:own_texts.py:Deep") for _ in range(2))
    assert type(one) is type(other)


@pytest.mark.usefixtures("own")
def test_registered_agents_read_their_annotations():
    from own_texts import Deep

    agents.register("test-deep", Deep)
    assert agents.make("test-deep:depth=2,nodes=3").given == (2, "", 0, agents.Limit(nodes=3))
    assert "depth" in agents.options("test-deep")
    for name in ("a:b", "", "module", "mcts"):
        with pytest.raises(InvalidConfig):
            agents.register(name, Deep)


def test_agents_say_how_they_were_made():
    text = "mcts:nodes=7,gate='plies:14,28',seed=3"
    agent = agents.make(text)
    assert agents.spec_of(agent) == text == agent.name
    assert agents.make("mcts").name == "MCTS"
    assert agents.make("random:name=Ann").name == "Ann"
    made = agents.make("mcts", limit=agents.Limit(nodes=7), gate="plies:14,28", seed=3, fpu=None)
    assert agents.spec_of(agents.spec_of(made)) == agents.spec_of(made)
    again = agents.make(agents.spec_of(made))
    assert (again.limit, again.config, again.seed) == (made.limit, made.config, made.seed)
    assert again.gate.spec == made.gate.spec
    assert agents.spec_of(read_value) == "module:phasezoo.specs.values:read_value"
    for unnamed in (agents.make("mcts", evaluator=inference.Uniform()), lambda o, i: 0):
        with pytest.raises(InvalidConfig, match="no text names"):
            agents.spec_of(unnamed)


def test_matches_take_texts():
    from phasezoo import arena

    match = arena.play_match(
        "mcts:nodes=5", "random:seed=1", game="connect-four", games=2, seed=1, max_plies=8
    )
    assert [side.name for side in match.sides] == ["mcts:nodes=5", "random:seed=1"]
    assert match.sides[0].limit == "5 nodes"


def test_make_takes_a_text_and_options_beside_it():
    made = agents.make("uct:c=1,simulations=20,seed=3")
    assert (made.c, made.limit.simulations, made.seed) == (1.0, 20, 3)
    assert agents.spec_of(made) == made.name == "uct:c=1,simulations=20,seed=3"
    beside = agents.make("uct:c=1", simulations=20, seed=3)
    assert (beside.c, beside.limit.simulations, beside.seed) == (1.0, 20, 3)
    assert agents.spec_of(agents.make(agents.spec_of(beside))) == agents.spec_of(beside)
    with pytest.raises(InvalidConfig, match="has c too: give it once"):
        agents.make("uct:c=1", c=2)
    with pytest.raises(InvalidConfig, match="write seed into the text"):
        agents.make("module:my_module:Agent", seed=1)
    with pytest.raises(UnknownAgent, match="did you mean 'uct'"):
        agents.make("utc:c=1", seed=2)


@pytest.mark.parametrize(
    "agent", ["mcts", "policy", "decoupled_mcts", "single_player_mcts", "beam"]
)
@pytest.mark.parametrize("option", ["device=meta", "backend=onnx", "net_threads=2", "packed=true"])
def test_how_a_network_is_loaded_needs_a_network(agent, option):
    name = option.partition("=")[0]
    if name not in agents.options(agent):
        pytest.skip(f"{agent} loads no network by {name}=")
    with pytest.raises(InvalidConfig, match="give net=") as refused:
        agents.make(f"{agent}:{option}")
    assert name in str(refused.value)


def test_files_whose_names_are_taken_by_modules_are_refused(tmp_path, monkeypatch):
    """Pickles know a class by its module's name, which two files cannot share."""
    text = "from phasezoo import agents\nclass Own(agents.RandomAgent): pass\n"
    files = [tmp_path / name for name in ("a/two_of_these.py", "b/two_of_these.py", "c/json.py")]
    for file in files:
        file.parent.mkdir()
        file.write_text(text)
    monkeypatch.delitem(sys.modules, "two_of_these", raising=False)
    first = agents.make(f"module:{files[0]}:Own")
    assert type(agents.make(f"module:{files[0]}:Own")) is type(first)
    for file in files[1:]:
        with pytest.raises(InvalidConfig, match=r"is imported already, .*; rename the file"):
            agents.make(f"module:{file}:Own")
    assert type(pickle.loads(pickle.dumps(first))) is type(first)
    assert sys.modules["json"] is json
    del sys.modules["two_of_these"]


def test_a_name_that_would_read_as_no_name_has_no_text():
    assert agents.make(agents.spec_of(agents.make("random", name="nobody"))).name == "nobody"
    with pytest.raises(InvalidConfig):
        agents.spec_of(agents.make("random", name="none"))

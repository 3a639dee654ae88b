"""The grammar of gates, their names, and how they are called."""

import copy
import pickle
import re

import numpy as np
import pytest

from phasezoo import games, gating
from phasezoo.errors import InvalidArray, InvalidConfig, InvalidGate
from phasezoo.gating import registry
from phasezoo.types import Gate

START = games.make("chess").initial_state()
ENDING = games.make("chess").from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 60")


class Plain:
    """A user's state without a key."""

    to_play = 0


class Keyed(Plain):
    """A user's state with one."""

    def __init__(self, key):
        self.key = key


@pytest.mark.parametrize(
    ("spec", "canonical", "names"),
    [
        ("none", "none", ("all",)),
        ("lichess", "lichess:classic", ("opening", "middlegame", "endgame")),
        ("lichess:engine", "lichess:engine", ("opening", "middlegame", "endgame")),
        ("moves:2", "moves:2", ("moves 1–21", "moves 22+")),
        ("moves:4", "moves:4", ("moves 1–11", "moves 12–22", "moves 23–33", "moves 34+")),
        ("material", "material:10,6", ("over 10", "7–10", "up to 6")),
        ("material:8,7,0", "material:8,7,0", ("over 8", "8", "1–7", "0")),
        ("mixedness", "mixedness:50,150", ("up to 50", "51–150", "over 150")),
        ("hash:3", "hash:3", ("part 0", "part 1", "part 2")),
        ("monotone:moves:2", "monotone:moves:2", ("moves 1–21", "moves 22+")),
    ],
)
def test_specs_names_and_equality(spec, canonical, names):
    gate = gating.make(spec, game="chess")
    assert (gate.spec, gate.names, gate.num_phases) == (canonical, names, len(names))
    assert gating.spec_of(gate) == gating.spec_of(spec) == canonical
    assert gate == gating.make(canonical) == gating.make(gate)
    assert hash(gate) == hash(gating.make(canonical))
    assert gate.monotone == canonical.startswith("monotone")
    assert isinstance(gate, Gate)
    for copied in (copy.copy(gate), copy.deepcopy(gate), pickle.loads(pickle.dumps(gate))):
        assert copied == gate
        assert copied.spec == canonical


@pytest.mark.parametrize(
    "spec",
    [
        *("", " ", "lichess ", "Lichess", "lichess:foo", "moves", "moves:0", "moves:1", "moves:21"),
        *("moves:1e1", "moves:" + "9" * 400, "hash:1", "hash:0", "hash:-1", "material:6,10"),
        *("material:6,6", "material:", "mixedness:150,50", "mixedness:1.5", "dtm:5,10", "box:"),
        *(
            "steps:40,40",
            "proximity:3,6",
            "opponents:2",
            "unheard-of",
            "monotone",
            "monotone:",
            "moves:３",
        ),
        "mixedness:" + ",".join(map(str, range(20))),
    ],
)
def test_a_bad_spec_is_answered_with_what_was_given_and_with_examples_that_work(spec):
    with pytest.raises(InvalidGate) as raised:
        gating.make(spec)
    message = str(raised.value)
    assert not set("[|<") & set(message.removeprefix(f'gate "{spec}"'))  # no grammar
    assert spec[:20] in message
    assert len(message) < 600
    examples = re.search(r"(?:write|such as) ([^;]+)", message)
    assert all(gating.make(text) for text in re.split(r", (?!\d)| or ", examples[1]))


def test_examples_in_messages_are_those_of_the_game_and_of_the_gate():
    for spec, game, words in (
        (
            "stones:30",
            "connect-four",
            "threats, plies and hash; such as threats:1,3,.*; learned:DIR",
        ),
        ("lichess:boundry=2", "chess", "write lichess, lichess:classic, lichess:current or lich"),
        ("plies:20,10", "tictactoe", r"must rise strictly .*; write plies:14,28(;|$)"),
        ("moves:99", "chess", "from 2 to 20; write moves:3(;|$)"),
    ):
        with pytest.raises(InvalidGate, match=words) as raised:
            gating.make(spec, game)
        assert "did you mean" not in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "canonical", "names"),
    [
        ("dtm", "dtm:10,5", ("over 10", "6–10", "up to 5")),
        ("dtm:8", "dtm:8", ("over 8", "up to 8")),
        ("box", "box:20,9", ("over 20", "10–20", "up to 9")),
        ("monotone:box:12", "monotone:box:12", ("over 12", "up to 12")),
    ],
)
def test_the_endgame_has_gates_of_its_own(spec, canonical, names):
    gate = gating.make(spec, game="krk")
    assert (gate.spec, gate.names) == (canonical, names)
    assert gating.make(spec) == gate  # the game need not be named
    refused = r"chess has no such gate; its gates are none,.* mixedness"
    with pytest.raises(InvalidGate, match=refused):
        gating.make(spec, game="chess")


def test_nineteen_thresholds_are_allowed():
    assert gating.make("material:" + ",".join(map(str, range(18, -1, -1)))).num_phases == 20


def test_anything_but_a_spec_or_a_function_is_refused():
    for given in (None, 3, b"lichess", ["lichess"]):
        with pytest.raises(InvalidGate):
            gating.make(given)


def test_gates_are_for_their_games():
    assert gating.make("hash:3", game="tictactoe").spec == "hash:3"
    with pytest.raises(InvalidGate, match="tictactoe"):
        gating.make("lichess", game="tictactoe")
    with pytest.raises(InvalidGate, match="tictactoe"):
        gating.make(gating.make("lichess"), game="tictactoe")


def test_gates_of_ones_own_are_listed_where_another_does_not_fit(monkeypatch):
    monkeypatch.setattr(registry.REGISTRY, "own", dict(registry.REGISTRY.own))
    gating.register("corners", names=("a", "b"))(lambda state: 0)
    with pytest.raises(InvalidGate, match=r"has no such gate.*your own are .*'corners'"):
        gating.make("lichess", game="tictactoe")


def test_calls_batches_and_probabilities_agree():
    gate = gating.make("lichess")
    states = [START, ENDING, START]
    assert [gate(state) for state in states] == [0, 2, 0]
    phases = gate.batch(states)
    assert phases.dtype == np.int64
    assert phases.tolist() == [0, 2, 0]
    probabilities = gate.probabilities(states)
    assert probabilities.dtype == np.float32
    np.testing.assert_array_equal(probabilities, np.eye(3)[phases])
    assert gate.batch([]).shape == (0,)
    assert gate.probabilities([]).shape == (0, 3)
    assert gate(START, player=1) == 0


def test_wrong_lengths_and_players_are_named():
    gate = gating.make("lichess")
    with pytest.raises(InvalidArray, match="previous has 1 entries for 2"):
        gate.batch([START, START], previous=[0])
    with pytest.raises(InvalidArray, match="players has 3 entries for 2"):
        gate.batch([START, START], players=[0, 1, 0])
    with pytest.raises(InvalidConfig, match="player 2"):
        gate(START, player=2)


def test_a_monotone_gate_never_goes_back():
    markov, monotone = gating.make("lichess"), gating.make("lichess", monotone=True)
    assert markov != monotone
    assert monotone.spec == "monotone:lichess:classic"
    assert markov(START, previous=2) == 0
    assert monotone(START, previous=2) == 2
    assert monotone(START) == 0
    assert monotone(ENDING, previous=0) == 2
    assert monotone.batch([START, ENDING, START], previous=[1, 1, 0]).tolist() == [1, 2, 0]
    assert gating.make(markov, monotone=True) == gating.make(monotone) == monotone
    for previous in (3, -1, 400):
        with pytest.raises(InvalidGate, match="previous phase"):
            monotone(START, previous=previous)
        assert markov(START, previous=previous) == 0


def test_a_finished_game_is_a_position_like_any_other():
    mate = games.make("chess").from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert mate.is_terminal
    assert gating.make("lichess")(mate) == 2


def test_users_states():
    assert gating.make("none")(Plain()) == 0
    assert gating.make("none").batch([Plain(), 3, None]).tolist() == [0, 0, 0]
    gate = gating.make("hash:3")
    assert [gate(Keyed(key)) for key in (0, 4, 2**64 - 1)] == [0, 1, (2**64 - 1) % 3]
    with pytest.raises(InvalidGate, match="key"):
        gate(Plain())
    for key in (-1, 2**64, "x", None):
        with pytest.raises(InvalidGate, match="key"):
            gate(Keyed(key))
    with pytest.raises(InvalidGate, match="a game of your own has no such gate"):
        gating.make("lichess")(Keyed(3))


class Counted(Plain):
    """A user's state that counts plies."""

    def __init__(self, ply):
        self.ply = ply


def test_every_game_has_a_gate_by_plies():
    gate = gating.make("plies:14,28")
    assert (gate.spec, gate.names) == ("plies:14,28", ("up to 14", "15–28", "over 28"))
    assert [gate(Counted(ply)) for ply in (0, 14, 15, 28, 29)] == [0, 0, 1, 1, 2]
    assert gating.make("plies:2", game="tictactoe")(Counted(3)) == 1
    state = games.make("chess").initial_state()
    for ply in range(4):
        assert gating.make("plies:0,2", game="chess")(state) == [0, 1, 1, 2][ply]
        state = state.play(state.legal_actions[0])
    assert gating.make("plies:2")(games.make("pommerman-ffa").initial_state(0), player=0) == 0
    assert gating.make("steps", game="pommerman-ffa").spec == "steps:40"
    with pytest.raises(InvalidGate, match="thresholds are missing"):
        gating.make("plies", game="chess")
    with pytest.raises(InvalidGate, match="`ply`"):
        gate(Plain())
    for ply in (-1, "x", None, 1.5):
        with pytest.raises(InvalidGate, match="ply"):
            gate(Counted(ply))


def test_gates_of_one_name_in_two_games_are_not_mixed_up():
    chess = gating.make("mixedness:30")
    with pytest.raises(InvalidGate, match="it is of another game"):
        chess(games.make("pommerman-ffa").initial_state(0), player=0)


@pytest.mark.parametrize("game", ["chess", "krk", "pommerman-team"])
def test_an_unknown_gate_is_answered_with_the_gates_of_the_game(game):
    own = {"chess": "material", "krk": "dtm", "pommerman-team": "opponents"}
    with pytest.raises(InvalidGate) as raised:
        gating.make("unheard-of", game=game)
    message = str(raised.value)
    for name, kind in own.items():
        shown = name == game or (name == "chess" and game == "krk")
        assert (kind in message) == shown, message
    assert all(kind in message for kind in ("none", "plies", "hash", "learned:"))


def test_errors_of_a_users_key_come_through():
    class Broken(Plain):
        @property
        def key(self):
            message = "mine"
            raise ZeroDivisionError(message)

    with pytest.raises(ZeroDivisionError, match="mine"):
        gating.make("hash:3")(Broken())


@pytest.mark.parametrize("option", ["monotone", "batched"])
def test_what_is_neither_true_nor_false_is_refused(option):
    with pytest.raises(InvalidConfig, match=rf"{option}='no': expected True or False"):
        gating.make("lichess", "chess", **{option: "no"})


@pytest.mark.parametrize(
    ("given", "meant", "game"),
    [
        ("lichness", "lichess", "chess"),
        ("monotone:lichess_", "lichess", "atomic"),
        ("materiel:8", "material", "crazyhouse"),
        ("treats", "threats", "connect-four"),
        ("oponents", "opponents", "pommerman-ffa"),
        ("move-cuont:4", "move-count", None),
    ],
)
def test_a_misspelt_gate_gets_the_one_that_is_meant(given, meant, game):
    with pytest.raises(InvalidGate, match=rf"no such gate \(did you mean '{meant}'\?\)"):
        gating.make(given, game)


@pytest.mark.parametrize(
    ("name", "canonical", "game"),
    [
        ("move-count:4", "moves:4", "chess"),
        ("monotone:move-count:2", "monotone:moves:2", "krk"),
        ("opponents_alive", "opponents", "pommerman-ffa"),
        ("opponents_alive", "opponents", "pommerman-team-radio"),
    ],
)
def test_the_names_of_the_field_are_taken_too(name, canonical, game):
    gate = gating.make(name, game)
    assert gate.spec == canonical
    assert gate == gating.make(canonical, game)
    with pytest.raises(InvalidGate, match="a gate of the package"):
        gating.register(name.removeprefix("monotone:").partition(":")[0], names=("a",))


def test_a_gate_of_another_game_is_no_misspelt_one():
    with pytest.raises(InvalidGate, match="connect-four has no such gate; its gates are none"):
        gating.make("lichess", "connect-four")


def test_a_gate_that_is_no_text_to_others_is_refused():
    with pytest.raises(InvalidGate, match="no such gate"):
        gating.make("mo\udcc0es:3", "chess960")

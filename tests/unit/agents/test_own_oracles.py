"""Oracles of one's own: what they may answer, what is named, and what a result keeps of them."""

import re

import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.errors import GameMismatch, IllegalAction, InvalidConfig, InvalidEvaluation
from phasezoo.inference import Known, StateBatch

FOUR = games.make("connect-four")
START = FOUR.initial_state()


class Oracle:
    """Answers what it was made with."""

    def __init__(self, look=lambda leaves: None, root=lambda state: None):
        self.look, self.root_actions = look, root


def searched(oracle, is_routed=False, batch_size=1, state=START, **options):
    options |= {"limit": agents.Limit(nodes=40), "batch_size": batch_size, "oracle": oracle}
    if is_routed:
        experts = {f"part {i}": inference.Uniform() for i in range(2)}
        agent = agents.M2CTSAgent(experts, "hash:2", "exact", **options)
    else:
        agent = agents.MCTSAgent(inference.Uniform(), **options)
    return agent.search(state)


def known(rows, value=0.0, plies=-1, more=0):
    count = rows + more
    return Known(np.ones(count, bool), np.full(count, value), np.full(count, plies))


# --- what look answers ---


@pytest.mark.parametrize("is_routed", [False, True])
@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize(
    ("look", "text"),
    [
        (lambda leaves: (np.ones(len(leaves), bool), [0.0], [1]), "returned a tuple"),
        (lambda leaves: 5, "returned an int"),
        (lambda leaves: known(len(leaves), more=1), r"rows bool\[\d+\], expected bool\[\d+\]"),
        (lambda leaves: known(len(leaves), value=np.nan), "value nan"),
        (lambda leaves: known(len(leaves), value=1.5), r"value 1.5.*\[-1, 1\]"),
        (lambda leaves: {}["a key"], "raised KeyError: 'a key'"),
    ],
)
def test_what_look_answers_is_checked(look, text, is_routed, batch_size):
    with pytest.raises(InvalidEvaluation, match=text) as caught:
        searched(Oracle(look), is_routed, batch_size)
    assert "Oracle.look(leaves)" in str(caught.value)


def test_typed_errors_of_an_oracle_stay_what_they_are():
    with pytest.raises(IllegalAction):
        searched(Oracle(lambda leaves: START.play(99)))


def test_of_what_is_not_known_values_may_be_anything():
    def look(leaves):
        return Known(np.zeros(len(leaves), bool), np.full(len(leaves), np.nan), [0] * len(leaves))

    assert searched(Oracle(look)).nodes == 40


def test_a_search_goes_on_after_an_oracle_failed():
    oracle = Oracle(lambda leaves: None, lambda state: [99])
    session = agents.MCTSAgent(
        inference.Uniform(), limit=agents.Limit(nodes=40), oracle=oracle
    ).session(1)
    with pytest.raises(InvalidEvaluation):
        session.search(START)
    oracle.root_actions = lambda state: [3]
    assert session.search(START).action == 3


# --- what root_actions answers ---


@pytest.mark.parametrize(
    ("root", "text"),
    [
        (lambda state: [3, 99], r"99.*legal.*\[0, 1, 2, 3, 4, 5, 6\]"),
        (lambda state: [-1], "-1"),
        (lambda state: [2**70], str(2**70)),
        (lambda state: [1.5], r"float64\[1\]"),
        (lambda state: "abc", "expected the indices"),
        (lambda state: 3, r"int64\[\]"),
        (lambda state: {3}, "expected the indices"),
        (lambda state: [[3]], r"int64\[1, 1\]"),
        (lambda state: [[3], [3, 4]], "expected the indices"),
        (lambda state: np.arange(7) == 3, r"bool\[7\]"),
        (lambda state: 1 / 0, "raised ZeroDivisionError: division by zero"),
    ],
)
def test_what_root_actions_answers_is_checked(root, text):
    with pytest.raises(InvalidEvaluation, match=text) as caught:
        searched(Oracle(root=root))
    assert "Oracle.root_actions(state)" in str(caught.value)


@pytest.mark.parametrize("root", [[3, 5], (3, 5), np.array([5, 3], np.uint8), range(3, 6, 2)])
def test_a_result_is_of_the_actions_that_an_oracle_keeps(root):
    result = searched(Oracle(root=lambda state: root))
    assert result.action == 3
    assert result.pv[0] == 3
    assert len(result.pv) > 1
    assert np.flatnonzero(result.policy).tolist() == [3, 5]
    assert result.policy.dtype == np.float32
    assert result.policy.sum() == pytest.approx(1)
    assert [line.action for line in result.lines()] == [3, 5]
    assert result.actions.tolist() == list(range(7)), "what was searched is told as it was"
    assert result.visits.sum() == 39
    assert "kept" in repr(result)


def test_lines_are_those_of_actions_that_are_kept():
    result = searched(Oracle(root=lambda state: [0, 2, 4]))
    told = {line.action: line for line in searched(None).lines()}
    assert result.lines(2) == [told[0], told[2]]
    assert result.lines() == [told[0], told[2], told[4]]
    assert (result.action, result.pv) == (0, told[0].pv)


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", 2**70, [1]])
@pytest.mark.parametrize("oracle", [None, Oracle(root=lambda state: [0, 2, 4])])
def test_a_number_of_lines_is_a_whole_one(oracle, count):
    with pytest.raises(InvalidConfig, match=re.escape(f"lines({count!r}): give a whole number")):
        searched(oracle).lines(count)


def test_all_or_no_actions_change_nothing():
    plain = searched(None)
    for root in (lambda state: state.legal_actions, lambda state: [], lambda state: None):
        result = searched(Oracle(root=root))
        assert type(result) is type(plain)
        np.testing.assert_array_equal(result.policy, plain.policy)


def test_searchmoves_hold_before_an_oracle():
    agent = agents.MCTSAgent(
        inference.Uniform(),
        limit=agents.Limit(nodes=40),
        oracle=Oracle(root=lambda state: [3, 5]),
    )
    assert agent.search(START, searchmoves=[4, 5]).action == 5
    result = agent.search(START, searchmoves=[1, 2])
    assert result.action in (1, 2)
    assert set(np.flatnonzero(result.policy)) == {1, 2}


def test_a_kept_action_that_no_one_would_have_played_has_all_of_the_policy():
    """The search plays the win by force of its proof alone; what is kept gets the policy."""
    state = START
    for column in (0, 6, 1, 6):
        state = state.play(column)
    result = searched(Oracle(root=lambda state: [5]), state=state)
    assert result.action == 5
    assert result.policy[5] == pytest.approx(1)


# --- whose oracle it is ---


def test_an_oracle_of_another_game_is_refused_when_the_game_is_known():
    oracle = Oracle()
    oracle.games = ("chess", "atomic")
    with pytest.raises(GameMismatch, match=r"chess, atomic.*connect-four"):
        agents.MCTSAgent(inference.Uniform(), oracle=oracle, game="connect-four")
    with pytest.raises(GameMismatch, match="connect-four"):
        searched(oracle)
    oracle.games = "connect-four"
    assert searched(oracle).nodes == 40


def test_tables_are_of_chess(shared_dir):
    pytest.importorskip("chess", reason="python-chess is not installed")
    folder = shared_dir / "data" / "tablebases"
    if not list(folder.glob("*.rtbw")):
        pytest.skip("the Syzygy tables of K+{R,Q,P} v K are not on this machine")
    tables = agents.Syzygy(folder)
    for game in ("connect-four", "atomic"):
        state = games.make(game).initial_state()
        with pytest.raises(GameMismatch, match=f"chess960.*{game}"):
            searched(tables, state=state)
        assert tables.look(StateBatch([state])) is None
        assert tables.root_actions(state) is None


def test_what_is_no_oracle_is_named():
    class Half:
        def look(self, leaves):
            return None

    for given in (Oracle, Half(), "tables", 3):
        with pytest.raises(InvalidConfig, match=r"look\(leaves\) and root_actions\(state\)"):
            agents.MCTSAgent(inference.Uniform(), oracle=given)
    with pytest.raises(InvalidConfig, match="two players"):
        agents.MCTSAgent(inference.Uniform(), oracle=Oracle(), game=three_players())


def three_players():
    return games.Game(
        name="three",
        num_players=3,
        num_actions=2,
        plane_specs={"default": (1, 1, 1)},
        default_planes="default",
        state_type=object,
    )


@pytest.mark.parametrize("is_routed", [False, True])
def test_chances_of_a_draw_are_lost_by_no_other_row(is_routed):
    """The oracle knows of one answer to one first move that it draws: there alone chances rise."""

    class Drawish:
        plane_spec = None

        def evaluate(self, planes):
            wdl = np.tile(np.float32([0.1, 0.8, 0.1]), (len(planes), 1))
            return inference.Evaluation(wdl=wdl)

    def look(leaves):
        rows = np.array([state.columns == "11" for state in leaves.states()])
        count = len(rows)
        return Known(rows, np.zeros(count), np.full(count, -1)) if rows.any() else None

    def draws(batch_size, oracle):
        given = {"limit": agents.Limit(nodes=200), "batch_size": batch_size, "oracle": oracle}
        if is_routed:
            experts = {f"part {i}": Drawish() for i in range(2)}
            agent = agents.M2CTSAgent(experts, "hash:2", "exact", game="connect-four", **given)
        else:
            agent = agents.MCTSAgent(Drawish(), game="connect-four", **given)
        return agent.search(START).draws

    assert draws(8, None) == pytest.approx([0.8] * 7, abs=1e-6)
    for batch_size in (1, 8, 32):
        first, *others = draws(batch_size, Oracle(look))
        assert others == pytest.approx([0.8] * 6, abs=1e-6)
        assert 0.8 < first < 0.9

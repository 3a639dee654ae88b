"""Answers of evaluators that a search refuses: with a cache as without one."""

import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.errors import InvalidEvaluation
from phasezoo.inference import Evaluation

FOUR = games.make("connect-four")


class Answers:
    """Answers with zeros at first, then as it was told."""

    plane_spec = FOUR.default_planes
    name = "my evaluator"

    def __init__(self, answer, first=4):
        self.answer, self.left = answer, first

    def evaluate(self, planes):
        self.left -= 1
        if self.left >= 0:
            return Evaluation(value=np.zeros(len(planes), np.float32))
        return self.answer(len(planes))


def beside(**heads):
    """Heads of ``rows`` rows beside a value."""
    return lambda rows: Evaluation(
        value=np.zeros(rows), **{name: make(rows) for name, make in heads.items()}
    )


BAD = {
    "nothing": lambda rows: Evaluation(),
    "no evaluation": lambda rows: None,
    "one value for all": lambda rows: Evaluation(value=0.0),
    "value nan": lambda rows: Evaluation(value=np.full(rows, np.nan)),
    "value out of range": lambda rows: Evaluation(value=np.full(rows, 1.5)),
    "a column for each player": lambda rows: Evaluation(value=np.zeros((rows, 2), np.float32)),
    "a column alone": lambda rows: Evaluation(value=np.zeros((rows, 1))),
    "wdl beside a value": beside(wdl=lambda rows: np.full((rows, 3), 3.0)),
    "wdl nan beside a value": beside(wdl=lambda rows: np.full((rows, 3), np.nan)),
    "plies below 0": beside(plies_left=lambda rows: np.full(rows, -1.0)),
    "plies nan": beside(plies_left=lambda rows: np.full(rows, np.nan)),
    "plies without end": beside(plies_left=lambda rows: np.full(rows, 1e9)),
    "fewer actions": beside(policy_logits=lambda rows: np.zeros((rows, 6))),
    "more actions": beside(policy_logits=lambda rows: np.zeros((rows, 9))),
    "logits nan": beside(policy_logits=lambda rows: np.full((rows, 7), np.nan)),
    "spent is no count": lambda rows: Evaluation(value=np.zeros(rows), spent=5),
}


def refused(answer, **options):
    agent = agents.MCTSAgent(Answers(answer), limit=agents.Limit(nodes=60), **options)
    with pytest.raises(InvalidEvaluation) as caught:
        agent.search(FOUR.initial_state())
    return str(caught.value), agent


@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_refused_with_a_cache_as_without(name, batch_size):
    plain, _ = refused(BAD[name], batch_size=batch_size)
    cached, agent = refused(BAD[name], batch_size=batch_size, cache_mb=4)
    if name != "spent is no count":  # refused as it is made, by nobody's evaluator yet
        assert plain.startswith("my evaluator")
        assert cached.startswith("my evaluator")
    agent.evaluator.evaluator.answer = lambda rows: Evaluation(value=np.zeros(rows))
    result = agent.search(FOUR.initial_state())
    assert result.nodes == 60, "nothing of the bad answer was kept"


def test_a_mixture_forgets_what_was_refused():
    experts = {f"part {i}": Answers(BAD["a column for each player"]) for i in range(2)}
    agent = agents.M2CTSAgent(
        experts, "hash:2", "majority", limit=agents.Limit(nodes=60), game="connect-four", cache_mb=4
    )
    with pytest.raises(InvalidEvaluation, match="column"):
        agent.search(FOUR.initial_state())
    assert [len(expert) for expert in agent.evaluator.experts] == [0, 0]


def test_networks_that_know_more_actions_are_asked_with_a_cache_too():
    class Wide(Answers):
        policy_size = 9

        def evaluate(self, planes):
            return beside(policy_logits=lambda rows: np.zeros((rows, 9)))(len(planes))

    counts = inference.Counts()
    batch = inference.StateBatch([FOUR.initial_state()])
    answer = inference.evaluate_leaves(Wide(None), batch, counts)
    assert answer.legal_logits.tolist() == [0.0] * 7

"""Leaf batches, gates and evaluators whose every number is known."""

import numpy as np

from phasezoo.inference import Evaluation


class FakeGate:
    """A gate with given names; a "state" here is the phase itself."""

    monotone = False

    def __init__(self, spec="fake", names=("a", "b", "c"), shift=0):
        self.spec = spec
        self.names = names
        self.shift = shift

    def __call__(self, state, player=None, previous=None):
        return (state + self.shift) % len(self.names)

    def batch(self, states, players=None, previous=None):
        return np.array([self(state) for state in states], dtype=np.int64)


class LearnedGate(FakeGate):
    """Says 1/2 for a state's own phase and 1/4 for the two others."""

    def probabilities(self, states, players=None, previous=None):
        table = np.full((len(states), 3), 0.25, dtype=np.float32)
        table[np.arange(len(states)), states] = 0.5
        return table


class FakeLeaves:
    """Row i has ``widths[i]`` legal actions from ``first_action[i]`` up, and planes full of i."""

    def __init__(self, phases, trees=None, widths=None, rows=None, num_actions=64):
        self.num_actions = num_actions
        self.phases = np.asarray(phases, dtype=np.int8)
        count = len(self.phases)
        self.trees = (
            np.arange(count, dtype=np.int32) if trees is None else np.asarray(trees, np.int32)
        )
        self.rows = np.arange(count) if rows is None else np.asarray(rows)
        self.widths = 1 + self.rows % 4 if widths is None else np.asarray(widths)
        self.asked_specs = []

    def __len__(self):
        return len(self.phases)

    @property
    def legal(self):
        offsets = np.concatenate([[0], np.cumsum(self.widths)]).astype(np.int64)
        ends = self.rows + self.widths
        actions = [np.arange(*span) for span in zip(self.rows, ends, strict=True)]
        return offsets, np.concatenate(actions).astype(np.int32)

    def planes(self, spec):
        self.asked_specs.append(spec)
        shape = {"small": (1, 2, 2), "large": (3, 4, 4)}[spec]
        return np.broadcast_to(self.rows[:, None, None, None], (len(self), *shape)).astype(
            np.float32
        )

    @property
    def players(self):
        return np.zeros(len(self), dtype=np.int64)

    def states(self):
        return self.phases.tolist()

    def select(self, rows):
        columns = (self.phases, self.trees, self.widths, self.rows)
        return FakeLeaves(*(column[rows] for column in columns), self.num_actions)


class Expert:
    """Answers row i with value (i + offset) / 1000 and logit ``offset + action / 100``.

    Remembers which rows it was asked about, call by call.
    """

    def __init__(self, offset, spec="small", wdl=False, actions=64, logits="policy"):
        self.plane_spec = spec
        self.offset = offset
        self.wdl = wdl
        self.actions = actions
        self.logits = logits
        self.calls = []

    def evaluate(self, planes):
        rows = planes[:, 0, 0, 0]
        self.calls.append(rows.astype(int).tolist())
        value = (rows + self.offset) / 1000
        row_logits = self.offset + np.arange(self.actions, dtype=np.float32) / 100
        policy = np.broadcast_to(row_logits, (len(rows), self.actions)) if self.logits else None
        if self.wdl:
            wdl = np.stack([0.5 + value / 2, 0 * value, 0.5 - value / 2], axis=1)
            return Evaluation(policy_logits=policy, wdl=wdl.astype(np.float32))
        return Evaluation(policy_logits=policy, value=value)

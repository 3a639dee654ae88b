"""An evaluator of chess that counts pieces."""

import numpy as np

from phasezoo import inference


class Material:
    """Answers a row alike in any batch. Remembers how many rows it saw."""

    plane_spec = "v2"

    def __init__(self, scale=10.0, policy=True):
        self.scale = scale
        self.policy = policy
        self.rows = 0

    def evaluate(self, planes):
        self.rows += len(planes)
        worth = np.array([1, 3, 3, 5, 9, 0], dtype=np.float32)
        balance = planes[:, 0:6].sum(axis=(2, 3)) - planes[:, 6:12].sum(axis=(2, 3))
        logits = np.broadcast_to(np.sin(np.arange(4672, dtype=np.float32)), (len(planes), 4672))
        return inference.Evaluation(
            policy_logits=logits if self.policy else None,
            value=np.tanh((balance * worth).sum(axis=1) / self.scale),
        )

"""How networks learn from episodes of Pommerman."""

from phasezoo.training.config import SupervisedConfig

POMMERMAN = SupervisedConfig(
    optimizer="adamw",
    batch_size=128,
    max_lr=3e-3,
    min_lr=3e-3,
    policy_weight=0.9,
    value_weight=0.1,
    wdl_weight=0.01,
    plies_weight=0.002,
)
"""For Pommerman: AdamW at a constant learning rate, batches of 128 and losses weighed 0.9 to 0.1,
all as published (``docs/definitions/published.md#pommerman``), with little weight on our heads'
other parts.

The rate is the best of those tried, one training each on 200,000 positions, where policies stay
near the actions' frequencies for long and then improve fast. Policy losses of ``risex4-1x2`` and
``risex4-16x3``: constant 0.001 (published) 1.67 and 1.02, 0.003 1.62 and 0.86, 0.01 1.55 and 0.96;
one-cycle to 0.01 1.65 and 1.36; SGD 1.68 and 1.63 at the best of its rates."""

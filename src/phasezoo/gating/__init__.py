"""Gates: which phase of the game is a state in? Built-in ones by name, and any callable.

| spec | phases |
|---|---|
| ``none`` | one |
| ``lichess`` = ``lichess:classic``, ``lichess:current``, ``lichess:engine`` | opening, middlegame, endgame |
| ``plies:a,b,…`` | by the ply: up to ``a``, to ``b``, …, later |
| ``moves:n`` | ``n`` spans of full moves |
| ``material:a,b,…`` (default ``10,6``) | by the knights, bishops, rooks and queens left |
| ``mixedness:a,b,…`` (default ``50,150``) | by how far the two armies are mixed |
| ``hash:n`` | the placebo: by the position's key, modulo ``n``; a frequent position is always in the same part |
| ``learned:DIR`` | those of a small network that :func:`train` made |

``monotone:`` before any of them, or ``monotone=True``, forbids going back to an earlier phase.
"""  # noqa: E501

from phasezoo._core import Gate
from phasezoo.gating.callables import CallableGate as CallableGate
from phasezoo.gating.checker import check
from phasezoo.gating.fingerprint import fingerprint as fingerprint, same as same
from phasezoo.gating.learned import LearnedGate
from phasezoo.gating.learning import train
from phasezoo.gating.registry import make, names, register, registered as registered, spec_of

__all__ = [
    "Gate",
    "LearnedGate",
    "check",
    "make",
    "names",
    "register",
    "spec_of",
    "train",
]

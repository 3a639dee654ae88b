"""A mixture of phase experts, which is an evaluator like any other: M2CTS is MCTS with it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo import games, gating
from phasezoo.checking import shown
from phasezoo.errors import (
    GateMismatch,
    InvalidConfig,
    InvalidEvaluation,
    InvalidGate,
    InvalidState,
)
from phasezoo.games.varlen import entries_of, offsets_of, segment_softmax
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import (
    Evaluation,
    Leaves,
    answer_at,
    ask,
    check_evaluator,
    evaluate_leaves,
    name_of,
)
from phasezoo.inference.other_games import check_plays, common_game
from phasezoo.inference.policy_value import PolicyAndValue, paired, policy_and_value
from phasezoo.inference.routing import Routing, name_of_rule, routed, rule_of
from phasezoo.types import Gate, Planes

Rows: TypeAlias = npt.NDArray[np.int64]
"""Numbers of rows, or a number for each row."""

Asked: TypeAlias = Callable[[Any, Leaves, Counts, str], Evaluation]
"""How an evaluator is asked about leaves: with its answer checked, or as it comes."""


class MixtureOfExperts:
    """One evaluator made of an expert per phase.

    The rows it is asked about carry their phase, computed once by the search's gate. Experts may
    want different planes. A placebo is the same with ``gate="hash:n"``.

    Args:
        experts: An evaluator for each phase's name; the same one may serve several phases.
        gate: The gate the experts were trained under, or its specification.
        routing: ``"exact"``: every row goes to its own phase's expert, one call per expert
            present. ``"majority"``: the new leaves of a tree vote, the winner answers them all
            (Helfenstein et al., M2CTS). ``"soft"``: all experts answer every row; their policies
            and values are averaged with the gate's probabilities. Or a rule of one's own
            (:data:`~phasezoo.inference.routing.RoutingRule`).
        policy: In place of ``experts`` and together with ``value``: an evaluator for each phase's
            name, or one for all phases, whose policies are used.
        value: The same of values.
        search_gate: Route by this gate instead, on purpose; its phases need the same names. Rows on
            which the two gates differ are counted.
        fallback: The phase whose expert also answers the phases that have none.
        game: The game's name; default that of the experts' networks.

    Raises:
        InvalidConfig: A phase has no expert and no ``fallback=`` is named, or a name is no phase;
            or some experts give a value for each of more than two players, and others do not.
        GameMismatch: The experts are networks of different games, or of another than ``game``.
        InvalidPlaneSpec: An expert wants planes that the game does not have.
        GateMismatch: An expert was trained under another gate, or as another phase's expert.
        InvalidGate: ``search_gate`` has other phases than ``gate``.
    """

    def __init__(
        self,
        experts: Mapping[str, Any] | None = None,
        gate: str | Gate | None = None,
        routing: Routing = "exact",
        *,
        policy: Any = None,
        value: Any = None,
        search_gate: str | Gate | None = None,
        fallback: str | None = None,
        game: str | None = None,
    ) -> None:
        if gate is None:
            message = "gate= is missing: the gate that the experts were trained under"
            raise InvalidConfig(message)
        answering = _evaluators(experts, policy, value)
        self.game = game = common_game(answering, game)
        if game is not None:
            for expert in answering:
                check_plays(expert, games.make(game))
        self.gate = gate_of(gate, game)
        if experts is None:
            experts = paired(policy, value, self.gate.names)
        self.search_gate = self.gate if search_gate is None else gate_of(search_gate, game)
        self.rule = rule_of(routing, self.search_gate)
        """Rule that divides rows among the experts."""
        self.routing = name_of_rule(routing)
        self._given_routing = routing
        self.fallback = fallback
        self.names = tuple(self.gate.names)
        if tuple(self.search_gate.names) != self.names:
            message = (
                f"search_gate has the phases {list(self.search_gate.names)}, the experts' gate has "
                f"{list(self.names)}; a search gate needs the same ones"
            )
            raise InvalidGate(message)
        self.experts = _experts_by_phase(experts, self.names, fallback)
        known = list(map(id, self.experts))
        self.groups: Rows = np.array([known.index(each) for each in known])
        """``int64[phases]``: the first phase that has the same expert."""
        self.has_own_expert = np.array([name in experts for name in self.names])
        self._answering = tuple(n if n in experts else str(fallback) for n in self.names)
        for name, expert in experts.items():
            for part in _parts(expert):
                _check_trained_for(name, part, self.gate, game)

    @property
    def num_phases(self) -> int:
        """How many phases, and experts, there are."""
        return len(self.names)

    @property
    def plane_spec(self) -> str | None:
        """The planes that all experts want; None if they differ, or want none."""
        specs = {getattr(expert, "plane_spec", None) for expert in self.experts}
        return specs.pop() if len(specs) == 1 else None

    def evaluate(self, planes: Planes) -> Evaluation:
        """Refuses: planes do not say their phases.

        Raises:
            InvalidState: Always.
        """
        shape = list(getattr(planes, "shape", ()))
        message = (
            f"a mixture routes by phase, and planes float32{shape} do not tell it: call "
            "evaluate_batch(leaves); outside a search, StateBatch(states, phases) makes leaves"
        )
        raise InvalidState(message)

    def expert_of(self, phase: int) -> str:
        """Return the name of the expert that answers for ``phase``, the phase of its training.

        That is another phase if the mixture names a ``fallback``.
        """
        return self._answering[phase]

    def with_expert(self, phase: str, expert: Any) -> "MixtureOfExperts":
        """Return the same mixture but for the expert of one phase.

        Raises:
            InvalidConfig: The gate has no such phase.
            GameMismatch: The expert is a network of another game.
            GateMismatch: The expert was trained under another gate, or as another phase's expert.
        """
        own = zip(self.names, self.experts, self.has_own_expert, strict=True)
        experts = {name: one for name, one, is_own in own if is_own}
        return MixtureOfExperts(
            {**experts, phase: expert},
            self.gate,
            self._given_routing,
            search_gate=self.search_gate,
            fallback=self.fallback,
            game=self.game,
        )

    def evaluate_batch(self, leaves: Leaves) -> Evaluation:
        """Answer every row by the expert, or experts, that the routing names.

        A network that serves several phases is asked once.

        Raises:
            InvalidEvaluation: An expert's answer is not valid; the message names its phase.
        """
        spent = Counts()
        return replace(self._evaluated(leaves, spent, evaluate_leaves), spent=spent)

    def evaluate_unchecked(self, leaves: Leaves, spent: Counts) -> Evaluation:
        """As :meth:`evaluate_batch`, but the answer of one expert alone comes as it is.

        For those who check it anyway: of a small network, checking takes as long as its answer.
        ``spent`` grows by the cost, and the answer's own says nothing.
        """
        return self._evaluated(leaves, spent, ask)

    def _evaluated(self, leaves: Leaves, spent: Counts, asked: Asked) -> Evaluation:
        winners = routed(self.rule, leaves, len(self.names))
        spent.regated_rows += self.regated(leaves)
        if winners.ndim > 1:
            every = np.arange(len(leaves))
            parts = self._answers(leaves, dict.fromkeys(range(self.num_phases), every), spent)
            return self._averaged(leaves, winners, parts)
        return self.ask(winners, leaves, spent, asked)

    def ask(
        self, winners: Rows, leaves: Leaves, spent: Counts, asked: Asked = evaluate_leaves
    ) -> Evaluation:
        """Ask each phase's expert about its leaves; ``spent`` grows by the cost.

        Args:
            winners: ``int64[B]``: the phase whose expert answers each row.
            leaves: The rows.
            spent: Grows by what the calls took.
            asked: How an expert is asked that answers all rows.

        Raises:
            InvalidEvaluation: The answer is not valid.
        """
        own = self.has_own_expert[winners] & (winners == leaves.phases)
        spent.off_phase_rows += len(own) - int(np.count_nonzero(own))
        phase, *others = set(winners.tolist())
        if not others:  # as in most rounds of a tree that is alone
            return self._of_one(phase, leaves, spent, asked)
        rows_of = {each: np.flatnonzero(winners == each) for each in sorted([phase, *others])}
        parts = self._answers(leaves, rows_of, spent)
        return merged(list(zip(rows_of.values(), parts, strict=True)), leaves)

    def _of_one(self, phase: int, leaves: Leaves, spent: Counts, asked: Asked) -> Evaluation:
        """The answer of one phase's expert to all rows."""
        name, answers = self._answering[phase], []
        for network in _parts(self.experts[phase]):
            found, called = Counts(), self._called(network, [phase])
            is_plain = getattr(network, "policy_size", None) in (None, leaves.num_actions)
            # Checking finds out what the columns of another game's network are.
            ask_it = asked if is_plain else evaluate_leaves
            answers.append(ask_it(network, leaves, found, called))
            found.expert_rows, found.expert_calls = {name: found.rows}, {name: found.calls}
            spent.add(found)
        return answers[0] if len(answers) == 1 else policy_and_value(*answers)

    def _answers(
        self, leaves: Leaves, rows_of: Mapping[int, Rows], spent: Counts
    ) -> list[Evaluation]:
        """The answers of each phase's expert to its rows; each network is asked once."""
        parts = {phase: _parts(self.experts[phase]) for phase in rows_of}
        networks = {id(network): network for each in parts.values() for network in each}
        known = {}
        for key, network in networks.items():
            phases = [phase for phase, each in parts.items() if key in map(id, each)]
            rows = rows_of[phases[0]]
            if len(phases) > 1:
                rows = np.unique(np.concatenate([rows_of[phase] for phase in phases]))
            served = {phase: len(rows_of[phase]) for phase in phases}
            known[key] = rows, self._answer(network, leaves, rows, served, spent)
        answers = []
        for phase, rows in rows_of.items():
            policy, *value = (_taken(known[id(network)], rows, leaves) for network in parts[phase])
            answers.append(policy_and_value(policy, *value) if value else policy)
        return answers

    def _called(self, network: Any, phases: Iterable[int]) -> str:
        """How errors call a network that serves these phases."""
        names = ", ".join(map(repr, map(self.names.__getitem__, phases)))
        return f"the expert of phase {names} ({name_of(network)})"

    def _answer(
        self, network: Any, leaves: Leaves, rows: Rows, served: Mapping[int, int], spent: Counts
    ) -> Evaluation:
        """A network's answer to the rows of the phases that it serves, so many of each."""
        chosen = leaves if len(rows) == len(leaves) else leaves.select(rows)
        found = Counts()
        evaluation = evaluate_leaves(network, chosen, found, self._called(network, served))
        found.expert_rows, found.expert_calls = {}, {}  # those of a mixture in a mixture
        left, shares = found.rows, sum(served.values())
        # All rows are divided, whatever they leave over; the phase with the most rows is the first.
        own = np.bincount(leaves.phases[rows], minlength=self.num_phases)
        for phase in sorted(served, key=lambda each: -own[each]):
            name, share = self._answering[phase], -(-left * served[phase] // shares)
            left, shares = left - share, shares - served[phase]
            found.expert_rows[name] = found.expert_rows.get(name, 0) + share
            found.expert_calls[name] = found.calls
        spent.add(found)
        return evaluation

    def _averaged(
        self,
        leaves: Leaves,
        weights: npt.NDArray[np.float64],
        answers: Sequence[Evaluation],
    ) -> Evaluation:
        offsets, actions = leaves.legal
        lengths = np.diff(offsets)
        policy = np.zeros(len(actions))
        value = np.zeros((len(leaves), *_value_shape(answers)))
        wdl = np.zeros((len(leaves), 3)) if _has_chances(answers) else None
        left: npt.NDArray[np.float64] | None = np.zeros(len(leaves))
        for weight, answer in zip(weights.T, answers, strict=True):
            logits = answer.legal_logits
            alike = np.repeat(1.0 / lengths, lengths)
            each = alike if logits is None else segment_softmax(logits, offsets)
            policy += np.repeat(weight, lengths) * each
            own = answer.values()
            value += weight.reshape(-1, *[1] * (own.ndim - 1)) * own
            if wdl is not None:
                wdl += weight[:, None] * answer.chances()
            plies = answer.plies_left
            left = None if left is None or plies is None else left + weight * plies
        smallest = np.finfo(np.float32).tiny
        return Evaluation(
            legal_logits=np.log(np.maximum(policy, smallest)).astype(np.float32),
            value=value.astype(np.float32),
            wdl=None if wdl is None else wdl.astype(np.float32),
            plies_left=None if left is None else left.astype(np.float32),
        )

    def regated(self, leaves: Leaves) -> int:
        """Return how many rows have another phase under the experts' gate than the search's.

        A monotone gate of the experts is asked about each row by itself: it does not know the way.
        """
        if self.search_gate is self.gate:
            return 0
        own = np.asarray(self.gate.batch(leaves.states(), leaves.players.tolist()))
        return int(np.count_nonzero(own != leaves.phases))

    def __repr__(self) -> str:
        experts = ", ".join(
            f"{name}: {name_of(expert)}"
            for name, expert in zip(self.names, self.experts, strict=True)
        )
        gate = gating.spec_of(self.gate)
        return f"MixtureOfExperts({{{experts}}}, gate={gate!r}, routing={self.routing!r})"


def gate_of(gate: Any, game: str | None) -> Gate:
    """Return a gate as it is; one of a specification or a function."""
    if hasattr(gate, "batch") and hasattr(gate, "names"):
        own: Gate = gate
        return own
    return gating.make(gate, game=game)


def _evaluators(experts: Any, policy: Any, value: Any) -> list[Any]:
    """Return all evaluators that are given, refusing experts beside a policy or a value."""
    if experts is not None:
        if policy is not None or value is not None:
            message = "experts answer policy and value: leave out policy= and value=, or experts"
            raise InvalidConfig(message)
        if not isinstance(experts, Mapping):
            message = (
                f"experts={shown(experts)}: expected a mapping of each phase's name to its "
                "evaluator, such as {'opening': …, 'endgame': …}"
            )
            raise InvalidConfig(message)
        return list(experts.values())
    return [
        each
        for given in (policy, value)
        if given is not None
        for each in (given.values() if isinstance(given, Mapping) else [given])
    ]


def _experts_by_phase(
    experts: Mapping[str, Any], names: Sequence[str], fallback: str | None
) -> tuple[Any, ...]:
    unknown = [name for name in experts if name not in names]
    if unknown:
        message = f"{', '.join(map(repr, unknown))}: no such phase; the gate has {list(names)}"
        raise InvalidConfig(message)
    if fallback is not None and fallback not in experts:
        message = f"fallback={fallback!r} has no expert; given are {list(experts)}"
        raise InvalidConfig(message)
    missing = [name for name in names if name not in experts]
    if missing and fallback is None:
        message = (
            f"no expert for {', '.join(map(repr, missing))}; given are {list(experts)}. Give one "
            "for each phase, or name with fallback= the phase whose expert answers for the others"
        )
        raise InvalidConfig(message)
    for name, expert in experts.items():
        try:
            check_evaluator(expert)
        except InvalidConfig as error:
            message = f"the expert of phase {name!r}: {error}"
            raise InvalidConfig(message) from None
    return tuple(experts[name if name in experts else str(fallback)] for name in names)


def _check_trained_for(name: str, expert: Any, gate: Gate, game: str | None) -> None:
    """Refuse an expert of another gate or phase.

    A network trained on all phases (gate ``none``), and an evaluator that knows no gate, may serve
    any phase. A gate of a user's own is recognised by what it answers, since a name can be given to
    another function.
    """
    trained = getattr(expert, "gate", None)
    if trained is None or trained == "none":
        return
    mark = getattr(expert, "gate_fingerprint", None)
    if mark is not None:
        theirs = str(trained)
        fits = not isinstance(gate, gating.Gate) and mark == gating.fingerprint(gate, expert.game)
    else:
        made = gate_of(trained, game)
        theirs = gating.spec_of(made)
        fits = theirs == "none" or gating.same(made, gate, game)
    if not fits:
        raise GateMismatch(_mismatch(name, expert, theirs, gating.spec_of(gate)))
    phase = getattr(expert, "phase", None)
    if theirs != "none" and phase is not None and phase != name:
        message = f"the network given for phase {name!r} was trained as the expert of {phase!r}"
        raise GateMismatch(message)


def _mismatch(phase: str, expert: Any, theirs: str, ours: str) -> str:
    who = f"the expert of phase {phase!r} ({name_of(expert)}) was trained under"
    if theirs == ours:
        return (
            f"{who} another gate that was called {theirs!r} too: its phases, or what it answers on "
            "a fixed sample of positions, differ. Give the gate as it was then, or train again"
        )
    return (
        f"{who} the gate {theirs!r}, the mixture has {ours!r}: give the first as gate=, and "
        "search_gate= to route by another one on purpose"
    )


def _parts(expert: Any) -> tuple[Any, ...]:
    """The networks of an expert: who answers policies and who values, or one for both."""
    return expert.experts if isinstance(expert, PolicyAndValue) else (expert,)


def _taken(known: tuple[Rows, Evaluation], rows: Rows, leaves: Leaves) -> Evaluation:
    """Of the answer to some rows of ``leaves`` that to fewer ones."""
    asked, answer = known
    if len(asked) == len(rows):
        return answer
    places, entries = np.searchsorted(asked, rows), None
    if answer.legal_logits is not None:
        offsets = offsets_of(np.diff(leaves.legal[0])[asked])
        entries = entries_of(offsets, places)[1]
    return answer_at(answer, places, entries)


def _value_shape(answers: Sequence[Evaluation]) -> tuple[int, ...]:
    """The shape of a row's value, which all answers must share."""
    shapes = {answer.values().shape[1:] for answer in answers}
    if len(shapes) > 1:
        message = "some experts give one value a row and others one per player: they must agree"
        raise InvalidEvaluation(message)
    return shapes.pop()


def _has_chances(answers: Sequence[Evaluation]) -> bool:
    """Whether all answers have win, draw and loss, or some and the others one value a row."""
    said = [answer.wdl is not None for answer in answers]
    return all(said) or (any(said) and answers[0].values().ndim == 1)


def merged(parts: list[tuple[Rows, Evaluation]], leaves: Leaves) -> Evaluation:
    """Join the answers to disjoint rows; a part without logits has zeros, which are alike too."""
    answers = [evaluation for _, evaluation in parts]
    value = np.empty((len(leaves), *_value_shape(answers)), dtype=np.float32)
    wdl = np.empty((len(leaves), 3), dtype=np.float32) if _has_chances(answers) else None
    has_plies = all(evaluation.plies_left is not None for _, evaluation in parts)
    left = np.empty(len(leaves), dtype=np.float32) if has_plies else None
    alike = all(evaluation.legal_logits is None for _, evaluation in parts)
    offsets, actions = leaves.legal
    logits = None if alike else np.zeros(len(actions), dtype=np.float32)
    for rows, evaluation in parts:
        value[rows] = evaluation.values()
        if wdl is not None:
            wdl[rows] = evaluation.chances()
        if left is not None and evaluation.plies_left is not None:
            left[rows] = evaluation.plies_left
        if logits is not None and evaluation.legal_logits is not None:
            logits[entries_of(offsets, rows)[1]] = evaluation.legal_logits
    return Evaluation(value=value, wdl=wdl, legal_logits=logits, plies_left=left)

"""Variants of a run: other mixtures, and other searches in which the phase mixture plays."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Interval

from phasezoo.errors import InvalidConfig, about
from phasezoo.specs import (
    PositiveFloat,
    SpecText,
    fields_of,
    split_items,
    unknown_option,
    write_spec,
    write_value,
)
from phasezoo.training.experts.plans import PlannedTraining, plan_experts
from phasezoo.training.experts.strategies import (
    KINDS,
    Strategy,
    check_freeze,
    plan_strategy,
    read_strategy,
)

if TYPE_CHECKING:
    from phasezoo.data.positions import PositionTable
    from phasezoo.experiments.two_player.config import M2ctsConfig
    from phasezoo.training.experts.planned import TrainedNetwork

BASELINE, EXPERT, PLACEBO = "baseline", "expert", "placebo"
"""Roles of networks: the one network, the mixture under study, and its placebo, which a run may
leave out."""

ONE = "one network"
"""How the baseline is called in tables."""

STARTED = " start"
"""Ends the role of networks that a variant's experts begin from."""

_TAKEN = frozenset({BASELINE, "mixture", "alone", "from", "search", "learned"})
"""First parts of names that networks and matches of other roles have."""

_TAKEN_BEGINNINGS = ("alone-", "from-", "search-")
"""Of these the names of a phase or a search follow."""


@dataclass(frozen=True)
class Options:
    """The options of a strategy in ``--arms``, such as ``staged:value=shared,phases=endgame``."""

    learning_rate: PositiveFloat | None = None
    """Peak of the schedule of its networks; None: that of the settings."""
    freeze: Literal["body", "heads"] | None = None
    """Part of what its experts begin from that stays as it is."""
    network: str | None = None
    """Architecture of its networks, or a trained network that they begin from; None: that of the
    settings. Under the gate ``none`` a variant is one network, a control of another size."""
    positions: Annotated[float, Interval(gt=0, le=1)] = 1.0
    """Share of the run's positions that its networks see together."""
    by: Literal["position", "game"] = "position"
    """What decides the part that a training position is in, under a gate ``hash:N``: the position,
    as in play, or its game."""
    value: Literal["own", "shared"] = "own"
    """Whose values it answers with: each phase's expert's, or the one network's of its training."""
    policy: Literal["own", "shared"] = "own"
    """The same of policies."""
    phases: str | None = None
    """The phases that its experts answer in, joined by ``+``; None: all. The one network answers in
    the others."""

    @property
    def learning(self) -> "Options":
        """Those that decide what is trained."""
        return replace(self, value="own", policy="own", phases=None)

    @property
    def shared(self) -> tuple[str, ...]:
        """What the one network answers in every phase: its ``policy``, its ``value``, or none."""
        return tuple(p for p in ("policy", "value") if getattr(self, p) == "shared")

    @property
    def own(self) -> tuple[str, ...] | None:
        """The phases that its experts answer in; None: all."""
        return None if self.phases is None else tuple(self.phases.split("+"))


@dataclass(frozen=True)
class Variant:
    """A mixture of experts."""

    role: str
    """Its name: ``expert`` (the mixture under study), ``placebo``, or the variant's own text."""
    gate: str
    """Divides the positions."""
    strategy: Strategy
    """How its experts learn."""
    plays: bool
    """True if it plays matches against one network."""
    options: Options = Options()
    """How else its experts learn, and what else answers."""
    networks: str = ""
    """The variant whose networks it is put together from; empty: it has networks of its own."""

    @property
    def how(self) -> str:
        """The strategy with its options."""
        name, _, factor = str(self.strategy).partition(":")
        given = {
            option.name: str(write_value(getattr(self.options, option.name)))
            for option in fields_of(Options)
            if getattr(self.options, option.name) != option.default
        }
        return write_spec(SpecText(name, factor or None, given))

    def is_alike(self, other: "Variant") -> bool:
        """Return whether both answer alike."""
        both = [(one.gate, one.strategy, one.options) for one in (self, other)]
        return both[0] == both[1]

    @property
    def folder(self) -> str:
        """First part of the names of its networks' directories."""
        kept = "".join(letter if letter.isalnum() else "-" for letter in self.role)
        return "-".join(filter(None, kept.lower().split("-")))


def variants_of(config: "M2ctsConfig", phases: Sequence[str]) -> tuple[Variant, ...]:
    """The mixture under study, its placebo if there is one, and what else the settings name.

    A mixture that is put together of experts and the one network (``value=``, ``policy=``,
    ``phases=``) takes the experts of the variant that learns alike. If no other is named, that one
    is trained too, and does not play.
    """
    strategy = Strategy.parse(config.strategy)
    found = [Variant(EXPERT, config.gate, strategy, plays=True)]
    if config.placebo:
        found.append(Variant(PLACEBO, f"hash:{len(phases)}", strategy, plays=False))
    read = [_read_variant(text, config, phases) for text in config.arms]
    for variant in sorted(read, key=lambda one: one.options != one.options.learning):
        same = next((one for one in found if one.is_alike(variant)), None)
        if same is not None and not same.plays:
            found[found.index(same)] = replace(same, plays=True)
            continue
        if same is not None:
            message = f"--arms {variant.role}: there already, or the mixture under study itself"
            raise InvalidConfig(message)
        if variant.options != variant.options.learning:
            whole = replace(variant, plays=False, options=variant.options.learning)
            own = next((one for one in found if one.is_alike(whole)), None)
            if own is None:
                named = whole.how if whole.gate == config.gate else f"{whole.how}@{whole.gate}"
                own = replace(whole, role=named)
                _add(found, own)
            variant = replace(variant, networks=own.role)
        _add(found, variant)
    return tuple(found)


def _add(found: list[Variant], variant: Variant) -> None:
    """Add a variant whose files are named as no other's."""
    same = next((one.role for one in found if one.folder == variant.folder), None)
    is_taken = variant.folder in _TAKEN or variant.folder.startswith(_TAKEN_BEGINNINGS)
    if same is not None or is_taken:
        taken = f"a folder of the run {variant.folder!r}" if same is None else f"{same!r}"
        message = (
            f"--arms {variant.role}: its files would be named as those of {taken}; spell it "
            "otherwise"
        )
        raise InvalidConfig(message)
    found.append(variant)


def mixture_name(role: str) -> str:
    """How the mixture of a variant's experts is called in tables."""
    return "phase mixture" if role == EXPERT else f"{role} mixture"


def mixtures(cards: "Sequence[TrainedNetwork]") -> "dict[str, list[TrainedNetwork]]":
    """Return the records of every mixture, of networks that its experts began from too."""
    found: dict[str, list[TrainedNetwork]] = {}
    for card in cards:
        if card.role != BASELINE:
            found.setdefault(mixture_name(card.role.removesuffix(STARTED)), []).append(card)
    return found


def plan_variant(
    variant: Variant, train: "PositionTable", positions: int
) -> tuple[list[PlannedTraining], list[PlannedTraining]]:
    """The trainings of a variant: those that its experts begin from, and the experts."""
    if variant.networks:
        return [], []
    freezes = variant.options.freeze is not None
    by_game = variant.options.by == "game"
    train = train.divided_by_game() if by_game else train
    seen = round(positions * variant.options.positions)
    if len(train.names) == 1:  # one network more, as a control
        planned: Sequence[PlannedTraining] = plan_experts(train, seen)
        last = {stage.name for stage in planned}
    else:
        plan = plan_strategy(train, variant.strategy, seen, freezes=freezes)
        planned, last = plan.stages, set(plan.experts.values())

    def named(name: str | None) -> str | None:
        if name is None:
            return None
        return f"{variant.folder}-{name.removeprefix(EXPERT + '-')}"

    stages = [
        replace(stage, name=f"{named(stage.name)}", start=named(stage.start), by_game=by_game)
        for stage in planned
    ]
    is_last = [stage.name in last for stage in planned]
    begun = [stage for stage, done in zip(stages, is_last, strict=True) if not done]
    return begun, [stage for stage, done in zip(stages, is_last, strict=True) if done]


def _read_variant(text: str, config: "M2ctsConfig", phases: Sequence[str]) -> Variant:
    """``STRATEGY``, ``GATE`` or ``STRATEGY@GATE``; a strategy may have options after a colon."""
    written, at, gate = text.partition("@")
    if not at and written.partition(":")[0] not in KINDS:
        return Variant(text, text, Strategy.parse(config.strategy), plays=True)
    with about(f"--arms {text}", InvalidConfig):
        strategy, options = _read_strategy(written)
    gate = gate or config.gate
    if options.by == "game" and not gate.startswith("hash:"):
        message = (
            f"--arms {text}: by=game is for parts that mean nothing; name them too, as in "
            f"separated:by=game@hash:{len(phases)}"
        )
        raise InvalidConfig(message)
    own = options.own
    if own is not None and (gate != config.gate or not set(own) < set(phases)):
        message = (
            f"--arms {text}: phases= takes some, but not all, of {', '.join(phases)}, joined by +, "
            "and no other gate than the run's"
        )
        raise InvalidConfig(message)
    return Variant(text, gate, strategy, plays=True, options=options)


def _read_strategy(text: str) -> tuple[Strategy, Options]:
    """A strategy and its options."""
    strategy, given = read_strategy(text)
    known = {option.name: option for option in fields_of(Options)}
    for name in given.keys() - known.keys():
        raise InvalidConfig(unknown_option(name, "strategy", known))
    options = Options(**{name: known[name].read(value) for name, value in given.items()})
    if len(options.shared) > 1:
        message = "value=shared and policy=shared: that is the one network; give one of them"
        raise InvalidConfig(message)
    check_freeze(strategy, options.freeze, is_trained=False)
    return strategy, options


EQUAL_COST = "equal-cost"
"""The setting that has no value: the mixture gets as many nodes as cost what one network's do."""

RECALIBRATED = "recalibrated"
"""The setting that has no value: the values of all networks are recalibrated on validation
games."""

SETTINGS = ("search-batch", "nodes", "movetime", "simulations-per-node", "routing", "search")
"""The settings that may differ."""


@dataclass(frozen=True)
class Search:
    """How both sides of a match search."""

    text: str
    """As the settings spell it, such as ``search-batch=16,nodes=200``."""
    config: "M2ctsConfig"
    """The settings with what differs."""
    recalibrated: bool
    """True if values are recalibrated (``docs/definitions/boundaries.md#recalibrated-values``)."""
    equal_cost: bool
    """True if inference, and not the number of nodes, costs the same on both sides
    (``docs/definitions/matches.md#what-is-compared``)."""

    def at_equal_nodes(self, others: "Sequence[Search]") -> "Search | None":
        """The search among others that differs by nothing else; None: that of the match itself."""
        return next((one for one in others if not one.equal_cost and _is_same(one, self)), None)


def searches_of(config: "M2ctsConfig") -> list[Search]:
    """The other searches that the settings name."""
    found: list[Search] = []
    itself = Search("", config, recalibrated=False, equal_cost=False)
    for text in config.searches:
        search = _read_search(text, config)
        same = [one for one in (itself, *found) if _is_same(one, search)]
        if any(one.equal_cost == search.equal_cost for one in same):
            message = f"--searches {text}: there already, or the search of the match itself"
            raise InvalidConfig(message)
        found.append(search)
    for search in found:
        is_played = _is_same(itself, search) or search.at_equal_nodes(found) is not None
        if search.equal_cost and not is_played:
            plain = ",".join(part for part in search.text.split(",") if part != EQUAL_COST)
            message = (
                f"--searches {search.text}: give {plain} too, whose games tell how many calls of "
                "the networks each side makes"
            )
            raise InvalidConfig(message)
    return found


def _is_same(one: Search, other: Search) -> bool:
    """Return whether two searches differ by cost at the most."""
    return (_what_counts(one.config), one.recalibrated) == (
        _what_counts(other.config),
        other.recalibrated,
    )


def _what_counts(config: "M2ctsConfig") -> "M2ctsConfig":
    """Settings without those that a search by time makes no use of."""
    config = dataclasses.replace(config, searches=())
    if config.movetime is None:
        return config
    return dataclasses.replace(config, nodes=1, simulations_per_node=None)


def _read_search(text: str, config: "M2ctsConfig") -> Search:
    """``SETTING=VALUE``, ``recalibrated`` or ``equal-cost``, several with commas."""
    changes: dict[str, Any] = {}
    kind: Any = type(config)
    options = {option.name: option for option in fields_of(kind)}
    names: set[str] = set()
    try:
        items = list(split_items(text))
    except InvalidConfig as error:
        message = f"--searches {error}"
        raise InvalidConfig(message) from error
    for key, value in items:
        name = key or value
        if name in names:
            message = f"--searches {text}: {name} stands there twice"
            raise InvalidConfig(message)
        names.add(name)
        if key is None and value in (RECALIBRATED, EQUAL_COST):
            continue
        if key not in SETTINGS:
            known = ", ".join(f"{each}=…" for each in SETTINGS)
            known = f"{known}, {RECALIBRATED} and {EQUAL_COST}"
            part = value if key is None else f"{key}={value}"
            message = f"--searches {text}: {part!r} is not one of {known}"
            raise InvalidConfig(message)
        field = name.replace("-", "_")
        with about(f"--searches {text}", InvalidConfig):
            changes[field] = options[field].read(value)
    if "movetime" in changes and ("nodes" in changes or "simulations_per_node" in changes):
        message = f"--searches {text}: give time or nodes and simulations, not both"
        raise InvalidConfig(message)
    if "nodes" in changes:
        changes["movetime"] = None
    changed = dataclasses.replace(config, searches=(), **changes)
    with about(f"--searches {text}", InvalidConfig):
        changed.validate()
    if EQUAL_COST in names and changed.movetime is not None:
        message = f"--searches {text}: costs are made equal by nodes, not by time; leave one out"
        raise InvalidConfig(message)
    return Search(text, changed, RECALIBRATED in names, EQUAL_COST in names)

"""How an agent searches."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import wraps
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from annotated_types import Interval

from phasezoo import _core
from phasezoo.agents.limit import Limit
from phasezoo.errors import InvalidConfig
from phasezoo.specs import PositiveUInt16, Share, UInt32, changed, check
from phasezoo.specs.removed import removal_of

_DEFAULT = _core.SearchParams()

Taken = TypeVar("Taken")


def _advising(kind: type[Taken]) -> type[Taken]:
    """Have a class answer an option that was removed with its replacement, not a TypeError."""
    make = kind.__init__

    @wraps(make)
    def checked(self: Taken, *values: Any, **options: Any) -> None:
        if gone := next(filter(None, map(removal_of, options)), None):
            raise InvalidConfig(gone)
        make(self, *values, **options)

    kind.__init__ = checked  # type: ignore[assignment]
    return kind


@dataclass(frozen=True)
class CoreSettings:
    """Settings of a search, which the core takes by their names.

    Values out of range are refused when the object is made, not at the first move.
    """

    core: ClassVar[Callable[..., Any]]
    """Class or function of the core that takes them."""

    def __post_init__(self) -> None:
        check(self)
        self.for_core()

    def for_core(self) -> Any:
        """Return the settings as the core takes them."""
        return type(self).core(**asdict(self))

    def with_(self, **overrides: Any) -> Self:
        """A copy with fields changed by name.

        Raises:
            InvalidConfig: A name is not a field, or a value is out of range.
        """
        return changed(self, overrides, "a search")

    @classmethod
    def of(cls, config: Any, overrides: Mapping[str, Any], **defaults: Any) -> Self:
        """Return what an agent was given with fields changed by name.

        Args:
            config: The settings; None for the defaults.
            overrides: The changes.
            **defaults: Defaults that differ from the core's.

        Raises:
            InvalidConfig: The settings are of another search, or a change is not allowed.
        """
        if config is None:
            config = cls(**defaults)
        if not isinstance(config, cls):
            name = cls.__name__
            message = f"config={config!r}: expected a {name}, such as {name}()"
            raise InvalidConfig(message)
        limits = {field.name for field in fields(Limit)} & overrides.keys()
        if limits:
            name = min(limits)
            message = f"{name}= belongs to the limit: give limit=Limit({name}={overrides[name]!r})"
            raise InvalidConfig(message)
        return config.with_(**overrides)


@_advising
@dataclass(frozen=True)
class SearchConfig(CoreSettings):
    """Everything that a search does besides its limit.

    The defaults are the core's: match play as published (CrazyAra's search constants; Helfenstein
    et al., M2CTS, appendix), but for ``fpu``, whose published value loses to 0 (the page
    ``docs/search_options.md``). :meth:`published` has that one too, :meth:`self_play` what
    self-play was published with.

    Attributes:
        batch_size: Leaves of a mini-batch: 1 with many trees (matches, self-play), 8 to 64 for a
            single search (M2CTS: 1, 8, 16, 32, 64).
        in_flight: Mini-batches that a tree may have outstanding. With 2 the search collects the
            next one while another thread asks the evaluator about the last one. Each is collected
            before the answers to the one before it are backed up, whenever they come, so that
            searches with a limit of nodes or simulations stay reproducible.
        c_puct_init: Exploration constant: c(N) = ln((N + c_puct_base + 1) / c_puct_base) +
            c_puct_init (Silver et al., AlphaZero 2018; value: CrazyAra).
        c_puct_base: How slowly exploration grows with the visits N of a node (AlphaZero 2018).
        c_puct_stdev_scale: How far c(N) follows the standard deviation of the values below a node:
            c(N) * (1 + c_puct_stdev_scale * (deviation / 0.4 - 1)) (KataGo:
            cpuctUtilityStdevScale, 0.85).
        fpu: Value of an unvisited action ("first play urgency"): None: -1 (CrazyAra); a number:
            what ``fpu_style`` says. From 0 to 2, or from -1 to 1 if ``fpu_style`` is "absolute".
        fpu_style: What ``fpu`` is: the node's value minus ``fpu``; minus ``fpu`` times the square
            root of the priors of the visited actions (KataGo; "reduction" in lc0); or ``fpu``
            itself.
        virtual_style: What an outstanding visit counts as: a loss, only a visit, or (mix) a visit
            up to ``virtual_mix_threshold`` visits of the node and a loss beyond (CrazyAra). None:
            nothing, so that descents of a batch collide, which shows what the others are for.
        virtual_mix_threshold: Visits at which ``virtual_mix`` changes over.
        node_temperature: Softmax temperature of priors; 1.7 in match play, 1.0 in self-play
            (CrazyAra).
        dirichlet_alpha: Concentration of the noise on the root's priors (AlphaZero 2018: 0.3 in
            chess).
        dirichlet_epsilon: Share of noise in the root's priors; 0 in match play, 0.25 in self-play.
        root: How the root's actions are selected. ``"gumbel"``: sequential halving among the
            actions of the largest noisy priors; the result's ``policy`` is the improved one, and
            its action the halving's. Needs a limit of nodes or simulations; Dirichlet noise and
            play temperatures are not used.
        interior: The same below the root. ``"gumbel"``: the action of the largest improved policy
            less its share of the visits.
        max_num_considered_actions: Actions that the halving begins with (mctx).
        gumbel_scale: Factor of the noise; 0: none.
        gumbel_maxvisit_init: Values are weighed by gumbel_value_scale * (gumbel_maxvisit_init +
            most visits).
        gumbel_value_scale: See ``gumbel_maxvisit_init``.
        gumbel_rescale_values: Spreads the values of a node's actions over [0, 1] before they are
            weighed.
        epsilon_greedy: Share of descents that begin somewhere on the line of the most visited
            actions and expand the next unexpanded action there (CrazyAra: 0.05).
        epsilon_checks: The same for the first unexpanded action that is a check (CrazyAra: 0.01);
            as ``epsilon_greedy`` without one.
        cheap_search_prob: Share of searches with few nodes and without noise, whose
            ``result.cheap`` is true (KataGo: cheapSearchProb, 0.75).
        cheap_search_nodes: Nodes of such a search (KataGo: cheapSearchVisits).
        node_random_factor: Share r of its nodes n by which searches differ: each has n - rn / 2 to
            below n + rn / 2, drawn anew (CrazyAra: 0.1 in self-play); of a limit without nodes,
            simulations.
        prune_policy: Whether the result's ``policy`` leaves out visits that PUCT would not have
            made with priors without noise (Wu 2019, section 3.2: "policy target pruning").
        q_value_weight: How far the second most visited action gains visits when its value is better
            (CrazyAra); 0 plays by visits alone.
        q_veto_delta: An action whose value is better by this much takes the place of the most
            visited (CrazyAra).
        temperature: Temperature of the draw from visits in the first ``temperature_plies`` plies; 0
            plays the best one.
        temperature_plies: Plies from the game's start in which the action is drawn; 0: always the
            best one.
        temperature_decay: The temperature at ply p is temperature * temperature_decay ** p
            (CrazyAra).
        quantile_clipping: Mass of the least visited actions that a draw leaves out (CrazyAra).
        graph: Whether lines that reach the same position at the same ply share its node (Czech,
            Korus and Kersting 2021). A shared node was evaluated with the history of the line that
            came first. In chess positions that stood before share none, nor do counts of moves
            without progress that are 20 plies apart. Searches with ``others`` share nothing.
        solver: Proves wins, losses and draws from ends of the game upwards, and plays by them.
        draw_on_second_occurrence: Counts a position that stood before on the path inside the tree
            as a draw.
        reuse_tree: Keeps the subtree of the actions that were played. A search with ``others``
            never does: what they did is seen only afterwards.
        memory_mb: Size of a tree in MiB, with the states that it keeps, at which ``memory_full``
            says what happens; default 2 GiB, 0: no limit. Never more than the tree's share of half
            the memory that was left when the pool was made. Moving the root and pruning need eight
            bytes a node besides.
        memory_full: What happens at ``memory_mb``: the search ends, or the least visited quarter of
            the tree is forgotten and the search goes on (their moves count as unvisited again;
            means keep what they gave).
    """

    core = _core.SearchParams

    batch_size: PositiveUInt16 = _DEFAULT.batch_size
    in_flight: Annotated[int, Interval(ge=1, le=2)] = _DEFAULT.in_flight

    # Selection

    c_puct_init: Annotated[float, Interval(ge=0, le=1000)] = _DEFAULT.c_puct_init
    c_puct_base: Annotated[float, Interval(ge=1, le=10**9)] = _DEFAULT.c_puct_base
    c_puct_stdev_scale: Share = _DEFAULT.c_puct_stdev_scale
    fpu: float | None = _DEFAULT.fpu
    fpu_style: Literal["reduction", "scaled_reduction", "absolute"] = _DEFAULT.fpu_style
    virtual_style: Literal["virtual_mix", "virtual_loss", "virtual_visit", "none"] = (
        _DEFAULT.virtual_style
    )
    virtual_mix_threshold: UInt32 = _DEFAULT.virtual_mix_threshold
    node_temperature: Annotated[float, Interval(ge=0.01, le=100)] = _DEFAULT.node_temperature

    # The root

    dirichlet_alpha: Annotated[float, Interval(ge=0.001, le=1000)] = _DEFAULT.dirichlet_alpha
    dirichlet_epsilon: Share = _DEFAULT.dirichlet_epsilon

    # Planning with Gumbel noise (Danihelka et al. 2022)

    root: Literal["puct", "gumbel"] = _DEFAULT.root
    interior: Literal["puct", "gumbel"] = _DEFAULT.interior
    max_num_considered_actions: PositiveUInt16 = _DEFAULT.max_num_considered_actions
    gumbel_scale: Annotated[float, Interval(ge=0, le=100)] = _DEFAULT.gumbel_scale
    gumbel_maxvisit_init: Annotated[float, Interval(ge=0, le=10**6)] = _DEFAULT.gumbel_maxvisit_init
    gumbel_value_scale: Annotated[float, Interval(ge=0, le=1000)] = _DEFAULT.gumbel_value_scale
    gumbel_rescale_values: bool = _DEFAULT.gumbel_rescale_values

    # Exploration

    epsilon_greedy: Share = _DEFAULT.epsilon_greedy
    epsilon_checks: Share = _DEFAULT.epsilon_checks

    # Self-play

    cheap_search_prob: Share = _DEFAULT.cheap_search_prob
    cheap_search_nodes: Annotated[int, Interval(ge=1, le=10**9)] = _DEFAULT.cheap_search_nodes
    node_random_factor: Share = _DEFAULT.node_random_factor

    # The choice of the move

    prune_policy: bool = _DEFAULT.prune_policy
    q_value_weight: Annotated[float, Interval(ge=0, le=1000)] = _DEFAULT.q_value_weight
    q_veto_delta: Annotated[float, Interval(ge=0, le=2)] = _DEFAULT.q_veto_delta
    temperature: Annotated[float, Interval(ge=0, le=100)] = _DEFAULT.temperature
    temperature_plies: UInt32 = _DEFAULT.temperature_plies
    temperature_decay: Share = _DEFAULT.temperature_decay
    quantile_clipping: Annotated[float, Interval(ge=0, lt=1)] = _DEFAULT.quantile_clipping

    # Ends

    graph: bool = _DEFAULT.graph
    solver: bool = _DEFAULT.solver
    draw_on_second_occurrence: bool = _DEFAULT.draw_on_second_occurrence

    # Memory

    reuse_tree: bool = _DEFAULT.reuse_tree
    memory_mb: UInt32 = _DEFAULT.memory_mb
    memory_full: Literal["end", "prune"] = _DEFAULT.memory_full

    @classmethod
    def published(cls, **overrides: Any) -> "SearchConfig":
        """The published settings of match play, with fields changed by name.

        They are the defaults, but for the value of unvisited actions, which is -1 (``fpu=None``).

        Raises:
            InvalidConfig: A name is not a field, or a value is out of range.
        """
        return cls(fpu=None).with_(**overrides)

    @classmethod
    def self_play(cls, **overrides: Any) -> "SearchConfig":
        """The published self-play settings (M2CTS, Table XII), with fields changed by name.

        Noise 0.25 of Dirichlet(0.3), priors at temperature 1, actions drawn at temperature 0.8 in
        the first 15 plies, by visits alone, batches of 8, no tree reuse.

        Raises:
            InvalidConfig: A name is not a field, or a value is out of range.
        """
        published = cls.published(
            batch_size=8,
            node_temperature=1.0,
            dirichlet_alpha=0.3,
            dirichlet_epsilon=0.25,
            q_value_weight=0.0,
            temperature=0.8,
            temperature_plies=15,
            quantile_clipping=0.0,
            reuse_tree=False,
        )
        return published.with_(**overrides)

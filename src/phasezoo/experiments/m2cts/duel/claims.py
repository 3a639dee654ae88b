"""Claims of the paper on chess that a run can judge, each with its rule.

How a training comes out is chance too: the author's second pair of trainings gained half of the
printed Elo. So one training settles none of them.
"""

from collections.abc import Iterator, Mapping

from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import BY_ELO, by_sign
from phasezoo.experiments.m2cts.duel import published
from phasezoo.experiments.m2cts.duel.results import ArmRow, Entry, Matches, Results
from phasezoo.report import numbers
from phasezoo.report.document import Claim, Judgement

_ONE_TRAINING = "not settled by one training"

_BY_LOSS = (
    "agrees if the whole 95 % interval of the loss difference lies on the claim’s side of zero, "
    f"disagrees if it lies on the other side; {_ONE_TRAINING}"
)

_NOTHING_GAINED = 50.0
"""Elo below which an expert alone counts as no gain; the others of Fig. 6 gain more."""


def claims_of(results: Results) -> list[Claim]:
    """Return every claim of the paper that a run can judge; none of other games than its own.

    Args:
        results: Everything a run found.
    """
    if not published.has(results.dataset.game):
        return []
    found = [*_own_phase(results), *_off_phase(results), *_mixture_losses(results)]
    found += [*_strength(results), *_weighted_gains_less(results), *_batches(results)]
    found += [*_gates(results), *_alone(results)]
    if results.config.trainings == 1:
        found = [Claim(one.text, one.ours, one.rule, "not settled") for one in found]
    return found


def data_share(results: Results) -> float:
    """Return the different positions the one network learned from, as a share of the paper's.

    Args:
        results: Everything a run found.
    """
    seen = [card.unique_positions for card in results.networks if card.role == "baseline"]
    return max(seen, default=0) / published.TRAIN_POSITIONS


def has_little_data(results: Results) -> bool:
    """Return whether networks learned from so little that the paper has losses in place of gains.

    Args:
        results: Everything a run found.
    """
    return data_share(results) < published.LITTLE_DATA


def _has_papers_phases(results: Results) -> bool:
    return results.dataset.phases == list(published.PHASES)


def _experts(results: Results) -> dict[str, Entry]:
    """Return the phase experts, if their phases are the paper's."""
    if not _has_papers_phases(results):
        return {}
    return {one.phase: one for one in results.losses.entries if one.phase is not None}


def _own_phase(results: Results) -> Iterator[Claim]:
    """Table XIV: each expert on its own phase beside one network."""
    strategy = results.config.strategy
    for row in published.TEST_LOSSES.get(strategy, ())[:-1]:
        phase = row.name.removesuffix(" expert")
        entry = _experts(results).get(phase)
        if entry is None:
            continue
        theirs, one = getattr(row, phase), getattr(published.ONE_NETWORK_LOSS, phase)
        yield _loss_claim(
            f"The {phase} expert of {strategy} learning", f"in the {phase}", theirs, one,
            entry.differences[phase].total,
        )  # fmt: skip


def _mixture_losses(results: Results) -> Iterator[Claim]:
    """Table XIV: each mixture on all test positions beside one network."""
    for strategy, arm in _by_strategy(results).items():
        rows = published.TEST_LOSSES.get(strategy, ())
        if rows:
            yield _loss_claim(
                f"The mixture of {strategy} learning", "over all test positions", rows[-1].all,
                published.ONE_NETWORK_LOSS.all, arm.loss,
            )  # fmt: skip


def _loss_claim(who: str, where: str, theirs: float, one: float, ours: Interval | None) -> Claim:
    side = "lower" if theirs < one else "higher"
    return Claim(
        text=(
            f"{who} has a {side} loss {where} than one network: {theirs:.4f} against {one:.4f} "
            "(Table XIV)."
        ),
        ours=f"Total loss less one network’s: {numbers.signed_interval(ours, 4)}.",
        rule=_BY_LOSS,
        judgement=by_sign(ours, "lower" if theirs < one else "higher"),
    )


def _off_phase(results: Results) -> Iterator[Claim]:
    """Table XIV: experts where they are not meant to be used."""
    if results.config.strategy != "separated" or not _experts(results):
        return
    gaps = {
        (phase, other): entry.differences[other].total
        for phase, entry in _experts(results).items()
        for other in results.dataset.phases
        if other != phase
    }
    known = [gap for gap in gaps.values() if gap is not None]
    judgement: Judgement = "not settled"
    if any(gap.high < 0 for gap in known):
        judgement = "disagrees"
    elif len(known) == len(gaps) and all(gap.low > 0 for gap in known):
        judgement = "agrees"
    ours = ", ".join(
        f"{phase} expert in the {other} {numbers.signed(None if gap is None else gap.value)}"
        for (phase, other), gap in gaps.items()
    )
    yield Claim(
        text=(
            "A separated expert has a higher loss than one network in every phase but its own, "
            "such as 3.2433 against 1.3523 of the opening’s in the endgame (Table XIV)."
        ),
        ours=f"Total loss less one network’s: {ours}.",
        rule=(
            "agrees if all 95 % intervals of the differences lie above zero, disagrees if one lies "
            f"below; {_ONE_TRAINING}"
        ),
        judgement=judgement,
    )


def _by_strategy(results: Results) -> dict[str, ArmRow]:
    """Return the mixtures of the gate under study by how their experts learned."""
    if not _has_papers_phases(results):
        return {}
    main = results.arms[0]
    return {arm.strategy: arm for arm in results.arms if arm.gate == main.gate}


def _strength(results: Results) -> Iterator[Claim]:
    """Tables XV and IV: M2CTS beside MCTS with one network, with much and with little data."""
    little = has_little_data(results)
    share = numbers.percent(published.LITTLE_DATA, 0)
    for strategy, arm in _by_strategy(results).items():
        theirs = published.ELO_BY_STRATEGY.get(strategy)
        if theirs is None or arm.matches is None:
            continue
        elo = arm.matches.elo
        yield Claim(
            text=(
                f"M2CTS with {strategy} experts beats MCTS with one network: "
                f"{numbers.elo_interval(theirs.interval)} Elo on average (Table XV)."
            ),
            ours=_elo_found(arm.matches),
            rule=(
                f"{BY_ELO} after {share} or more of the paper’s training positions; {_ONE_TRAINING}"
            ),
            judgement=_unless(little, "disagrees", by_sign(_known(elo), "higher")),
        )
    main = results.arms[0]
    if main.strategy == "separated" and main.matches is not None and _has_papers_phases(results):
        half = ", ".join(numbers.signed(row.value, 1) for _, row in published.DATA_AND_SIZE)
        found = by_sign(_known(main.matches.elo), "lower")
        yield Claim(
            text=(
                f"With little data separated experts lose: {half} Elo with half of the training "
                "positions (Table IV)."
            ),
            ours=(
                f"{_elo_found(main.matches)} The one network learned from "
                f"{numbers.percent(data_share(results), 2)} of the paper’s positions."
            ),
            rule=f"{BY_ELO}; not settled after {share} or more of the paper’s training "
            f"positions; {_ONE_TRAINING}",
            judgement=found if little else "not settled",
        )


def _weighted_gains_less(results: Results) -> Iterator[Claim]:
    """Table XV: separated and staged experts beside weighted ones."""
    played = {
        strategy: arm.matches
        for strategy, arm in _by_strategy(results).items()
        if arm.matches is not None and strategy in published.ELO_BY_STRATEGY
    }
    for strategy in ("separated", "staged"):
        for weighted in ("weighted:4", "weighted:10"):
            if strategy in played and weighted in played:
                more, less = (
                    numbers.elo_interval(published.ELO_BY_STRATEGY[one].interval)
                    for one in (strategy, weighted)
                )
                yield _apart(
                    f"{strategy.capitalize()} experts gain more Elo than {weighted} ones: {more} "
                    f"against {less} (Table XV).",
                    {strategy: played[strategy], weighted: played[weighted]},
                )


def _gates(results: Results) -> Iterator[Claim]:
    """Fig. 7: phases of a game beside numbers of moves."""
    main = results.arms[0]
    if main.matches is None or not _has_papers_phases(results):
        return
    for arm in results.arms[1:]:
        is_by_moves = arm.gate.startswith("moves:") and arm.strategy == main.strategy
        if is_by_moves and arm.matches is not None:
            yield _apart(
                f"Lichess’ three phases are stronger than {arm.experts} phases by move number "
                "(Fig. 7).",
                {main.gate: main.matches, arm.gate: arm.matches},
            )


def _apart(text: str, played: Mapping[str, Matches]) -> Claim:
    """Judge whether the first of two gains is the larger one."""
    first, second = (matches.elo for matches in played.values())
    judgement: Judgement = "not settled"
    if first.low > second.high:
        judgement = "agrees"
    elif first.high < second.low:
        judgement = "disagrees"
    ours = ", ".join(f"{name} {numbers.elo_interval(m.elo)}" for name, m in played.items())
    return Claim(
        text,
        f"Elo over one network: {ours}.",
        "agrees if the first 95 % interval lies above the second, disagrees if it lies below; "
        f"{_ONE_TRAINING}",
        judgement,
    )


def _batches(results: Results) -> Iterator[Claim]:
    """Table XV: the gain by the batch of the search, whose majority chooses the expert."""
    if results.config.strategy != "separated" or not _has_papers_phases(results):
        return
    by_batch = {row.name.removeprefix("batch "): row for row in published.ELO_SEPARATED}
    for row in results.searches:
        changes = dict(part.partition("=")[::2] for part in row.search.split(","))
        theirs = by_batch.get(changes.get("search-batch", ""))
        routing = changes.get("routing", results.config.routing)
        if theirs is None or routing != "majority" or changes.keys() - {"search-batch", "routing"}:
            continue
        little = has_little_data(results)
        yield Claim(
            text=(
                f"The gain holds in batches of {changes['search-batch']} positions, of which the "
                f"majority chooses the expert: {numbers.elo_interval(theirs.interval)} Elo "
                "(Table XV)."
            ),
            ours=_elo_found(row.matches),
            rule=(
                f"{BY_ELO} after {numbers.percent(published.LITTLE_DATA, 0)} or more of the "
                f"paper’s training positions; {_ONE_TRAINING}"
            ),
            judgement=_unless(little, "disagrees", by_sign(_known(row.matches.elo), "higher")),
        )


def _alone(results: Results) -> Iterator[Claim]:
    """Fig. 6: one expert at a time."""
    if not _has_papers_phases(results) or results.config.strategy != "separated":
        return
    for row in results.alone:
        elo, theirs = _known(row.matches.elo), published.ALONE[row.phase]
        if theirs > 0:
            text = f"The {row.phase}’s expert alone gains Elo, about {numbers.signed(theirs, 0)}"
            rule, judgement = BY_ELO, by_sign(elo, "higher")
        else:
            text = (
                f"The {row.phase}’s expert alone gains nothing, about {numbers.signed(theirs, 0)}"
            )
            rule = (
                "agrees if the whole 95 % interval lies below "
                f"{numbers.signed(_NOTHING_GAINED, 0)} Elo, disagrees if it lies above zero"
            )
            judgement = "not settled"
            if elo is not None and elo.low > 0:
                judgement = "disagrees"
            elif elo is not None and elo.high < _NOTHING_GAINED:
                judgement = "agrees"
        yield Claim(
            f"{text} (Fig. 6).", _elo_found(row.matches), f"{rule}; {_ONE_TRAINING}", judgement
        )


def _elo_found(matches: Matches) -> str:
    return f"{numbers.elo_interval(matches.elo)} Elo in {numbers.count(matches.total.games)} games."


def _known(elo: Interval) -> Interval | None:
    return elo if elo.is_known else None


def _unless(condition: bool, judgement: Judgement, found: Judgement) -> Judgement:
    """Return a judgement, or that nothing is settled where a condition rules it out."""
    return "not settled" if condition and found == judgement else found

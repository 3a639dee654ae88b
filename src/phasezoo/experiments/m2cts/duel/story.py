"""The report's sentences: each one that judges depends on an interval, not on an estimate alone."""

import math

from markupsafe import Markup

from phasezoo.arena.elo import Interval, los_unsaid
from phasezoo.experiments.m2cts.duel import paper
from phasezoo.experiments.m2cts.duel.results import (
    ALL,
    Comparison,
    Dataset,
    LearnedGates,
    Losses,
    Overfitting,
    Pairing,
    Results,
)
from phasezoo.experiments.m2cts.duel.strategy_story import loss_texts
from phasezoo.experiments.statistics import Verdict, by_verdict, verdict
from phasezoo.report import numbers

__all__ = [
    "arm_sentences",
    "beside_paper",
    "certainty",
    "comparison",
    "cost_sentence",
    "data_share",
    "describe",
    "elo_verdict",
    "expectation",
    "headline",
    "learned_sentences",
    "los_text",
    "loss_sentences",
    "match_sentence",
    "opening_paragraph",
    "overfitting_sentence",
    "phase_starts",
    "removed_sentence",
]

_MUCH_DATA = 0.5
"""Share of the paper's training positions from which its full-data figures are the ones to
expect."""

_FEW_DATA = 0.05
"""Share of the paper's training positions below which a run is a small fraction of the paper's."""


def beside_paper(results: Results) -> bool:
    """Whether the paper has figures of the run's game."""
    return results.dataset.game == paper.GAME


def elo_verdict(results: Results) -> Verdict:
    """Whether M2CTS was weaker (``lower``), stronger (``higher``), or neither is shown."""
    return verdict(results.matches.elo)


def comparison(losses: Losses, name: str) -> Comparison:
    """The comparison called ``name``."""
    return next(c for c in losses.comparisons if c.name == name)


def data_share(results: Results) -> float:
    """Different positions the baseline trained on, as a share of the paper's."""
    seen = [n.unique_positions for n in results.networks if n.role == "baseline"]
    return max(seen, default=0) / paper.TRAIN_POSITIONS


def headline(results: Results) -> str:
    """The main result as one line."""
    return {
        "higher": "The phase experts were stronger than one network",
        "lower": "The phase experts were weaker than one network",
        "unclear": "This run cannot tell phase experts from one network",
    }[elo_verdict(results)]


def opening_paragraph(results: Results) -> Markup:
    """What the match said, in one paragraph."""
    total, elo = results.matches.total, results.matches.elo
    many = results.config.trainings > 1
    who = (
        f"over {results.config.trainings} trainings of each side"
        if many
        else "for this one training"
    )
    bound = "nodes" if results.config.movetime is None else "time a move"
    games = f"{numbers.count(total.games)} games at equal {bound}"
    figure = _strong(f"{numbers.elo_interval(elo)} Elo")
    ending = {
        "higher": "the whole 95 % interval lies above zero: the experts helped",
        "lower": "the whole 95 % interval lies below zero: the experts hurt",
        "unclear": "the 95 % interval holds zero: whether they help or hurt cannot be told from it",
    }[elo_verdict(results)]
    if not elo.is_known:
        ending = "whether they help or hurt cannot be told from so few"
    return _joined(
        f"In {games}, a search that asks one expert network per phase scored ",
        figure,
        f" against the same search with one network, {who}; {ending}. ",
        match_sentence(results),
    )


def match_sentence(results: Results) -> str:
    """The bare result of all games."""
    total = results.matches.total
    return (
        f"It won {numbers.count(total.wins)}, drew {numbers.count(total.draws)} and lost "
        f"{numbers.count(total.losses)} of them."
    )


def los_text(total: Pairing) -> str:
    """The likelihood of superiority, or a dash where none can be told."""
    return numbers.ABSENT if los_unsaid(total.pentanomial) else numbers.chance(total.los)


def cost_sentence(results: Results) -> str:
    """How much inference the experts took beside the one network."""
    total = results.matches.total
    mixture, baseline = total.sides
    same = "For the same nodes" if results.config.movetime is None else "In the same time a move"
    if not (mixture.seconds > 0 and baseline.seconds > 0 and baseline.mean_rows > 0):
        return "The time spent in the networks was too short to be compared."
    ratio = mixture.seconds / baseline.seconds
    return (
        f"{same}, the experts took {numbers.decimal(ratio, 2)} times the one network's "
        f"time: their batches are smaller ({numbers.decimal(mixture.mean_rows, 1)} rows a call "
        f"against {numbers.decimal(baseline.mean_rows, 1)}), because each is divided by phase."
        if ratio > 1 and mixture.mean_rows < baseline.mean_rows
        else f"{same}, the experts took {numbers.decimal(ratio, 2)} times the one network's time."
    )


def removed_sentence(dataset: Dataset) -> str:
    """Which test positions were left out, and what that does to the first phases."""
    test = next(split for split in dataset.splits if split.name == "test")
    if not sum(test.removed):
        return "None of the test positions occurs in train."
    shares = ", ".join(
        f"{name} {numbers.percent(gone / all_of_it, 0)}"
        for name, gone, all_of_it in zip(dataset.phases, test.removed, test.positions, strict=True)
        if all_of_it
    )
    return (
        f"Test positions that occur in train are left out ({shares}). What is left of a phase with "
        "many such positions are its rarer, harder ones, so losses of different phases cannot be "
        "compared with each other; those in one column can."
    )


def loss_sentences(results: Results) -> list[Markup]:
    """What specialisation gave, what thinner data cost, and what both came to."""
    sentences = []
    for name, (title, what, (better, worse)) in loss_texts(results).items():
        interval = comparison(results.losses, name).differences[ALL].total
        if interval is None:
            sentences.append(
                _joined(_strong(title), " There were no test positions to measure it on.")
            )
            continue
        ending = {
            "lower": f"{better}.",
            "higher": f"{worse}.",
            "unclear": "The interval holds zero, so this run does not show which.",
        }[verdict(interval)]
        figure = numbers.signed_interval(interval)
        sentences.append(
            _joined(_strong(title), f" {what[0].upper()}{what[1:]}: {figure}. {ending}")
        )
    return sentences


def overfitting_sentence(found: Overfitting) -> str:
    """Whether experts fit what they learnt from more closely than one network does."""
    words = by_verdict((row.phase, row.beside) for row in found.rows)
    closely: dict[Verdict, str] = {"higher": "more", "lower": "less"}
    apart = [
        f"{text} closely than one network in {', '.join(words[kind])}"
        for kind, text in closely.items()
        if words[kind]
    ]
    said = ["The paper explains by overfitting why experts lose with few data."]
    if apart:
        fit = "Experts of this run fit the positions that they learnt from"
        said.append(f"{fit} {', and '.join(apart)}.")
    if words["unclear"]:
        said.append(
            f"In {', '.join(words['unclear'])} this run does not tell whether experts fit the "
            "positions that they learnt from more or less closely than one network does."
        )
    said.append(
        "On both sides positions are taken that no other training position equals, so that common "
        "openings count for neither."
    )
    return " ".join(said)


def arm_sentences(results: Results) -> list[str]:
    """What the games of the other mixtures said, a sentence each."""
    words = {"higher": "stronger than", "lower": "weaker than", "unclear": "not told apart from"}
    return [
        f"The {arm.name} (gate {arm.gate}, {arm.strategy} learning) was "
        f"{words[verdict(arm.matches.elo)]} one network: {numbers.elo_interval(arm.matches.elo)} "
        "Elo."
        for arm in results.arms[1:]
        if arm.matches is not None
    ]


def learned_sentences(found: LearnedGates) -> list[str]:
    """Whether experts chosen by learned gates lose less, and win more, than by the gate at hand."""
    loss, elo = found.division.beside_mixture[ALL], found.matches.elo
    sentences = []
    if loss is not None:
        words = {
            "lower": "The learned gates choose better",
            "higher": "The learned gates choose worse",
            "unclear": "The learned gates are not told apart",
        }
        rest = "from" if verdict(loss) == "unclear" else "than"
        sentences.append(
            f"{words[verdict(loss)]} {rest} the gate that the experts learnt under, by total test "
            f"loss: {numbers.signed_interval(loss)}."
        )
    against = {"higher": "stronger than", "lower": "weaker than", "unclear": "not told apart from"}
    sentences.append(
        f"The search with them was {against[verdict(elo)]} one network: "
        f"{numbers.elo_interval(elo)} Elo."
    )
    return sentences


def expectation(results: Results) -> list[str]:
    """Why the result is what the paper lets one expect at this size, or that it is not.

    Nothing of a game that the paper does not have, nor of experts that do not learn separated: the
    paper has their figures with all of its data alone.
    """
    if not beside_paper(results) or results.config.strategy != "separated":
        return []
    share = data_share(results)
    half = ", ".join(numbers.signed(b.value, 1) for _, b in paper.DATA_AND_SIZE)
    found = elo_verdict(results)
    seen = f"{numbers.percent(share, 2 if share < _FEW_DATA else 0)} of the paper's"
    base = (
        f"The best-fed network of this run trained on {seen} "
        f"{numbers.count(paper.TRAIN_POSITIONS)} different positions. Each expert gets only the "
        "positions of its own phase, about one in "
        f"{numbers.spelled(max(1, len(results.dataset.phases)))} of that, and has to learn from "
        "them also what all phases have in common: how the pieces move, what is attacked, what a "
        "piece is worth. One network learns that once, from everything."
    )
    table = (
        "The paper measured this price itself. With all of its data the experts won about "
        f"{numbers.signed(paper.ELO_MEAN.value, 0)} Elo; with half of it, the same method lost: "
        f"{half} Elo for its three networks (Table IV)."
    )
    if share >= _MUCH_DATA:
        ending = {
            "higher": "At this size a gain was to be expected, and a gain was found.",
            "lower": "At this size a gain was to be expected; this run found a loss instead.",
            "unclear": "At this size a gain was to be expected; this run neither shows nor "
            "excludes it.",
        }[found]
    else:
        ending = {
            "lower": (
                "A loss at this size is therefore what the paper predicts. It speaks of too little "
                "data to divide, and says nothing of phase experts that have enough of it."
            ),
            "higher": (
                "A loss was therefore to be expected at this size, and this run found a gain. "
                "That deserves a repetition with more trainings before it is believed."
            ),
            "unclear": (
                "A loss was therefore to be expected at this size. This run is too small to show "
                "one, or there is none; more games and trainings would tell."
            ),
        }[found]
    return [base, table, ending]


def certainty(results: Results) -> list[Markup]:
    """How far the intervals carry."""
    spread, total, count = results.matches.spread, results.matches.total, results.config.trainings
    unsaid = los_unsaid(total.pentanomial)
    chance = (
        f"and the chance that the experts as trained here are the stronger side (LOS) is "
        f"{numbers.chance(total.los)}."
        if unsaid is None
        else f"and no chance that the experts are the stronger side (LOS) can be told: {unsaid}."
    )
    points = [
        _joined(
            _strong("Games. "),
            f"{numbers.count(total.games)} games in {numbers.count(sum(total.pentanomial))} "
            f"pairs, each opening played from both sides. Counting games only, the difference is "
            f"{numbers.elo_interval(results.matches.elo_games_only)} Elo, {chance}",
        )
    ]
    if spread is None:
        low, high = paper.NOTEBOOK_GAINS
        points.append(
            _joined(
                _strong("Trainings. "),
                "There was one training of each side, so nothing here says how another training "
                "would have come out. That chance is not small: the paper reports about "
                f"{numbers.signed(paper.ELO_MEAN.value, 0)} Elo, a second pair of trainings in "
                f"its author's notebook only +{low} to +{high}. A claim about the method needs "
                "several trainings (",
                Markup("<code>--trainings 8</code>"),
                ").",
            )
        )
    else:
        points.append(
            _joined(
                _strong("Trainings. "),
                f"{count} mixtures played {count} baselines. Between trainings, the mixtures "
                f"scatter by {numbers.decimal(spread.first_sd, 0)} Elo and the baselines by "
                f"{numbers.decimal(spread.second_sd, 0)} Elo (standard deviations); the games "
                f"alone would scatter one pairing by {numbers.decimal(spread.games_sd, 0)} Elo. "
                f"The interval of the main figure is about new trainings, not about these "
                "networks.",
            )
        )
    points.append(
        _joined(
            _strong("Test positions. "),
            f"Loss differences are resampled {numbers.count(results.losses.resamples)} times over "
            f"{numbers.count(results.losses.games)} test games, because positions of one game "
            "resemble each other" + (_between(results) if count > 1 else "") + ".",
        )
    )
    contradiction = _contradiction(results)
    return [*points, *([contradiction] if contradiction else [])]


def _between(results: Results) -> str:
    deviation = comparison(results.losses, "both").deviation
    return (
        "; their intervals count trainings first (the total loss difference scatters by "
        f"{numbers.decimal(deviation, 4)} between trainings)"
    )


def _contradiction(results: Results) -> Markup | None:
    """A word on loss and strength pointing in different directions, if they do."""
    interval = comparison(results.losses, "both").differences[ALL].total
    if interval is None or not math.isfinite(results.matches.elo.value):
        return None
    by_loss, by_games = verdict(interval), elo_verdict(results)
    if {by_loss, by_games} == {"lower"} or {by_loss, by_games} == {"higher"}:
        return _joined(
            _strong("Loss and strength disagree here. "),
            "Loss is measured on positions from the stored games. A search mostly visits "
            "positions that nobody would play, and there experts and one network may compare "
            "differently.",
        )
    return None


def describe(interval: Interval) -> str:
    """An Elo interval as words for a tile."""
    return f"95 %: {numbers.span(interval, 0)}"


def phase_starts(data: Dataset) -> str:
    """Where each phase begins, as one sentence."""
    parts = [
        f"{name} at move {numbers.decimal(start.mean, 1)} ± {numbers.decimal(start.deviation, 1)}"
        for name, start in zip(data.phases, data.starts, strict=True)
        if start is not None and start.mean > 1
    ]
    return f"Phases begin, mean ± standard deviation: {', '.join(parts)}." if parts else ""


def _joined(*parts: str) -> Markup:
    """The parts one after the other, escaped but for markup."""
    return Markup("").join(parts)


def _strong(text: str) -> Markup:
    return Markup("<strong>{}</strong>").format(text)

"""Report of a run: what was asked and done, what came out, how sure it is, and the claims."""

import math
from collections.abc import Sequence
from itertools import groupby

from phasezoo.arena.statistics.elo import los_unsaid
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.statistics import Verdict, verdict
from phasezoo.experiments.study import study_report
from phasezoo.experiments.two_player import figures, published
from phasezoo.experiments.two_player.claims import claims_section, expectation, paper_section
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.losses import ALL
from phasezoo.experiments.two_player.matches import Results
from phasezoo.experiments.two_player.preparation import Dataset, Split
from phasezoo.experiments.two_player.report_games import games_section
from phasezoo.experiments.two_player.report_losses import bullets, comparison, losses_section
from phasezoo.experiments.two_player.report_mixtures import learned_section
from phasezoo.experiments.two_player.report_values import boundary_section, exact_section
from phasezoo.experiments.two_player.variants import mixtures
from phasezoo.inference.storage.packaged import names_network
from phasezoo.report import numbers
from phasezoo.report.document import Column, Document, Item, Section, Table, Text, columns_by
from phasezoo.training.experts.planned import TrainedNetwork
from phasezoo.training.experts.strategies import Strategy


def report(results: Results) -> Document:
    """Return the report."""
    game, exact, learned = results.dataset.game, results.exact, results.learned
    beside_paper = published.has(results.config)
    seeds = [(name, str(seed)) for name, seed in results.seeds.items()]
    return study_report(
        results,
        [
            *([claims_section(results)] if beside_paper else []),
            _asked(results),
            _done(results),
            losses_section(results),
            boundary_section(results.boundaries),
            *([] if exact is None else [exact_section(exact)]),
            games_section(results),
            *([] if learned is None else [learned_section(learned)]),
            _certainty(results),
            *([paper_section(results)] if beside_paper else []),
        ],
        title="One network per phase, or one for all?",
        headline=_headline(results),
        lead=(
            f"Games have phases. Does a {game} program play better when it has one neural network "
            "for each phase of the game, and its search picks the right one position by position, "
            "than with one network for everything?"
        ),
        subject="reproduce m2cts",
        game=game,
        source="paper",
        answer=_answer(results),
        terms=_TERMS,
        limits=bullets(_limits(results)).text,
        beside=(
            "the settings (config.json), seeds, versions, every network with its training log, "
            "all losses (losses.csv) and all games (the folder matches, and games.pgn)."
        ),
        more=[Section("Seeds", [Table.of_pairs("seeds", seeds, ("stream", "seed"))], folded=True)],
        versions=[("games, SHA-256", results.dataset.sha256)],
    )


_TERMS = """\
- **Elo**: a scale of playing strength: +100 means winning 64 % of the points.
- **95 % interval**: the range that, over many repetitions, holds the true figure 95 times in 100.
  If it holds zero, better and worse are both possible.
- **Pair scores**: both games of an opening are one observation. Elo and its interval come from them
  (pentanomial); the figure from single games (trinomial) stands only beside the paper’s.
- **LOS**: likelihood of superiority: the chance that the side is the stronger, by games alone.
- **Node**: a position newly put to a network. Positions from earlier moves’ trees are free.
- **Routing**: exact: each position goes to its phase’s expert. majority: one for a whole batch.
- **Epoch**: one pass over the training positions that a network may see.
"""


def _limits(results: Results) -> list[str]:
    config = results.config
    limits = (
        f"One gate ({results.dataset.gate}), one architecture ({config.network}) and one limit "
        f"({results.matches.limit}); the paper varies all three."
    )
    found = [limits]
    if len(results.variants) < 3:
        found.append(
            f"Learning is {config.strategy} only; other ways share more between experts (`--arms "
            "staged weighted:4`)."
        )
    found.append(f"The games come from {results.dataset.source}; other games have other phases.")
    return found


def _headline(results: Results) -> str:
    """Return the main result in a line."""
    return {
        "higher": "The phase experts were stronger than one network",
        "lower": "The phase experts were weaker than one network",
        "unclear": "By games, this run cannot tell phase experts from one network",
    }[_elo_verdict(results)]


def _elo_verdict(results: Results) -> Verdict:
    return verdict(results.matches.elo)


def _answer(results: Results) -> list[Item]:
    config, run = results.config, results.provenance
    several = "s" if config.trainings > 1 else ""
    size = (
        f"{numbers.count(results.matches.total.games)} games, {config.trainings} "
        f"training{several} of each side, {numbers.duration(sum(results.seconds.values()))} in "
        f"total on {run.processor} ({run.threads} threads)."
    )
    return [
        Text(_opening_paragraph(results)),
        _summary_table(results),
        Text(size, muted=True),
    ]


def _opening_paragraph(results: Results) -> str:
    """Return what the match said."""
    config, total, elo = results.config, results.matches.total, results.matches.elo
    trainings = "for this one training"
    if config.trainings > 1:
        trainings = f"over {config.trainings} trainings of each side"
    bound = "nodes" if config.movetime is None else "time a move"
    ending = {
        "higher": "the whole 95 % interval lies above zero: the experts helped",
        "lower": "the whole 95 % interval lies below zero: the experts hurt",
        "unclear": "the 95 % interval holds zero: it does not say whether they help or hurt",
    }[_elo_verdict(results)]
    if not elo.is_known:
        ending = "so few do not say whether they help or hurt"
    return (
        f"In {numbers.count(total.games)} games at equal {bound}, a search that asks one expert "
        f"network per phase scored **{numbers.elo_interval(elo)} Elo** against the same search "
        f"with one network, {trainings}; {ending}. It won {numbers.count(total.wins)}, drew "
        f"{numbers.count(total.draws)} and lost {numbers.count(total.losses)} of them."
    )


def _summary_table(results: Results) -> Table:
    """Return the main figures."""

    def row(
        name: str, found: Interval | None, digits: int, above: str, below: str, sign: int
    ) -> tuple[str, str, str, float | None]:
        if found is None:
            return name, numbers.ABSENT, "no test positions", None
        word, tone = {
            "higher": (above, 0.25 * sign),
            "lower": (below, -0.25 * sign),
            "unclear": ("cannot tell", None),
        }[verdict(found)]
        span = f"95 %: {numbers.span(found, digits)}; {word}"
        return name, numbers.signed(found.value, digits), span, tone

    def loss(name: str, compared: str) -> tuple[str, str, str, float | None]:
        found = comparison(results.losses, compared).differences[ALL]["total"]
        return row(f"Test loss: {name}", found, 3, "worse", "better", -1)

    rows = [
        row("Strength of M2CTS over MCTS, Elo", results.matches.elo, 0, "stronger", "weaker", 1),
        loss("experts − one network", "both"),
    ]
    if results.config.placebo:
        rows += [
            loss("experts − placebo, what phases give", "specialisation"),
            loss("placebo − one network, thinner data", "thinning"),
        ]
    columns = [Column("", 0), Column("found", 1, tone=lambda row: row[3]), Column("interval", 2)]
    return Table("summary", columns, rows)


def _asked(results: Results) -> Section:
    data, config = results.dataset, results.config
    phases = numbers.plural(len(data.phases), "phase")
    return Section(
        "What was asked",
        [
            Text(
                "A neural network looks at a position and says two things: which moves look "
                "promising, and who is likely to win. A tree search (Monte-Carlo tree search, "
                f"**MCTS**) asks it about many positions before every move "
                f"({results.matches.limit}) and plays the move that held up best.\n\n"
                "A **gate** is a rule that names the phase of a position. The gate of this run, "
                f"`{data.gate}`, knows {phases}: {numbers.listed(data.phases)}. "
                f"{_expert(config)} **M2CTS** is the same search, except that every position is "
                "put to the expert of its own phase."
            ),
            figures.method(data.phases),
            *([Text(_placebo(results))] if results.config.placebo else []),
        ],
    )


_OF_EACH_PHASE = {
    "planes": "a further input",
    "heads": "outputs",
    "policies": "an output of moves",
    "film": "a scale and a shift of its features",
    "adapters": "a change of its weights",
    "blocks": "a last block",
    "router": "a last block, which it chooses by what it learns and not by the phase,",
}
"""Parts of one network that receives the phase, of which each phase has one, by strategy."""


def _expert(config: M2ctsConfig) -> str:
    strategy = Strategy.parse(config.strategy)
    if strategy.phase_input is not None:
        return (
            "All experts are one network that learned from all positions, with "
            f"{_OF_EACH_PHASE[strategy.kind]} for each phase."
        )
    return {
        "separated": "An expert is a network trained only on the positions of one phase.",
        "staged": "An expert is a network that learned from positions of all phases first, and "
        "from those of one phase last.",
        "weighted": "An expert is a network that learned from positions of all phases, among which "
        f"one of its own phase counted as much as {strategy.factor or 1:g} others.",
    }[strategy.kind]


def _placebo(results: Results) -> str:
    """Return what the placebo is, and what it is compared for."""
    count = numbers.in_words(len(results.dataset.phases))
    strategy = Strategy.parse(results.config.strategy)
    means = "by a hash of the position, which means nothing"
    if strategy.phase_input is not None:
        return (
            "Experts might win because knowing the phase helps, or because their network is a "
            "little larger. To tell these apart there is a placebo: the same network with "
            f"{count} phases given {means}."
        )
    if strategy.kind == "separated":
        return (
            "Experts might win because they specialise, and might lose because each sees only a "
            f"part of the games. To tell these apart there is a placebo: {count} more networks "
            f"that divide the same positions just as thinly, but {means}. Placebo against one "
            "network is what thinner data costs; phase experts against the placebo is what knowing "
            "a phase gives."
        )
    return (
        "Experts might win because they specialise, and might lose because a part of the positions "
        f"counts more for each of them. To tell these apart there is a placebo: {count} more "
        f"networks that learn in the same way, but for parts that are made {means}. Placebo "
        "against one network is what such a division costs; phase experts against the placebo is "
        "what knowing a phase gives."
    )


def _done(results: Results) -> Section:
    data, config = results.dataset, results.config
    removed = numbers.count(sum(sum(split.removed) for split in data.splits))
    again = (
        f" All of this was done {config.trainings} times with different seeds."
        if config.trainings > 1
        else ""
    )
    watched = figures.watched(results.networks, data.phases)
    placebo = ", and so did the placebo experts" if config.placebo else ""
    return Section(
        "What was done",
        [
            Section(
                "The games",
                [
                    Text(
                        f"The games come from {data.source}. They were split, game by game, into "
                        "train (to learn from), validation (to choose the best turn of each "
                        "training) and test (to measure once, at the end). Of the test positions, "
                        f"{removed} were left out because they occur in train too."
                    ),
                    dataset_table(data),
                    figures.phases_by_move(data),
                ],
            ),
            Section(
                "The networks",
                [
                    Text(
                        f"{_alike(config)} The experts together saw as many training positions as "
                        f"the one network alone{placebo}." + again
                    ),
                    *_networks(results.networks),
                    figures.training_losses(results.networks, data.phases),
                    *([figures.phase_losses(watched, results)] if watched else []),
                ],
            ),
        ],
    )


def _alike(config: M2ctsConfig) -> str:
    """Return what all networks have in common."""
    kind = Strategy.parse(config.strategy).kind
    begun = " and start from the same weights"
    if kind == "staged":
        begun = (
            ". The one network and the first stage of the experts start from the same weights, "
            "later stages from the stage before"
        )
    elif kind in _OF_EACH_PHASE:
        begun = (
            f", with {_OF_EACH_PHASE[kind]} for each phase where there are several; what is alike "
            "in them starts from the same weights"
        )
    schedule = "and all follow the same schedule of learning rates."
    if names_network(config.network):
        return f"All networks begin with the trained network {config.network}, {schedule}"
    return f"All networks have the architecture {config.network}{begun}, {schedule}"


def dataset_table(data: Dataset) -> Table:
    """Return games and positions by split and phase."""

    def shares(split: Split) -> str:
        played = max(1, sum(split.results))
        return " / ".join(numbers.whole(100 * result / played) for result in split.results) + " %"

    columns = [
        Column("", "name"),
        Column("games", "games", numbers.count),
        Column("positions", lambda split: sum(split.positions), numbers.count),
        *columns_by(
            range(len(data.phases)),
            lambda split, place: split.positions[place],
            numbers.count,
            head=data.phases.__getitem__,
            below=lambda split, place: f"in {numbers.count(split.reaching[place])} games",
        ),
        Column("removed", lambda split: sum(split.removed), numbers.count),
        Column("won / drawn / lost by who begins", shares),
    ]
    caption = f"Games and positions by split and phase (gate `{data.gate}`)"
    return Table("games", columns, data.splits, caption)


def _networks(cards: Sequence[TrainedNetwork]) -> list[Item]:
    """Return a table for each training; further trainings are folded away."""
    by_training = groupby(sorted(cards, key=lambda card: card.training), lambda one: one.training)
    first, *others = [networks_table(list(own), training) for training, own in by_training]
    if not others:
        return [first]
    last = len(others) + 1
    title = "Training 2" if last == 2 else f"Trainings 2 to {last}"
    return [first, Section(title, others, folded=True)]


def networks_table(cards: Sequence[TrainedNetwork], training: int = 0) -> Table:
    """Return what each network of a training got, and what each mixture amounts to."""
    rows = [(card.name, [card]) for card in cards]
    summed = list(mixtures(cards).items())

    def total(field: str) -> Column:
        heads = {"unique_positions": "unique"}
        return Column(
            heads.get(field, field),
            lambda row: sum(getattr(card, field) for card in row[1]),
            numbers.count,
            below=active if field == "parameters" else None,
        )

    def active(row: tuple[str, list[TrainedNetwork]]) -> str:
        is_mixture = any(row is one for one in summed)
        return numbers.count(max(card.parameters for card in row[1])) if is_mixture else ""

    def alone(head: str, field: str, digits: int) -> Column:
        def value(row: tuple[str, list[TrainedNetwork]]) -> float | None:
            return None if any(row is one for one in summed) else getattr(row[1][0], field)

        return Column(head, value, lambda number: numbers.decimal(number, digits))

    columns = [
        Column("", 0),
        total("parameters"),
        total("positions"),
        total("unique_positions"),
        alone("epochs", "epochs", 2),
        total("updates"),
        alone("validation loss", "validation_loss", 3),
        Column("time", lambda row: sum(card.seconds for card in row[1]), numbers.duration),
    ]
    caption = (
        "What each network got. A mixture has what its experts and the networks that they began "
        "from have together. Every position passes through one expert: below, the parameters that "
        "are active for a position. Validation loss: the lowest, of the checkpoint that was kept."
    )
    return Table(
        "networks" if training == 0 else f"networks, training {training + 1}",
        columns,
        [*rows, *summed],
        caption if training == 0 else f"Training {training + 1}",
        strong=lambda row: any(row is one for one in summed),
    )


def _certainty(results: Results) -> Section:
    expected = expectation(results)
    more = [Section("What was to be expected at this size", [Text("\n\n".join(expected))])]
    return Section("How sure is it", [bullets(_carry(results)), *(more if expected else [])])


def _carry(results: Results) -> list[str]:
    """Return how far the intervals carry."""
    spread, total = results.matches.spread, results.matches.total
    unsaid = los_unsaid(total.pentanomial)
    chance = (
        "and the chance that the experts as trained here are the stronger side (LOS) is "
        f"{numbers.chance(total.los)}."
        if unsaid is None
        else f"and the chance that the experts are the stronger side (LOS) is unknown: {unsaid}."
    )
    games = (
        f"**Games.** {numbers.count(total.games)} games in "
        f"{numbers.count(sum(total.pentanomial))} pairs, each opening played from both sides. "
        "Counting games only, the difference is "
        f"{numbers.elo_interval(results.matches.elo_games_only)} Elo, {chance}"
    )
    if spread is None:
        low, high = published.NOTEBOOK_GAINS
        trainings = (
            "There was one training of each side, so nothing here says how another training would "
            "have come out. That chance is not small: the paper reports about "
            f"{numbers.signed(published.ELO_MEAN, 0)} Elo, a second pair of trainings in its "
            f"author's notebook only +{low} to +{high}. A claim about the method needs several "
            "trainings (`--trainings 8`)."
        )
    else:
        count = results.config.trainings
        trainings = (
            f"{count} mixtures played {count} baselines. Between trainings, the mixtures scatter "
            f"by {numbers.whole(spread.first_sd)} Elo and the baselines by "
            f"{numbers.whole(spread.second_sd)} Elo (standard deviations); the games alone would "
            f"scatter one pairing by {numbers.whole(spread.games_sd)} Elo. The interval of the "
            "main figure is about new trainings, not about these networks."
        )
    between = ""
    if results.config.trainings > 1:
        deviation = numbers.decimal(comparison(results.losses, "both").deviation, 4)
        between = (
            "; their intervals count trainings first (the total loss difference scatters by "
            f"{deviation} between trainings)"
        )
    positions = (
        "**Test positions.** Loss differences are resampled "
        f"{numbers.count(results.losses.resamples)} times over "
        f"{numbers.count(results.losses.games)} test games, because positions of one game resemble "
        f"each other{between}."
    )
    return [games, f"**Trainings.** {trainings}", positions, *_contradiction(results)]


def _contradiction(results: Results) -> list[str]:
    """Return a word on loss and strength pointing in different directions, if they do."""
    interval = comparison(results.losses, "both").differences[ALL]["total"]
    if interval is None or not math.isfinite(results.matches.elo.value):
        return []
    both = {verdict(interval), _elo_verdict(results)}
    if both not in ({"lower"}, {"higher"}):
        return []
    text = (
        "**Loss and strength disagree here.** Loss is measured on positions from the stored games. "
        "A search mostly visits positions that nobody would play, and there experts and one "
        "network may compare differently."
    )
    return [text]

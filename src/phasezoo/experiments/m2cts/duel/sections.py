"""The report's main sections: the question, the work, losses, games."""

from collections.abc import Sequence

from phasezoo.experiments.m2cts.duel import figures, story, tables
from phasezoo.experiments.m2cts.duel.diagram import pipeline
from phasezoo.experiments.m2cts.duel.results import Results
from phasezoo.experiments.m2cts.duel.titles import TITLES
from phasezoo.experiments.report import numbers
from phasezoo.experiments.report.html import (
    Html,
    code,
    details,
    figure,
    heading,
    items,
    join,
    paragraph,
    section,
    strong,
)

__all__ = ["asked", "done", "losses", "match"]


def asked(results: Results) -> Html:
    """What experts, a gate, M2CTS and a placebo are."""
    phases, gate = results.dataset.phases, results.dataset.gate
    nodes = numbers.count(results.config.nodes)
    return section(
        "asked",
        TITLES["asked"],
        paragraph(
            "A neural network looks at a position and says two things: which moves look "
            "promising, and who is likely to win. A tree search (Monte-Carlo tree search, ",
            strong("MCTS"),
            f") asks it about {nodes} positions before every move and plays the move that held up "
            "best.",
        ),
        paragraph(
            "A ",
            strong("gate"),
            " is a rule that names the phase of a position. The gate of this run, ",
            code(gate),
            f", knows {_plural(len(phases), 'phase')}: {_listing(phases)}. An ",
            strong("expert"),
            " is a network trained only on the positions of one phase. ",
            strong("M2CTS"),
            " is the same search, except that every position is put to the expert of its own "
            "phase.",
        ),
        figure(
            pipeline(phases),
            "How a position is judged. Above: one network for everything. Below: the gate names "
            "the phase, and that phase’s expert answers. The search around it is the same.",
            1,
        ),
        paragraph(
            "Experts might win because they specialise, and might lose because each sees only a "
            "part of the games. To tell these apart there is a ",
            strong("placebo"),
            f": {_plural(len(phases), 'more network')} that divide the same positions just as "
            "thinly, but by a hash of the position, which means nothing. Placebo against one "
            "network is what thinner data costs; phase experts against the placebo is what "
            "knowing a phase gives.",
        ),
    )


def done(results: Results) -> Html:
    """The games and the networks."""
    dataset, config = results.dataset, results.config
    repeated = (
        f" All of this was done {config.trainings} times with different seeds."
        if config.trainings > 1
        else ""
    )
    removed = sum(sum(s.removed) for s in dataset.splits)
    return section(
        "done",
        TITLES["done"],
        heading("The games"),
        paragraph(
            f"The games come from {dataset.source}. They were split, game by game, into train (to "
            "learn from), validation (to choose the best moment of each training) and test (to "
            "measure once, at the end). Of the test positions, "
            f"{numbers.count(removed)} were left out because they occur in train too.",
        ),
        tables.dataset(dataset),
        figure(
            figures.phases_by_move(dataset),
            join("Positions of each phase by move number. ", tables.phase_starts(dataset)),
            2,
        ),
        heading("The networks"),
        paragraph(
            "All networks have the same architecture, ",
            code(config.network),
            ", start from the same weights and follow the same schedule of learning rates. The "
            "experts together saw as many training positions as the one network alone, and so "
            f"did the placebo experts.{repeated}",
        ),
        tables.networks(results.networks),
        figure(
            figures.training_losses(results.networks, dataset.phases),
            "Loss while training: lines are training losses (means over stretches), dots are "
            "losses on validation positions of the network’s own kind. Phases differ in "
            "difficulty, so curves of different experts say little about each other.",
            3,
        ),
    )


def losses(results: Results) -> Html:
    """The loss matrix and what it says."""
    losses = results.losses
    return section(
        "losses",
        TITLES["losses"],
        paragraph(
            "The loss says how badly a network predicts the move that was played and the result "
            "of the game, on positions it has never seen; less is better. Every expert was also "
            "measured on phases that are not its own, where it is not meant to be used.",
        ),
        paragraph(story.removed_sentence(results.dataset)),
        tables.loss_heat(losses),
        heading("Specialisation against thinner data"),
        items(story.loss_sentences(results)),
        figure(
            figures.loss_forest(losses),
            "Differences of total loss with 95 % intervals. Left of zero is better. The first "
            "two of each group add up to the third.",
            4,
        ),
        details(
            "All numbers: total, policy and value loss, policy accuracy",
            paragraph(
                "Total = 0.01 · value loss + 0.99 · policy loss, as in the paper. Policy: "
                "cross-entropy of the played move over all actions, in nats. Value: squared "
                "error of the predicted result in [−1, 1]. Accuracy: share of positions whose "
                "likeliest action is the one played. In brackets: 95 % interval of the "
                "difference to one network.",
                class_="muted",
            ),
            *tables.loss_numbers(losses),
        ),
    )


def match(results: Results) -> Html:
    """The games between the searches."""
    matches, config = results.matches, results.config
    total = matches.total
    drops = (
        f" {numbers.count(results.dataset.openings_dropped)} openings were left out because their "
        "last position occurs in the games that were trained on."
        if results.dataset.openings_dropped
        else ""
    )
    label = "M2CTS over MCTS" if config.trainings == 1 else "M2CTS over MCTS, new trainings"
    return section(
        "match",
        TITLES["match"],
        paragraph(
            f"{numbers.count(total.games)} games, {matches.limit} for both sides; routing ",
            code(config.routing),
            f", {_plural(config.search_batch, 'leaf', 'leaves')} a tree at a time. Every opening "
            "was played twice, with colours changed, so that a lopsided opening favours "
            f"nobody.{drops}",
        ),
        tables.match(matches),
        figure(
            figures.elo_forest(matches, label),
            "This run beside the paper’s figures, with 95 % intervals. The paper’s networks are "
            "larger and saw far more games, so the comparison is of direction, not of size.",
            5,
        ),
        figure(
            figures.game_bars(matches),
            "All games of M2CTS: results, scores of pairs of games with the same opening, and "
            f"how the games ended. Mean length {numbers.decimal(total.mean_plies, 0)} half-moves; "
            f"{_plural(total.duplicates, 'game repeats', 'games repeat')} an earlier one move for "
            "move.",
            6,
        ),
        heading("What each side asked of its networks"),
        tables.sides(total),
        paragraph(story.cost_sentence(total)),
        paragraph(
            "A row is one position put to a network, a call is one batch of rows. Rows of "
            "another phase are positions that an expert of a different phase answered. Equal "
            "nodes is the main comparison; seconds depend on the machine and on how rows happen "
            "to fill batches.",
            class_="muted",
        ),
        *tables.pairings(matches),
    )


def _listing(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]


def _plural(number: int, one: str, many: str | None = None) -> str:
    return f"{numbers.spelled(number)} {one if number == 1 else many or one + 's'}"

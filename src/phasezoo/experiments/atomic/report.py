"""Report of a run: what was learned, the matches, the search, and the thesis' claims."""

from collections.abc import Sequence

from phasezoo.experiments.atomic import figures, published
from phasezoo.experiments.atomic.config import VARIANTS
from phasezoo.experiments.atomic.measurements import (
    CollisionRow,
    MoveCost,
    OneMate,
    Results,
    WorkerRow,
)
from phasezoo.experiments.claims import BY_ELO, by_no_gain, by_sign, either, judged
from phasezoo.experiments.learning import LearningRun, ladder_figure
from phasezoo.experiments.matches import MatchSummary, result_columns
from phasezoo.experiments.study import study_report, took
from phasezoo.report import numbers
from phasezoo.report.document import (
    Claim,
    Column,
    Document,
    Item,
    Section,
    Table,
    Text,
    judgements,
    published as column_of,
)

_BY_COUNT = "counted, so no interval: agrees if the counts are ordered so"


def report(results: Results) -> Document:
    """Return the report."""
    claims = claims_of(results)
    config = results.config
    size = "of the size of" if config.preset == "paper" else "smaller than"
    own = results.runs[0]
    learning: list[Item] = [figures.losses(results.runs)]
    if own.ladder:
        learning.append(ladder_figure(own, "the thesis’ variant", "untrained weights"))
    if any(len(one.numbers) > 1 for one in own.probes):
        learning.append(figures.mates(own))
    if results.mate is not None:
        learning.append(figures.one_mate(results.mate))
    return study_report(
        results,
        [
            Section(
                "The thesis’ claims",
                [
                    Text(
                        f"{published.CITATION}. Verdicts follow the rule beside each claim; this "
                        f"run is {size} the thesis’, so a verdict is of this size."
                    ),
                    *claims,
                ],
            ),
            Section("Learning by play", [*learning, learning_table(results.runs)]),
            Section("Matches", _matches(results)),
            Section("The search and its cost", _search(results)),
        ],
        title="Can a network teach itself atomic chess?",
        headline=_headline(results, claims),
        lead=(
            "It begins with random weights, plays against itself, and learns from what its "
            "searches found. What must its memory of games be like, and what does the search cost?"
        ),
        subject="reproduce atomic",
        source="thesis",
        answer=[Text(_introduction(results))],
        terms=_TERMS,
        limits=_LIMITS,
        beside=(
            "every network and game (learn/), the matches (matches/), all numbers (results.json), "
            "the settings (config.json)."
        ),
    )


_TERMS = """\
- **Untrained**: the random weights that the thesis’ variant began with, with as many nodes.
- **Collision**: a descent of a batch that meets a leaf that another descent of it waits for.
- **Virtual loss**: descents that wait count as lost until their answer comes, which sends later
  ones elsewhere.
- **Policy loss**: cross-entropy of the network’s policy with what the search found, over the
  samples of a round.
- **95 % interval**: over pairs of games from one opening. There is one training each: how a
  training happened to come out is not in it.
"""

_LIMITS = """\
- One training a variant: differences between variants hold for these trainings, not for the
  methods.
- Networks, searches and rounds are much smaller than the thesis’, unless the preset is paper.
- Nodes are positions evaluated; the thesis counts simulations, which visit known ends too.
- Moves of matches are drawn in proportion to visits in the first 12 plies, so that games differ. In
  the matches between versions all moves are drawn so, as self-play does, and network and search
  decide less: ratings of the two kinds do not add up.
"""


def learning_table(trainings: Sequence[LearningRun]) -> Table:
    """Return the results of learning, one variant a row."""
    columns = [
        Column("variant", "name"),
        Column("what it is", lambda training: _title(training.name), prose=True),
        Column("games", lambda training: training.rounds[-1].games, numbers.count),
        Column("samples learned", lambda training: training.rounds[-1].learned, numbers.count),
        Column("policy loss", lambda training: training.rounds[-1].policy_loss, numbers.decimal),
        Column("value loss", lambda training: training.rounds[-1].value_mse, numbers.decimal),
        Column("plies a game", lambda training: training.rounds[-1].plies, numbers.whole),
        Column("time", "seconds", numbers.duration),
    ]
    return Table("learning", columns, trainings, "Learning by play")


def matches_table(name: str, matches: Sequence[tuple[str, MatchSummary]], caption: str) -> Table:
    """Return matches, one a row."""
    columns = [
        Column("", 0),
        *result_columns(lambda row: row[1]),
        Column("decided won as White", lambda row: _moving_first(row[1]), numbers.percent),
        Column("as Black", lambda row: _moving_second(row[1]), numbers.percent),
    ]
    return Table(name, columns, matches, caption)


def _moving_first(match: MatchSummary) -> float | None:
    """Return the share of decided games that the first player won where it moved first."""
    won, _, lost = match.moving or (0, 0, 0)
    return won / (won + lost) if won + lost else None


def _moving_second(match: MatchSummary) -> float | None:
    """Return the share of decided games that it won where it moved second."""
    if match.moving is None:
        return None
    won, lost = match.wins - match.moving[0], match.losses - match.moving[2]
    return won / (won + lost) if won + lost else None


def beaten_table(untrained: Sequence[MatchSummary], thesis: Sequence[MatchSummary]) -> Table:
    """Return the matches of last versions."""
    named = [(f"{one.first} v {one.second}", one) for one in (*untrained, *thesis)]
    caption = "Last versions against untrained weights, and against the thesis’ variant"
    return matches_table("matches", named, caption)


def _matches(results: Results) -> list[Item]:
    phases = [(f"from the {phase}", one) for phase, one in results.from_phases.items()]
    styles = (f"{results.styles.first} v {results.styles.second}", results.styles)
    columns = [
        Column("the thesis: 1,000 games, 3,000 simulations", lambda row: f"{row[0]} v {row[1]}"),
        Column("decided games won", lambda row: row[2] / 100, numbers.percent),
    ]
    return [
        beaten_table(results.against_untrained, results.against_thesis),
        matches_table(
            "starts and styles",
            [*phases, styles],
            "The thesis’ variant from where its games reach a phase, against untrained weights; "
            "and without virtual loss against with it, at equal nodes",
        ),
        Table("matches of the thesis", columns, published.MATCHES, "Published, for comparison"),
    ]


def _search(results: Results) -> list[Item]:
    searched, config = results.searched, results.config
    styles = {"none": "without virtual loss", "virtual_loss": "with virtual loss"}
    collisions = [
        Column("", lambda row: styles[row.style]),
        Column("simulations", "simulations", numbers.count),
        Column("collisions a move", "collisions", numbers.count),
        column_of(lambda row: _published_collisions(row), numbers.count, by="the thesis"),
        Column("simulations a second", "rate", numbers.count),
    ]
    batches = [
        Column("leaves a call", "rows"),
        Column("network alone, positions a second", "rate", numbers.count),
        Column("search, simulations a second", "engine", numbers.count),
    ]
    move = searched.move
    parts = [
        ("network", move.network_ms, f"{published.MOVE_MS['network']:.0f} ms"),
        ("search", move.search_ms, f"{published.MOVE_MS['search']:.0f} ms"),
        ("as many lists of legal moves", move.moves_ms, "below 1 ms"),
    ]
    costs = [
        Column(f"a move of {numbers.count(move.simulations)} simulations", 0),
        Column("here", 1, lambda milliseconds: f"{numbers.decimal(milliseconds, 1)} ms"),
        column_of(2, by="the thesis, 800 on an RTX 3060"),
    ]
    workers = [
        Column("processes", "workers"),
        Column("games an hour", "games", numbers.count),
        Column("positions a second", "positions", numbers.count),
    ]
    hours = published.POSITIONS / searched.workers[-1].positions / 3600
    return [
        figures.costs(searched),
        Table("collisions", collisions, searched.collisions, f"Batches of {config.search_batch}"),
        Table(
            "leaves a call",
            batches,
            searched.batches,
            f"One search of {numbers.count(move.simulations)} simulations at a time",
        ),
        Table("time of a move", costs, parts),
        Table(
            "processes",
            workers,
            searched.workers,
            "Self-play with one thread a process; the thesis: "
            f"{numbers.count(published.GAMES_AN_HOUR)} games an hour on an A100 with 32 cores",
        ),
        Text(
            f"At the last rate the thesis’ {numbers.count(published.POSITIONS)} positions would "
            f"take this machine {numbers.count(hours)} hours of play, with this run’s network and "
            f"{config.nodes} nodes a move."
        ),
    ]


def _published_collisions(row: CollisionRow) -> int | None:
    pair = published.COLLISIONS.get(row.simulations)
    return None if pair is None else pair[row.style == "virtual_loss"]


def _title(variant: str) -> str:
    """Return the full name of a variant of learning."""
    return VARIANTS.get(variant, f"the pieces and {variant.replace('-', ' ')}")


def _headline(results: Results, claims: Sequence[Claim]) -> str:
    own = results.against_untrained[0]
    agree, disagree, open_ = judgements(claims).values()
    return (
        f"After {numbers.count(results.runs[0].rounds[-1].games)} games against itself the "
        f"network stands at {numbers.elo_interval(own.elo)} Elo beside untrained weights; of "
        f"{agree + disagree + open_} claims {agree} agree, {disagree} disagree, {open_} are not "
        "settled"
    )


def _introduction(results: Results) -> str:
    config = results.config
    trainings = len(results.runs)
    return (
        f"{numbers.in_words(trainings).capitalize()} network{'s' if trainings > 1 else ''} "
        f"({config.network.split(':')[0]}) learned atomic chess from random weights, by play "
        f"against themselves alone: {config.updates} rounds of {config.games} games with "
        f"{config.nodes} nodes a move each. Matches are of {config.match_games} games with "
        f"{config.match_nodes} nodes a move. In total it {took(results)}."
    )


def claims_of(results: Results) -> list[Claim]:
    """Return every claim of the thesis that a run can judge."""
    trainings, searched = results.runs, results.searched
    untrained = {one.first: one for one in results.against_untrained}
    own = {one.first: one for one in results.against_thesis}
    found = [_learns(results.against_untrained[0], trainings[0]), *_ladder(trainings[0])]
    if "last-step" in untrained:
        found.append(_last_step(untrained["last-step"], own["last-step"]))
    if "whole-buffer" in own:
        found.append(_whole_buffer(own["whole-buffer"]))
    found += [_white(results.itself), *_mates(trainings[0])]
    if results.mate is not None:
        found.append(_one_mate(results.mate))
    found.append(_collisions(searched.collisions))
    found.append(_network(searched.move))
    if len(searched.workers) > 1:
        found.append(_workers(searched.workers))
    return found


def _learns(match: MatchSummary, training: LearningRun) -> Claim:
    judgement = by_sign(match.elo, "higher")
    if judgement == "disagrees" and training.rounds[-1].learned < published.POSITIONS:
        judgement = "not settled"  # a little learning is no test of much
    white, black = map(numbers.percent, published.FIRST_BY_COLOUR)
    return Claim(
        text=(
            "Learning by play from random weights works: the first model wins "
            f"{numbers.percent(published.FIRST_AGAINST_UNTRAINED)} of its decided games against "
            f"untrained weights ({white} as White, {black} as Black), later ones all of them."
        ),
        ours=(
            f"The last version won {_decided(match)} of its decided games; Elo "
            f"{numbers.elo_interval(match.elo)}."
        ),
        rule=(
            "agrees if the whole 95 % interval of the Elo difference lies above zero, disagrees if "
            f"it lies below after as many samples as the thesis learned, "
            f"{numbers.count(published.POSITIONS)}"
        ),
        judgement=judgement,
    )


def _ladder(training: LearningRun) -> list[Claim]:
    if len(training.ladder) < 3:
        return []
    first, last = training.ladder[1], training.ladder[-1]
    gains = last.value - first.value
    theirs = [won for _, beaten, won in published.MATCHES if beaten == "M-0"]
    wins = " and ".join(numbers.percent(won / 100) for won in theirs)
    return [
        Claim(
            text=(
                "Strength grows with training, fast at first: M-4000 and M-8000 win "
                f"{wins} of their decided games against M-0."
            ),
            ours=(
                f"Version {last.name} rates {numbers.signed(gains, 0)} Elo beside version "
                f"{first.name}, over matches between {len(training.ladder)} versions."
            ),
            rule="agrees if the 95 % intervals of the two ratings do not meet",
            judgement=judged(agrees=last.low > first.high, disagrees=last.high < first.low),
        )
    ]


def _last_step(match: MatchSummary, beside: MatchSummary) -> Claim:
    return Claim(
        text=(
            "A buffer that holds the last step’s samples alone learns nothing "
            f"({numbers.percent(published.LAST_STEP_AGAINST_UNTRAINED, 0)} against untrained "
            "weights)."
        ),
        ours=(
            f"It won {_decided(match)} of its decided games against untrained weights (Elo "
            f"{numbers.elo_interval(match.elo)}), and stands at "
            f"{numbers.elo_interval(beside.elo)} Elo beside the thesis’ buffer."
        ),
        rule=(
            "agrees if the 95 % interval against untrained weights lies below +50 Elo, disagrees "
            "if it lies above zero"
        ),
        judgement=by_no_gain(match.elo, 50),
    )


def _whole_buffer(match: MatchSummary) -> Claim:
    return Claim(
        text="Learning the whole buffer in every step overfits; mini-batches mend it.",
        ours=(
            "The variant that learns the whole buffer stands at "
            f"{numbers.elo_interval(match.elo)} Elo beside mini-batches."
        ),
        rule=BY_ELO,
        judgement=by_sign(match.elo, "lower"),
    )


def _white(itself: MatchSummary) -> Claim:
    low, high = (f"{share:g}" for share in sorted(published.SELF_MATCHES.values()))
    share = itself.mover
    return Claim(
        text=f"A model that plays itself wins more as White ({low} and {high} %).",
        ours=(
            f"White took {numbers.percent(share.value)} of the points "
            f"({numbers.between(numbers.percent(share.low), numbers.percent(share.high))})."
        ),
        rule="agrees if the 95 % interval lies above one half, disagrees if it lies below",
        judgement=judged(agrees=share.low > 0.5, disagrees=share.high < 0.5),
    )


def _mates(training: LearningRun) -> list[Claim]:
    """Return the first and the last version of the same positions, by network and by search."""
    probed = [one for one in training.probes if len(one.numbers) > 1]
    if len(probed) < 2:
        return []
    first, last = probed[0].numbers, probed[-1].numbers
    (alone, *_), (*_, search) = first, first
    return [
        Claim(
            text="Search finds a mate in two at once, the network alone after some training.",
            ours=(
                f"Of the mates in two, untrained weights found {numbers.percent(first[alone])} "
                f"alone and {numbers.percent(first[search])} with {search}; the last version "
                f"{numbers.percent(last[alone])} and {numbers.percent(last[search])}."
            ),
            rule=(
                "agrees if untrained weights find more with search than alone, and the trained "
                "network alone finds more than the untrained"
            ),
            judgement=judged(
                agrees=first[search] > first[alone] and last[alone] > first[alone],
                disagrees=first[search] < first[alone],
            ),
        )
    ]


def _one_mate(found: OneMate) -> Claim:
    first, last = found.rows[0], found.rows[-1]
    at = next((row.games for row in found.rows if row.network_finds), None)
    alone = "never does" if at is None else f"does after {numbers.plural(at, 'game')}"
    return Claim(
        text=(
            "From one mate in two search finds the move at once, the network after a few of "
            f"{published.MATE_GAMES} games."
        ),
        ours=(
            f"Before any game search gives it {numbers.percent(first.search)} of its visits, the "
            f"network {numbers.percent(first.network)}; after {numbers.count(last.games)} games "
            f"{numbers.percent(last.search)} and {numbers.percent(last.network)}. The network "
            f"alone {alone} play it."
        ),
        rule=(
            "agrees if search plays it before any game and the network alone does after all of "
            "them, disagrees if search does not"
        ),
        judgement=judged(
            agrees=first.search_finds and last.network_finds, disagrees=not first.search_finds
        ),
    )


def _collisions(rows: Sequence[CollisionRow]) -> Claim:
    without, with_loss = (
        {row.simulations: row for row in rows if row.style == style}
        for style in ("none", "virtual_loss")
    )
    ours = "; ".join(
        f"{numbers.count(without[n].collisions)} without and "
        f"{numbers.count(with_loss[n].collisions)} with it at {numbers.count(n)} simulations"
        for n in without
    )
    theirs = "; ".join(
        f"{numbers.count(a)} and {numbers.count(b)} at {numbers.count(n)}"
        for n, (a, b) in published.COLLISIONS.items()
    )
    return Claim(
        text=f"Without virtual loss a search collides all the time ({theirs} simulations).",
        ours=f"Collisions a move: {ours}.",
        rule=_BY_COUNT,
        judgement=either(all(with_loss[n].collisions < without[n].collisions for n in without)),
    )


def _network(cost: MoveCost) -> Claim:
    share = cost.network_ms / (cost.network_ms + cost.search_ms)
    return Claim(
        text=(
            "The network takes most of a move’s time "
            f"({numbers.percent(published.NETWORK_SHARE, 0)}), listing legal moves almost none."
        ),
        ours=(
            f"At {numbers.count(cost.simulations)} simulations the network took "
            f"{numbers.percent(share)} of {cost.network_ms + cost.search_ms:.0f} ms; as many lists "
            f"of legal moves take {cost.moves_ms:.1f} ms."
        ),
        rule="agrees if the network’s share is above one half",
        judgement=either(share > 0.5),
    )


def _workers(rows: Sequence[WorkerRow]) -> Claim:
    first, last = rows[0], rows[-1]
    factor = (last.games / first.games) / (last.workers / first.workers)
    return Claim(
        text="Games an hour grow in proportion to the processes, up to 15 of them.",
        ours=(
            f"{numbers.count(first.games)} games an hour with {first.workers} and "
            f"{numbers.count(last.games)} with {last.workers}: {numbers.percent(factor, 0)} of "
            "proportional."
        ),
        rule="agrees from 80 % of proportional on, for as many processes as the machine has cores",
        judgement=judged(agrees=factor >= 0.8, disagrees=False),
    )


def _decided(match: MatchSummary) -> str:
    decided = match.wins + match.losses
    share = match.wins / decided if decided else None
    return f"{numbers.percent(share)} ({match.wins} of {decided})"

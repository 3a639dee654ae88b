"""Report of a run: rates, games, matches, training steps, and the note's claims."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.beam import published
from phasezoo.experiments.beam.config import BeamStudyConfig
from phasezoo.experiments.beam.measurements import (
    BEAM,
    MCTS,
    PUSHING,
    Batches,
    MatchResult,
    Played,
    Rate,
    Results,
    diversity,
    faster,
)
from phasezoo.experiments.claims import by_sign, either
from phasezoo.experiments.learning import ladder_figure
from phasezoo.experiments.study import study_report, took
from phasezoo.report import numbers, plots
from phasezoo.report.document import (
    Claim,
    Column,
    Document,
    Figure,
    Item,
    Section,
    Table,
    Text,
    estimate,
)

_tenths, _hundredths = (partial(numbers.decimal, digits=digits) for digits in (1, 2))

_divergence = partial(numbers.plain_interval, digits=3)

_NEAR = 0.01
"""How far batches may be from the note's rows, as a share: positions with few legal moves keep
fewer."""


def report(results: Results) -> Document:
    """Return the report."""
    config, ratio = results.config, faster(results.rates)
    rows = steady(config, results.batches)
    first = len(results.batches.apart) - len(rows) + 1
    calls = (
        f"Rows of each call, {numbers.in_words(config.games_at_once)} games of chess with beams of "
        f"{config.schedule}. From call {first} on, games a layer apart give "
        f"{numbers.count(min(rows))} to {numbers.count(max(rows))} rows; positions "
        "with fewer moves than are kept, and ends, give fewer."
    )
    rates: list[Item] = [
        rates_table(config, results.rates),
        Text(
            f"Beam search over MCTS with the network: {numbers.plain_interval(ratio)} times as "
            "many positions a second."
        ),
    ]
    matches: list[Item] = [
        _strength_figure(
            results.matches,
            "The beam’s Elo less that of MCTS, with 95 % intervals from pairs of games. Equal time "
            "is by the rates of both, with as many games at once as in the measurement.",
        ),
        matches_table(results.matches),
    ]
    return study_report(
        results,
        [
            Section("The note’s claims", [Text(_CLAIMS), *claims_of(results)]),
            Section("Rows by call", [_rows_figure(config, results.batches, calls)]),
            Section("Positions a second", rates),
            Section("Self-play", [played_table(config, results.played)]),
            Section("Strength", matches),
            Section("Steps a cycle", [Text(_steps(config)), _stale_table(results)]),
            *_learning(results),
        ],
        title="Beam search in place of MCTS?",
        headline=_headline(results, ratio),
        lead=(
            "MCTS asks its network about one position after another, beam search about a whole "
            "layer at once. What does that change in speed, in the games, and in strength?"
        ),
        subject="reproduce beam",
        source="note",
        answer=[Text(_introduction(results))],
        terms=_terms(config),
        limits=_LIMITS,
        beside=(
            "counts and rates (batches.json, rates.json), the games (games/, match-*.jsonl), all "
            "numbers (results.json), the settings (config.json) and versions."
        ),
    )


_CLAIMS = (
    f"{published.CITATION}. It plans for one A100; what it says of seconds is not comparable with "
    "this machine’s."
)


def _steps(config: BeamStudyConfig) -> str:
    return (
        "A cycle’s games are played by one network, which is stale by the time its steps are done. "
        "Each row begins with the same network and learns from the beam’s games, "
        f"{config.batch} positions a step, at a constant rate of learning."
    )


def _terms(config: BeamStudyConfig) -> str:
    return f"""\
- **Beam**: Every kept position keeps its likeliest successors, so many as its layer says; values go
  back to the root by minimax.
- **Row, call**: A position that the network is asked about; all that it is asked about at once.
- **Own positions**: The share of a game’s positions that no other game of the same search met, in
  the mean over games.
- **95 % interval**: Of shares over {numbers.count(config.resamples)} draws of games with
  replacement; of Elo from pairs of games; of the ratio of rates by Student’s t over measurements.
"""


_LIMITS = """\
- One small network that was trained on games, not by either search; matches and rates are its own,
  but for those of “Learning by play”.
- MCTS has no solver and begins every search anew, as beams do; its constants are those of match
  play.
- How sharp the beam’s policy is, and so how its games differ, hangs on a temperature that the note
  does not give (ours: 0.1).
- On a CPU a call of a few rows costs little more a row than a large one; on an accelerator the
  difference is what the note is about.
"""


def rates_table(config: BeamStudyConfig, rates: Sequence[Rate]) -> Table:
    """Return how fast each search is."""
    columns = [
        Column("", lambda rate: rate.name if rate.with_network else f"{rate.name}, no network"),
        Column("positions a second", "rows_a_second", numbers.count),
        Column("positions a move", lambda rate: rate.rows_of_one / rate.searches, numbers.count),
        Column("calls", "calls", numbers.count),
        Column("rows a call", lambda rate: rate.rows_of_one / rate.calls, _tenths),
        Column("seconds", lambda rate: sum(rate.seconds) / len(rate.seconds), _hundredths),
    ]
    caption = (
        f"{numbers.in_words(config.games_at_once).capitalize()} games at once, "
        f"{config.repeats} measurements of {rates[0].searches} searches each; calls of one"
    )
    return Table("rates", columns, rates, caption)


def played_table(config: BeamStudyConfig, played: Sequence[Played]) -> Table:
    """Return the games of self-play of each search."""
    columns = [
        Column("", "name"),
        Column("games", "games"),
        Column("plies", "plies", numbers.count),
        Column("of them searched", "searched", numbers.count),
        Column("positions", "rows", numbers.count),
        Column("plies a second", lambda one: one.plies / one.seconds, _tenths),
        Column("own positions", "distinct", numbers.plain_interval),
        Column("policy, bits", "entropy", _hundredths),
    ]
    caption = (
        f"Games cut at {config.plies} plies. All actions are drawn at temperature 1, but three "
        "plies a search are the best ones, after one of 400 openings"
    )
    return Table("self-play", columns, played, caption)


def matches_table(matches: Sequence[MatchResult], name: str = "matches") -> Table:
    """Return the matches of the beam against MCTS."""
    columns = [
        Column("", "name"),
        Column("games", "games"),
        Column("won", "wins"),
        Column("drawn", "draws"),
        Column("lost", "losses"),
        Column("Elo", "elo", numbers.elo_interval),
        Column("positions a move: beam", lambda one: one.rows[0], numbers.whole),
        Column("MCTS", lambda one: one.rows[1], numbers.whole),
    ]
    return Table(name, columns, matches)


def _stale_table(results: Results) -> Table:
    columns = [
        Column("training steps of a cycle", "steps"),
        Column("divergence of the policy, nats", "divergence", _divergence),
        estimate("other likeliest move", "changed", numbers.percent),
    ]
    positions = numbers.count(results.stale[0].positions)
    caption = f"At {positions} positions of those games; with 95 % intervals"
    return Table("steps a cycle", columns, results.stale, caption)


def _learning(results: Results) -> list[Section]:
    """Return the rounds of learning by play, and what they did to its strength."""
    config, run = results.config, results.learned
    if run is None:
        return []
    ratings = {rating.name: rating for rating in run.ladder}
    columns = [
        Column("round", "update"),
        Column("games", "games", numbers.count),
        Column("samples learned", "learned", numbers.count),
        Column("policy loss", "policy_loss", _hundredths),
        Column("value loss", "value_mse", _hundredths),
        Column("plies a game", "plies", numbers.whole),
        Column("playing", "playing", numbers.duration),
        Column("learning", "learning", numbers.duration),
        Column(
            "Elo above round 0",
            lambda one: ratings[str(one.update)].interval if str(one.update) in ratings else None,
            numbers.elo_interval,
        ),
    ]
    text = (
        f"A round plays {numbers.count(config.cycle_games)} games by beams, "
        f"{published.PUSHED} plies of the best variation at a search and so without drawn moves, "
        f"and takes a training step for every {config.batch} new samples. Starts: "
        f"{', '.join(config.starts) or _STARTS}. Versions then play each other by the same beams."
    )
    ladder = [ladder_figure(run, "the versions", "round 0")] if len(run.ladder) > 1 else []
    matches = matches_table(results.grown, "matches after learning")
    table = Table("learning by play", columns, run.rounds)
    return [Section("Learning by play", [Text(text), *ladder, table, matches])]


_STARTS = (
    "one of White’s 20 first moves, one of the 400 positions after a reply, a position of the "
    "package’s sample games, a third each"
)


def _rows_figure(config: BeamStudyConfig, found: Batches, caption: str) -> Figure:
    """Show rows by call, of games a layer apart and in step."""
    rows_of_note = published.BLOCK_ROWS.get(config.games_at_once)

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 3.4)
        for rows, colour, name in (
            (found.in_step, plots.BASELINE, "games in step"),
            (found.apart, plots.PHASE, "games a layer apart"),
        ):
            calls = range(1, len(rows) + 1)
            plot.step(calls, rows, where="mid", color=colour, label=name, linewidth=1.6)
            plot.plot(calls, rows, "o", color=colour, markersize=3)
        if rows_of_note is not None:
            plot.axhline(rows_of_note, color=plots.PAPER, linestyle="--", linewidth=1)
            plot.annotate(
                f"{numbers.count(rows_of_note)} (the note)",
                (len(found.apart), rows_of_note), xytext=(0, 4), textcoords="offset points",
                ha="right", color=plots.PAPER, fontsize=9,
            )  # fmt: skip
        plot.set_xlabel("call of the network")
        plot.set_ylabel("rows")
        plot.set_ylim(0)
        plots.legend(plot, loc="lower right", fontsize=9)
        return figure

    words = (
        f"Rows of each call of {config.games_at_once} games. A layer apart they come to "
        f"{found.apart[-1]}; in step they swing between {min(found.in_step)} and "
        f"{max(found.in_step)}."
    )
    return Figure("rows-by-call", draw, caption, words)


def _strength_figure(matches: Sequence[MatchResult], caption: str) -> Figure:
    """Show Elo of the beam against MCTS with intervals."""
    rows = [
        plots.Estimate(f"at {one.name} ({numbers.count(one.nodes)} nodes)", one.elo, plots.PHASE)
        for one in matches
    ]
    groups, hints = [("Beam against MCTS", rows)], ("MCTS is stronger", "beam search is stronger")
    return plots.comparison("strength", groups, "Elo", 0, caption, hints=hints)


def _headline(results: Results, ratio: Interval) -> str:
    first, second = results.matches
    return (
        f"Beam search is {numbers.elo_interval(first.elo)} Elo from MCTS at {first.name}, "
        f"{numbers.elo_interval(second.elo)} at {second.name}, and sees "
        f"{numbers.decimal(ratio.value, 2)} times as many positions a second"
    )


def _introduction(results: Results) -> str:
    config = results.config
    games = sum(one.games for one in results.matches) + sum(one.games for one in results.played)
    return (
        f"Beam search and MCTS searched chess with one small network, {config.network}. Batches "
        f"and rates are of the note’s beam, {numbers.count(config.beam.positions)} positions a "
        f"move, and of MCTS with as many; {numbers.count(games)} games were played by beams of "
        f"{numbers.count(config.playing.positions)} positions ({config.play_schedule}) and MCTS "
        f"with as many, or as it sees in the same time. It {took(results)}."
    )


def steady(config: BeamStudyConfig, found: Batches) -> list[int]:
    """Return the rows of the calls after all games have begun."""
    return found.apart[len(config.beam.layers) - 1 :]


def claims_of(results: Results) -> list[Claim]:
    """Return every statement of the note that a run can judge."""
    config = results.config
    kinds = {kind.name: kind for kind in results.played}
    return [
        _calls(config),
        *batches_claims(config, results.batches),
        _games(config, results.rates),
        _pushing(kinds[BEAM], kinds[PUSHING]),
        _quality(results.matches),
        _diversity(kinds, diversity(config, results.played)),
    ]


def _calls(config: BeamStudyConfig) -> Claim:
    beam, mcts = len(config.beam.layers), config.beam.positions
    low, high = published.BEAM_CALLS
    return Claim(
        f"A move takes {low} to {high} calls of the network by beam search, about "
        f"{published.MCTS_CALLS} by MCTS.",
        f"{beam} calls for {numbers.count(mcts)} positions; MCTS with one leaf a tree "
        f"{numbers.count(mcts)}, with sixteen at least {numbers.count(-(-mcts // 16))}.",
        "By counting: beam within the range, MCTS with the note's hundred or more.",
        either(low <= beam <= high and mcts >= published.MCTS_CALLS),
    )


def batches_claims(config: BeamStudyConfig, found: Batches) -> list[Claim]:
    """Judge the note's number of rows a call, if it says one for so many games."""
    expected = published.BLOCK_ROWS.get(config.games_at_once)
    if expected is None:
        return []
    rows = steady(config, found)
    claim = Claim(
        f"{numbers.in_words(config.games_at_once).capitalize()} games a layer apart give "
        f"{numbers.count(expected)} rows at every call.",
        f"{_range(rows)} rows a call once all have begun; with games in step "
        f"{_range(found.in_step)}. Where all positions have moves enough it is the "
        "same number every time (a test of this project).",
        f"Every call within {numbers.percent(_NEAR, 0)} of the note's rows.",
        either(all(abs(n - expected) <= _NEAR * expected for n in rows)),
    )
    return [claim]


def _range(rows: Sequence[int]) -> str:
    return numbers.between(numbers.count(min(rows)), numbers.count(max(rows)))


def _games(config: BeamStudyConfig, rates: Sequence[Rate]) -> Claim:
    ratio = faster(rates)
    speed = {(rate.name, rate.with_network): rate.rows_a_second for rate in rates}
    change = Interval(ratio.value - 1, ratio.low - 1, ratio.high - 1)
    return Claim(
        "A cycle has many games by beam search, few by MCTS.",
        f"With equal positions a move and {numbers.in_words(config.games_at_once)} games at once, "
        f"beam search sees {numbers.count(speed[BEAM, True])} positions a second and MCTS "
        f"{numbers.count(speed[MCTS, True])}: {numbers.plain_interval(ratio)} times as many "
        "moves in the same time.",
        "The 95 % interval of the ratio over measurements lies above 1.",
        by_sign(change, "higher"),
    )


def _pushing(one: Played, three: Played) -> Claim:
    ratio = (three.rows / three.plies) / (one.rows / one.plies)
    samples = (three.searched / three.plies) / (one.searched / one.plies)
    first, then = published.CYCLE_SECONDS
    steps, fewer = published.STEPS
    return Claim(
        f"Playing {published.PUSHED} plies a search makes a cycle's calls {first:g} s → {then:g} s "
        f"and its training steps {steps} → {fewer}.",
        f"{numbers.percent(ratio)} of the positions evaluated a ply, and "
        f"{numbers.percent(samples)} of the samples, "
        f"{numbers.decimal(three.searched / three.plies, 2)} of the plies being searched.",
        "Both shares are nearer to a third than to a half: games are cut within variations.",
        either(max(ratio, samples) < (1 / 3 + 1 / 2) / 2),
    )


def _quality(matches: Sequence[MatchResult]) -> Claim:
    words = "; ".join(
        f"at {one.name} beam search is {numbers.elo_interval(one.elo)} Elo from MCTS "
        f"(+{one.wins} ={one.draws} −{one.losses})"
        for one in matches
    )
    return Claim(
        "Quality is higher by MCTS, good enough by beam search.",
        words[0].upper() + words[1:] + ".",
        "The 95 % interval of Elo at equal positions, from pairs of games, lies on the side of "
        "MCTS. That tests the first half; whether beam search is good enough is not tested.",
        by_sign(-matches[0].elo, "higher"),
    )


def _diversity(kinds: dict[str, Played], found: Interval | None) -> Claim:
    beam, mcts = kinds[BEAM], kinds[MCTS]
    return Claim(
        "Diversity is higher by beam search.",
        f"Of a game's positions {numbers.percent(beam.own)} were met "
        f"by no other game of beams, {numbers.percent(mcts.own)} of "
        f"MCTS; policies of {numbers.decimal(beam.entropy, 2)} and "
        f"{numbers.decimal(mcts.entropy, 2)} bits.",
        "The 95 % interval of the difference of the first two, over games, lies above 0.",
        by_sign(found, "higher"),
    )

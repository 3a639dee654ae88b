"""The note's statements beside ours, each with the rule that compares them."""

from collections.abc import Sequence

from phasezoo.arena.intervals import Interval
from phasezoo.experiments.beam import paper
from phasezoo.experiments.beam.config import BeamStudyConfig
from phasezoo.experiments.beam.results import Batches, MatchResult, Played, Rate
from phasezoo.experiments.beam.searchers import BEAM, MCTS, PUSHING
from phasezoo.experiments.claims import Claim, Judgement, by_sign
from phasezoo.report import numbers

__all__ = ["claims", "steady"]

NEAR = 0.01
"""How far batches may be from the note's rows, as a share: positions with few legal moves keep
fewer."""


def steady(config: BeamStudyConfig, found: Batches) -> list[int]:
    """Rows of the calls after all games have begun."""
    return found.apart[len(config.beam.layers) - 1 :]


def claims(
    config: BeamStudyConfig,
    batches: Batches,
    rates: Sequence[Rate],
    faster: Interval,
    played: Sequence[Played],
    diversity: Interval | None,
    matches: Sequence[MatchResult],
) -> list[Claim]:
    """Every statement of the note that this run can judge."""
    kinds = {kind.name: kind for kind in played}
    return [
        _calls(config),
        _batches(config, batches),
        _games(rates, faster),
        _pushing(kinds[BEAM], kinds[PUSHING]),
        _quality(matches),
        _diversity(kinds, diversity),
    ]


def _judged(is_so: bool) -> Judgement:
    return "agrees" if is_so else "disagrees"


def _calls(config: BeamStudyConfig) -> Claim:
    beam, mcts = len(config.beam.layers), config.beam.positions
    low, high = paper.BEAM_CALLS
    return Claim(
        f"A move takes {low} to {high} calls of the network by beam search, about "
        f"{paper.MCTS_CALLS} by MCTS.",
        f"{beam} calls for {numbers.count(mcts)} positions; MCTS with one leaf a tree "
        f"{numbers.count(mcts)}, with sixteen at least {numbers.count(-(-mcts // 16))}.",
        "By counting: beam within the range, MCTS with the note's hundred or more.",
        _judged(low <= beam <= high and mcts >= paper.MCTS_CALLS),
    )


def _batches(config: BeamStudyConfig, found: Batches) -> Claim:
    rows = steady(config, found)
    return Claim(
        f"{numbers.spelled(paper.GAMES_OF_A_BLOCK).capitalize()} games a layer apart give "
        f"{numbers.count(paper.BLOCK_ROWS)} rows at every call.",
        f"{numbers.count(min(rows))} to {numbers.count(max(rows))} rows a call once all have "
        f"begun; with games in step {numbers.count(min(found.in_step))} to "
        f"{numbers.count(max(found.in_step))}. Where all positions have moves enough it is the "
        "same number every time (a test of this project).",
        f"Every call within {numbers.percent(NEAR, 0)} of the note's rows.",
        _judged(all(abs(n - paper.BLOCK_ROWS) <= NEAR * paper.BLOCK_ROWS for n in rows)),
    )


def _games(rates: Sequence[Rate], faster: Interval) -> Claim:
    speed = {(rate.name, rate.with_network): rate.rows_a_second for rate in rates}
    change = Interval(faster.value - 1, faster.low - 1, faster.high - 1)
    return Claim(
        "A cycle has many games by beam search, few by MCTS.",
        f"With equal positions a move and eight games at once, beam search sees "
        f"{numbers.count(speed[BEAM, True])} positions a second and MCTS "
        f"{numbers.count(speed[MCTS, True])}: {numbers.plain_interval(faster)} times as many "
        "moves in the same time.",
        "The 95 % interval of the ratio over measurements lies above 1.",
        by_sign(change, "higher"),
    )


def _pushing(one: Played, three: Played) -> Claim:
    ratio = (three.rows / three.plies) / (one.rows / one.plies)
    samples = (three.searched / three.plies) / (one.searched / one.plies)
    first, then = paper.CYCLE_SECONDS
    steps, fewer = paper.STEPS
    return Claim(
        f"Playing {paper.PUSHED} plies a search makes a cycle's calls {first:g} s → {then:g} s and "
        f"its training steps {steps} → {fewer}.",
        f"{numbers.percent(ratio)} of the positions evaluated a ply, and "
        f"{numbers.percent(samples)} of the samples, "
        f"{numbers.decimal(three.searched / three.plies, 2)} of the plies being searched.",
        "Both shares are nearer to a third than to a half: games are cut within variations.",
        _judged(max(ratio, samples) < (1 / 3 + 1 / 2) / 2),
    )


def _quality(matches: Sequence[MatchResult]) -> Claim:
    first = matches[0]
    others = Interval(-first.elo.value, -first.elo.high, -first.elo.low)
    told = "; ".join(
        f"at {one.name} beam search is {numbers.elo_interval(one.elo)} Elo from MCTS "
        f"(+{one.wins} ={one.draws} −{one.losses})"
        for one in matches
    )
    return Claim(
        "Quality is higher by MCTS, good enough by beam search.",
        told[0].upper() + told[1:] + ".",
        "The 95 % interval of Elo at equal positions, from pairs of games, lies on the side of "
        "MCTS.",
        by_sign(others, "higher"),
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

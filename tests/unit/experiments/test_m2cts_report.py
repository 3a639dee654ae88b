import dataclasses
import json
import math
import statistics
from itertools import product
from pathlib import Path

import pytest
import synthetic
from page_checker import check_page, check_words

from phasezoo.arena.statistics.elo import elo_of_score
from phasezoo.arena.statistics.intervals import Interval, t95
from phasezoo.experiments.two_player import published
from phasezoo.experiments.two_player.claims import claims_of, expectation
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.exact import Exact, ExactRow
from phasezoo.experiments.two_player.matches import Results, Series
from phasezoo.experiments.two_player.overfitting import GapRow, Overfitting
from phasezoo.experiments.two_player.report import _opening_paragraph, report
from phasezoo.experiments.two_player.report_games import _los_text
from phasezoo.experiments.two_player.report_losses import _loss_sentences, _overfitting_sentence
from phasezoo.experiments.two_player.report_values import _exact_paragraph
from phasezoo.report import numbers
from phasezoo.runs import jsonable

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")


def rendered(results):
    return report(results).to_html()


def words_of(results):
    return " ".join(report(results).to_markdown().replace("**", "").split())


def check(text, figures=8):
    words, images = check_page(text)
    assert images == figures
    assert all(f"Figure {number}." in words for number in range(1, figures + 1))
    return words


@pytest.fixture(scope="module")
def page():
    return rendered(synthetic.results())


def told_with(results, figures):
    """Words of a report, of whose drawings only some are made: those that the results change."""
    document = report(results)
    for name in figures:
        check_page(document.figures[name].svg())
    return check_words(" ".join(document.to_markdown().replace("**", "").split()))


@pytest.mark.parametrize("elo", synthetic.ELO_CASES)
def test_every_outcome_of_the_match_is_told(elo):
    words = told_with(synthetic.results(elo=elo), ("elo", "games"))
    headline = {
        "higher": "The phase experts were stronger than one network",
        "lower": "The phase experts were weaker than one network",
        "unclear": "By games, this run cannot tell phase experts from one network",
        "all won": "The phase experts were stronger than one network",
        "all lost": "The phase experts were weaker than one network",
    }[elo]
    assert headline in words
    if elo == "lower":
        assert "A loss at this size is therefore what the paper predicts." in words
        assert "−110" not in words  # the paper printed −109.5
    if elo == "all lost":
        assert "−∞" in words
    is_told = "(LOS) is unknown" not in words
    assert is_told != ("(LOS) is unknown: all pairs scored alike" in words)
    assert is_told != elo.startswith("all")


def test_no_likelihood_is_shown_where_none_can_be_told():
    for elo in ("higher", "all won"):
        found = synthetic.results(elo=elo)
        shown = _los_text(found.matches.total)
        assert (shown == "–") == elo.startswith("all")
        assert ("99.9" in words_of(found)) == ("99.9" in shown)


def test_one_report_has_one_interval_that_counts_games_only():
    found = synthetic.results(trainings=4)
    many = synthetic.pairing([0, 0, 0, 0, 500])
    played = dataclasses.replace(found.matches, pairings=[many, *found.matches.pairings[1:]])
    found = dataclasses.replace(found, matches=played)
    words = words_of(found)
    assert numbers.elo_interval(found.matches.elo_games_only) in words
    assert numbers.elo_interval(found.matches.total.elo) not in words


_SEES_A_PART = ("trained only on", "just as thinly", "sees only a part", "gets only the positions")
_DIVIDES = (*_SEES_A_PART, "ividing the data", "divided at random", "better experts")


@pytest.mark.parametrize(
    ("changes", "told", "untold"),
    [
        ({}, ("at equal nodes", "For the same nodes", "just as thinly"), ("time a move",)),
        (
            {"movetime": 20.0},
            ("at equal time a move", "In the same time a move"),
            ("equal nodes", "Equal nodes"),
        ),
        ({"strategy": "heads"}, ("with outputs for each phase",), _DIVIDES),
        (
            {"strategy": "planes"},
            ("with a further input for each phase", "a further input for each phase where"),
            _DIVIDES,
        ),
        ({"strategy": "staged"}, ("of all phases first", "later stages from"), _SEES_A_PART),
        ({"strategy": "weighted:4"}, ("counted as much as 4 others",), _SEES_A_PART),
        ({"strategy": "weighted:0.5"}, ("counted as much as 0.5 others",), ("counted more",)),
    ],
)
def test_the_report_says_how_this_run_was_made(changes, told, untold):
    found = synthetic.results()
    config = dataclasses.replace(found.config, **changes)
    words = words_of(dataclasses.replace(found, config=config))
    for text in told:
        assert text in words
    for text in untold:
        assert text not in words


@pytest.mark.parametrize(
    ("kind", "searched", "told"),
    [
        ("of the game", 0, "is in these numbers. Regret"),
        ("of the game", 500, "is in these numbers. Regret"),
        ("of the game", 20, "but for those of searches, over 20 of them that are drawn. Regret"),
        (None, 20, "500 positions of random games that occur in no training game. Regret"),
    ],
)
def test_what_was_drawn_of_moves_by_perfect_play_is_said(kind, searched, told):
    exact = Exact(500, kind, searched, 1, [ExactRow("one network", {"regret": {}}, {})])
    assert told in _exact_paragraph(exact)


def test_the_paper_lets_nothing_be_expected_of_other_strategies_at_this_size():
    found = synthetic.results()
    assert expectation(found)
    staged = dataclasses.replace(found.config, strategy="staged")
    assert not expectation(dataclasses.replace(found, config=staged))


def test_of_too_few_games_nothing_is_said_to_hold_zero():
    found = synthetic.results(elo="unclear")
    matches = dataclasses.replace(found.matches, pairings=[synthetic.pairing([0, 1, 0, 1, 0])])
    told = _opening_paragraph(dataclasses.replace(found, matches=matches))
    assert "no interval: too few games" in told
    assert "so few do not say" in told
    assert "zero" not in told


@pytest.mark.parametrize("case", synthetic.LOSS_CASES)
def test_every_outcome_of_the_losses_is_shown(case):
    told_with(synthetic.results("unclear", case, case), ("differences",))


def test_a_page_may_have_no_likelihood_and_no_losses():
    check(rendered(synthetic.results("all lost", "none", "none")))


@pytest.mark.parametrize(
    ("specialisation", "thinning"), list(product(synthetic.LOSS_CASES, repeat=2))
)
def test_every_outcome_of_the_losses_is_told(specialisation, thinning):
    gain, cost, both = _loss_sentences(synthetic.results("unclear", specialisation, thinning))
    absent = "There were no test positions to measure it on."
    unclear = "so this run does not show which."
    assert gain.endswith(
        {
            "higher": "Knowing a phase made worse experts.",
            "lower": "Knowing a phase made better experts.",
            "unclear": unclear,
            "none": absent,
        }[specialisation]
    )
    assert cost.endswith(
        {
            "higher": "Dividing the data cost accuracy.",
            "lower": "Dividing the data helped by itself.",
            "unclear": unclear,
            "none": absent,
        }[thinning]
    )
    assert both.endswith(absent) == ("none" in (specialisation, thinning))


def test_other_searches_have_a_table_and_a_drawing():
    rows = [
        Series(text, synthetic.matches(elo))
        for text, elo in (
            ("search-batch=8", "lower"),
            ("search-batch=16", "higher"),
            ("nodes=200,routing=majority", "all won"),
            ("recalibrated", "unclear"),
        )
    ]
    document = report(synthetic.results(searches=rows))
    words = check(document.to_html(), figures=9)
    assert [row[0].split(" (")[0] for row in document.tables["searches"].texts()] == [
        row.name for row in rows
    ]
    assert "mapped by validation games" in words


@pytest.mark.parametrize(
    ("besides", "told"),
    [
        ((0.1, 0.2), "more closely than one network in opening, endgame."),
        ((-0.1, 0.2), "network in endgame, and less closely than one network in opening."),
        ((0.0, 0.2), "in endgame. In opening this run does not tell whether"),
        ((0.0, 0.0), "few data. In opening, endgame this run does not tell whether"),
    ],
)
def test_how_closely_experts_fit_is_told_phase_by_phase(besides, told):
    rows = [
        GapRow(
            f"{phase} expert", phase, 10.0, 1.0, 2.0, None, Interval(gap, gap - 0.05, gap + 0.05)
        )
        for phase, gap in zip(("opening", "endgame"), besides, strict=True)
    ]
    assert told in _overfitting_sentence(Overfitting(64, rows))


def test_networks_that_were_not_watched_have_no_drawing_of_it(page):
    results = synthetic.results()
    cards = [
        dataclasses.replace(card, curve=dataclasses.replace(card.curve, phase_loss={}))
        for card in results.networks
    ]
    watched = check(page)
    assert "validation positions of every phase while they learn" in watched
    alone = check(rendered(dataclasses.replace(results, networks=cards)), figures=7)
    assert "validation positions of every phase while they learn" not in alone


@pytest.mark.parametrize("trainings", [2, 8])
def test_several_trainings_show_their_spread(trainings):
    words = words_of(synthetic.results(trainings=trainings))
    assert f"{trainings} mixtures played {trainings} baselines" in words
    assert "Every pairing" in words
    assert "There was one training of each side" not in words


def test_pairings_of_a_training_with_itself_do_not_count_without_the_diagonal():
    first, second = synthetic.matches("lower", 3), synthetic.matches("higher", 3)

    def won(matches):
        pairings = [
            synthetic.pairing([0, 0, 0, 0, 50], one.mixture, one.baseline)
            if one.mixture == one.baseline
            else one
            for one in matches.pairings
        ]
        return dataclasses.replace(matches, pairings=pairings)

    assert won(first).apart() == first.apart()
    assert won(first).apart(won(second)) == first.apart(second)


@pytest.mark.parametrize(
    "phases",
    [["all"], pytest.param([f"moves {i}" for i in range(20)], marks=pytest.mark.slow)],
)
def test_any_number_of_phases_fits(phases):
    check(rendered(synthetic.results(phases=phases)))


def test_names_given_by_users_are_escaped():
    nasty = "<script>alert(\"x\")</script> & 'co'"
    made = synthetic.results(
        phases=[nasty, "late"],
        dataset=synthetic.dataset([nasty, "late"], source=nasty),
        command=f"phasezoo reproduce m2cts --games {nasty}",
        config=M2ctsConfig(games=Path(nasty), gate=nasty),
    )
    text = rendered(made)
    check(text)
    assert "&lt;script&gt;" in text


def test_a_run_of_the_papers_size_expects_a_gain():
    cards = [dataclasses.replace(n, unique_positions=90_000_000) for n in synthetic.networks()]
    words = words_of(synthetic.results("higher", networks=cards))
    assert "a gain was to be expected, and a gain was found" in words


def test_the_same_results_give_the_same_page(page):
    assert rendered(synthetic.results()) == page


def test_results_survive_the_run_directory():
    made = synthetic.results(elo="all won", trainings=2)
    back = jsonable.decode(Results, json.loads(jsonable.dumps(made)))
    assert back == made


def test_every_mixture_stands_beside_one_network():
    words = words_of(synthetic.results("higher"))
    assert "staged mixture" in words
    assert "(gate lichess, staged learning) was stronger than one network" in words
    # The placebo played nothing.
    assert "The placebo mixture (gate" not in words


def judged(results, text):
    """Verdicts of the claims whose statement has a text."""
    found = [claim.judgement for claim in claims_of(results) if text in claim.text]
    assert found, text
    return found


def twice(**overrides):
    """Results that count as those of two trainings, with intervals over games."""
    found = synthetic.results(**overrides)
    return dataclasses.replace(found, config=dataclasses.replace(found.config, trainings=2))


CLAIMS = {
    "on own phase": "opening expert of separated learning has a lower loss",
    "mixture's loss": "mixture of separated learning has a lower loss",
    "off phase": "in every phase but its own",
    "gain": "M2CTS with separated experts beats",
    "little data": "With little data separated experts lose",
}


def much(results):
    """The same results after as many positions as the paper's networks saw."""
    cards = [dataclasses.replace(card, unique_positions=90_000_000) for card in results.networks]
    return dataclasses.replace(results, networks=cards)


@pytest.mark.parametrize(
    ("elo", "gain", "cost", "size", "agrees", "disagrees"),
    [
        ("lower", "lower", "higher", None, ("off phase", "little data"), ()),
        ("lower", "lower", "higher", much, ("off phase",),
         ("on own phase", "mixture's loss", "gain")),
        ("lower", "lower", "unclear", None,
         ("on own phase", "mixture's loss", "off phase", "little data"), ()),
        ("higher", "lower", "unclear", None,
         ("on own phase", "mixture's loss", "off phase", "gain"), ("little data",)),
        ("higher", "lower", "unclear", much,
         ("on own phase", "mixture's loss", "off phase", "gain"), ()),
        ("lower", "unclear", "unclear", much, ("off phase",), ("gain",)),
        ("unclear", "unclear", "none", None, ("off phase",), ()),
    ],
)  # fmt: skip
def test_the_papers_claims_follow_their_rules(elo, gain, cost, size, agrees, disagrees):
    found = twice(elo=elo, specialisation=gain, thinning=cost)
    mixture = next(e for e in found.losses.entries if e.role == "mixture")
    loss = mixture.differences["all"]["total"]
    arms = [dataclasses.replace(found.variants[0], loss=loss), *found.variants[1:]]
    found = (size or (lambda same: same))(dataclasses.replace(found, variants=arms))
    expected = dict.fromkeys(CLAIMS, "not settled")
    expected |= dict.fromkeys(agrees, "agrees") | dict.fromkeys(disagrees, "disagrees")
    assert {name: judged(found, text)[0] for name, text in CLAIMS.items()} == expected


def test_one_training_settles_no_claim_and_other_games_have_none():
    found = synthetic.results("higher", thinning="unclear")
    assert {claim.judgement for claim in claims_of(found)} == {"not settled"}
    assert all("not settled by one training" in claim.rule for claim in claims_of(found))
    for change in ({"game": "krk"}, {"network": "runs/trained"}):
        other = dataclasses.replace(found.config, **change)
        assert claims_of(dataclasses.replace(found, config=other)) == []


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ("higher", "lower", "agrees"),
        ("lower", "higher", "disagrees"),
        ("higher", "higher", "not settled"),
    ],
)
def test_gains_are_compared_where_both_were_played(first, second, verdict):
    main, placebo, other = synthetic.arms(first)
    played = synthetic.matches(second)
    weighted = dataclasses.replace(other, strategy="weighted:4", matches=played)
    by_moves = dataclasses.replace(other, strategy="separated", gate="moves:3", matches=played)
    found = twice(elo=first, variants=[main, placebo, weighted, by_moves])
    assert judged(found, "gain more Elo than weighted:4") == [verdict]
    assert judged(found, "by move number") == [verdict]


@pytest.mark.parametrize(
    ("elo", "opening", "endgame"),
    [
        ("higher", "disagrees", "agrees"),
        ("lower", "agrees", "disagrees"),
        ("all won", "disagrees", "agrees"),
    ],
)
def test_one_expert_at_a_time_gains_but_for_the_openings(elo, opening, endgame):
    alone = [Series(phase, synthetic.matches(elo)) for phase in published.PHASES]
    found = twice(alone=alone)
    assert judged(found, "opening’s expert alone gains nothing") == [opening]
    assert judged(much(found), "endgame’s expert alone gains Elo") == [endgame]
    if endgame == "disagrees":  # with little data the paper's experts lose too
        assert judged(found, "endgame’s expert alone gains Elo") == ["not settled"]


def test_batches_are_judged_by_the_majority_alone():
    rows = [
        Series(text, synthetic.matches("higher"))
        for text in (
            "search-batch=8",
            "search-batch=64,routing=majority",
            "search-batch=64,routing=majority,nodes=200",
        )
    ]
    found = twice(searches=rows)
    assert judged(found, "The gain holds in batches of") == ["agrees"]


def by_hand(scores):
    """The mean off the diagonal and half its interval, leaving out a training at a time."""
    trainings = len(scores)
    others = [scores[i][j] for i in range(trainings) for j in range(trainings) if i != j]
    left = [
        statistics.mean(
            scores[i][j]
            for i in range(trainings)
            for j in range(trainings)
            if i != j and k not in (i, j)
        )
        for k in range(trainings)
    ]
    spread = sum((each - statistics.mean(left)) ** 2 for each in left)
    error = math.sqrt((trainings - 1) / trainings * spread)
    return statistics.mean(others), 1.12 * float(t95(trainings - 1)) * error


def shares(matches, trainings):
    found = [[0.0] * trainings for _ in range(trainings)]
    for each in matches.pairings:
        found[each.mixture][each.baseline] = (each.wins + each.draws / 2) / each.games
    return found


@pytest.mark.parametrize("trainings", [3, 5])
def test_mixtures_are_compared_pairing_by_pairing_without_the_diagonal(trainings):
    first, second = (synthetic.matches(case, trainings) for case in ("lower", "higher"))
    mean, half = by_hand(shares(first, trainings))
    found = first.apart()
    assert found.value == pytest.approx(elo_of_score(mean))
    assert found.low == pytest.approx(elo_of_score(mean - half))
    one, other = shares(first, trainings), shares(second, trainings)
    gaps = [[b - a for a, b in zip(*rows, strict=True)] for rows in zip(one, other, strict=True)]
    mean, half = by_hand(gaps)
    middle = statistics.mean(by_hand(scores)[0] for scores in (one, other))
    slope = 400 / math.log(10) / (middle * (1 - middle))
    found = second.apart(first)
    assert found.value == pytest.approx(slope * mean)
    assert found.high == pytest.approx(slope * (mean + half))
    assert synthetic.matches("lower", 2).apart() is None


def test_a_report_of_several_trainings_compares_its_mixtures():
    few, many = (report(synthetic.results("lower", trainings=trainings)) for trainings in (1, 3))
    assert "paired" not in few.tables
    table = many.tables["paired"]
    assert [row.name for row in table.rows] == ["phase mixture", "staged mixture"]
    assert ["–" in cells for cells in table.texts()] == [True, False]
    assert [line.endswith(",,,") for line in table.to_csv().splitlines()] == [False, True, False]

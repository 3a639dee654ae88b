"""Readings of the study: what each takes from the author's program, and what is refused."""

import dataclasses

import chess
import numpy as np
import pytest
from krk_fakes import SMALL, fake_play, played_by, row
from page_checker import check_page

from phasezoo import games
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.krk import estimates
from phasezoo.experiments.krk.config import KRK, KrkConfig
from phasezoo.experiments.krk.measurements import cells_of, make_agent, tasks_of
from phasezoo.experiments.krk.study import play_sweep
from phasezoo.experiments.statistics import interval_of, mean_of_known
from phasezoo.report.console import silent
from phasezoo.zoo.krk.readings import DIFFERENCES, ONE_BY_ONE, Reading, one_by_one, reply

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

LITTLE = KrkConfig(
    variants=("uct",), constants=(1.0,), thresholds=(5,), budgets=(20,), other_budgets=(20,),
    games=4, first_simulations=50, resamples=100, threads=1,
)  # fmt: skip


def options_of(reading):
    config = dataclasses.replace(SMALL, reading=reading)
    agent = make_agent(next(iter(cells_of(config))), config)
    names = ("threshold", "rollout", "ties", "choice", "ends", "root_visits", "first_limit")
    return {name: getattr(agent, name) for name in names} | {
        "start": Reading.parse(reading).start, "defender": Reading.parse(reading).ties,
    }  # fmt: skip


def test_each_difference_changes_one_thing_alone():
    thesis, author = options_of("thesis"), options_of("author")
    changed = [name for name in thesis if thesis[name] != author[name]]
    assert changed == list(thesis)
    for name in DIFFERENCES:
        one, others = options_of(f"thesis+{name}"), options_of(f"author-{name}")
        (differs,) = [key for key in thesis if one[key] != thesis[key]]
        assert [key for key in author if others[key] != author[key]] == [differs]
        if differs != "rollout":
            assert (one[differs], others[differs]) == (author[differs], thesis[differs])
    everything = "+".join(("thesis", *DIFFERENCES))
    assert options_of(everything) == author
    assert options_of("-".join(("author", *DIFFERENCES))) == thesis
    assert author["first_limit"].simulations == 13_000
    assert (author["threshold"], thesis["threshold"]) == (4, 5)


def test_the_defenders_ties_are_set_apart_from_the_reading():
    assert [Reading.parse("thesis", ties).ties for ties in (None, "first", "last", "random")] == [
        "random", "first", "last", "random",
    ]  # fmt: skip
    assert Reading.parse("author", "random") == Reading.parse("author-defender")
    assert Reading.parse("author+last") == Reading.parse("author", "last")


def test_both_starts_are_mate_in_15():
    for reading in ("thesis", "author"):
        assert games.make("krk").from_fen(Reading.parse(reading).start).dtm == 15


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Thesis",
        "thesis-closer",
        "author+closer",
        "thesis+",
        "thesis+nearer",
        "author-closer-closer",
        "thesis+last+last",
        "thesiscloser",
    ],
)
def test_other_readings_are_refused(text):
    with pytest.raises(InvalidConfig, match=r"expected thesis, author.*start, .*defender"):
        dataclasses.replace(SMALL, reading=text).validate()
    with pytest.raises(InvalidConfig):
        dataclasses.replace(SMALL, readings=(text,)).validate()


def test_the_defence_of_compared_readings_is_their_own():
    settings = dataclasses.replace(SMALL, readings=("thesis+defender",), defender_ties="first")
    with pytest.raises(InvalidConfig, match="write it into --reading"):
        settings.validate()
    dataclasses.replace(SMALL, readings=("author",), reading="thesis+defender").validate()


@pytest.mark.parametrize("readings", [("thesis",), ("author", "author"), (ONE_BY_ONE, "author")])
def test_readings_are_compared_once(readings):
    with pytest.raises(InvalidConfig, match="reading"):
        dataclasses.replace(SMALL, readings=readings).validate()


def test_the_defender_plays_by_target_square():
    game, rng = games.make("krk", start="uniform"), np.random.default_rng(1)
    tied = 0
    for seed in range(200):
        state = game.initial_state(seed=seed)
        state = state.play(int(rng.choice(state.legal_actions)))
        if state.is_terminal:
            continue
        squares = {
            chess.parse_square(state.uci(action)[2:]): action
            for action in map(int, state.best_actions)
        }
        assert reply(state, "first", rng) == squares[min(squares)]
        assert reply(state, "last", rng) == squares[max(squares)]
        drawn = {reply(state, "random", rng) for _ in range(60)}
        assert drawn == set(squares.values())
        tied += len(squares) > 1
    assert tied > 20


def test_a_run_compares_every_reading(tmp_path):
    config = dataclasses.replace(
        LITTLE, constants=(1.0, 5.0), readings=(ONE_BY_ONE,), reading_games=2, reading="author"
    )
    cells = cells_of(config)
    assert sum(cells.values()) == 2 * 4 + 2 * 2 * (2 * (len(DIFFERENCES) + 2) - 1)
    with played_by(longer_by_name):
        results = KRK.reproduce(config, tmp_path / "run")
    by_name = {one.name: one for one in results.readings}
    assert list(by_name) == ["author", *(name for name in one_by_one() if name != "author")]
    assert by_name["thesis"].base is None is by_name["author"].change
    # Made-up games of this one are four moves longer than those of the others.
    assert by_name["thesis+closer"].change.low > 0
    assert by_name["thesis+closer"].base == "thesis"
    assert by_name["author-closer"].change.value == pytest.approx(0)
    assert all(len(one.best) == 1 and one.tally.games in (4, 8) for one in results.readings)
    words, images = check_page((tmp_path / "run" / "report.html").read_text())
    assert images == 11
    assert all(text in words for text in DIFFERENCES.values())
    # The study's figures are of the run's own reading alone.
    alone = dataclasses.replace(config, readings=(), reading_games=KrkConfig.reading_games)
    with played_by(longer_by_name):
        assert KRK.reproduce(alone, tmp_path / "alone").curves == results.curves


def longer_by_name(task, config):
    more = 4 * (task.cell.reading == "thesis+closer")
    return row(task, [1] * (int(task.cell.constant) + more))


def test_a_setting_without_a_won_game_makes_no_reading_look_shorter():
    config = dataclasses.replace(
        LITTLE, constants=(1.0, 50.0), readings=("author", "author+last"), reading_games=12
    )
    config = dataclasses.replace(config, games=12)

    def moves(cell):
        return 40 if cell.constant == 50.0 else 20

    games = []
    for task in tasks_of(config):
        won = (task.cell.reading, task.cell.constant) != ("author+last", 50.0)
        noise = int(np.random.default_rng(task.seed).integers(3))
        games.append(dataclasses.replace(row(task, [1]), won=won, moves=moves(task.cell) + noise))
    means = estimates.means_of(games, 1, 200)
    by_name = {one.name: one for one in estimates.readings(means, games, config)}
    assert by_name["author+last"].length.high < 25  # of the setting that it wins in
    assert by_name["author"].length.low > 29
    change = by_name["author+last"].change
    assert change.low <= 0 <= change.high
    assert abs(change.value) < 3


@pytest.mark.parametrize(("wins", "lowest", "highest"), [(2, 23, 40), (1, 19, 23)])
def test_a_draw_without_a_won_game_is_no_mean_of_other_settings(wins, lowest, highest):
    """One won game says nothing of others, so that its setting is left out."""
    config = dataclasses.replace(LITTLE, constants=(1.0, 50.0), games=5)
    games = []
    for task in tasks_of(config):
        rare = task.cell.constant == 50.0
        won = not rare or task.number < wins
        noise = int(np.random.default_rng(task.seed).integers(3))
        games.append(dataclasses.replace(row(task, [1]), won=won, moves=20 + 20 * rare + noise))
    means = estimates.means_of(games, 1, 400)
    length = interval_of(mean_of_known(means.each("length", cells_of(config))))
    assert lowest < length.low < length.high < highest


def test_readings_share_seeds():
    config = dataclasses.replace(SMALL, readings=("author",), reading_games=4)
    seeds = {}
    for task in tasks_of(config):
        if task.cell.variant == "uct":
            seeds.setdefault((task.cell.constant, task.cell.threshold, task.cell.budget,
                              task.number), set()).add(task.seed)  # fmt: skip
    assert all(len(each) == 1 for each in seeds.values())


def test_a_real_game_of_each_reading(tmp_path):
    config = dataclasses.replace(LITTLE, readings=("author", "author+last"), reading_games=2)
    rows = play_sweep(config, tmp_path / "games.jsonl", silent())
    found = {row.cell.reading: row for row in rows}
    assert set(found) == {"", "author", "author+last"}
    # The first search: 50 simulations, and 20 besides.
    assert [sum(found[name].first.visits) for name in ("", "author")] == [50, 70]
    with played_by(fake_play):
        again = play_sweep(config, tmp_path / "games.jsonl", silent())
    assert again == rows

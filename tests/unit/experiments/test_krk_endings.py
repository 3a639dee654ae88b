"""Other endings in the study of king and rook: what is played, what is said, what is refused."""

import dataclasses

import pytest
from krk_fakes import SMALL, fake_play, played_by, row
from page_checker import check_page

from phasezoo import games
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.krk.config import KRK, KrkConfig
from phasezoo.experiments.krk.measurements import cells_of, make_agent, tasks_of
from phasezoo.experiments.krk.report import endings_table
from phasezoo.experiments.krk.study import play_sweep
from phasezoo.report.console import silent
from phasezoo.zoo.krk.readings import ENDINGS, Reading

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

LITTLE = KrkConfig(
    variants=("uct",), constants=(1.0,), thresholds=(5,), budgets=(20,), other_budgets=(20,),
    games=4, first_simulations=50, resamples=100, threads=1, endings=("kqk", "krrk"),
    ending_games=2,
)  # fmt: skip


@pytest.mark.parametrize("name", ENDINGS)
@pytest.mark.parametrize("reading", ["thesis", "author"])
def test_starts_are_as_far_from_mate_as_is_said(name, reading):
    ending = ENDINGS[name]
    start = ending.start or Reading.parse(reading).start
    assert games.make(ending.game).from_fen(start).dtm == ending.mate_in


@pytest.mark.parametrize("reading", ["thesis", "author", "author-closer"])
def test_endings_are_searched_as_the_reading_says(reading):
    config = dataclasses.replace(LITTLE, reading=reading)
    own, queen, rooks = [make_agent(cell, config) for cell in cells_of(config)]
    assert queen.rollout == rooks.rollout == own.rollout.replace("krk", "lone-king", 1)
    assert (queen.game.name, own.game.name) == ("chess", "krk")
    for name in ("c", "threshold", "ties", "choice", "ends", "root_visits", "max_rollout_plies"):
        assert getattr(queen, name) == getattr(own, name)


def test_real_games_are_played_to_their_end(tmp_path):
    rows = play_sweep(LITTLE, tmp_path / "games.jsonl", silent())
    assert sorted(each.cell.ending for each in rows) == [""] * 4 + ["kqk"] * 2 + ["krrk"] * 2
    for each in rows:
        assert each.won == (each.reason == "checkmate")
        assert len(each.differences) == each.moves
        ending = ENDINGS[each.cell.ending]
        if each.won and not each.given_away and None not in each.differences:
            # Every move brings mate one nearer but for what it loses.
            assert each.moves == ending.mate_in + sum(each.differences)
    with played_by(fake_play):
        again = play_sweep(LITTLE, tmp_path / "games.jsonl", silent())
    assert again == rows


def test_a_run_tells_endings_apart_from_the_studys_own(tmp_path):
    others = tuple(name for name in ENDINGS if name)
    config = dataclasses.replace(LITTLE, endings=others, readings=("author",))
    with played_by(longer_with_bishops):
        results = KRK.reproduce(config, tmp_path / "run")
    shown = {row[0]: row for row in endings_table(results).texts()}
    assert list(shown) == [ending.title for ending in ENDINGS.values()]
    assert [row[1:3] for row in shown.values()] == [
        ["15", "4"], ["8", "2"], ["5", "2"], ["17", "2"], ["30", "2"],
    ]  # fmt: skip
    found = {one.name: one for one in results.endings}
    assert found["kbbk"].difference.value == pytest.approx(5 / 20)
    assert found["kqk"].difference.value == pytest.approx(1 / 16)
    words, _ = check_page((tmp_path / "run" / "report.html").read_text())
    assert all(ending.title in words for ending in ENDINGS.values())
    # Figures and readings are of king and rook alone.
    alone = dataclasses.replace(config, endings=(), ending_games=KrkConfig.ending_games)
    with played_by(longer_with_bishops):
        same = KRK.reproduce(alone, tmp_path / "alone")
    assert (same.curves, same.readings) == (results.curves, results.readings)
    assert same.endings == []


def longer_with_bishops(task, config):
    return row(task, [1] * (5 if task.cell.ending == "kbbk" else 1))


def test_endings_share_seeds_with_king_and_rook():
    config = dataclasses.replace(SMALL, endings=("kbbk",), ending_games=4)
    seeds = {}
    for task in tasks_of(config):
        if task.cell.variant == "uct":
            cell = dataclasses.replace(task.cell, ending="")
            seeds.setdefault((cell, task.number), set()).add(task.seed)
    assert all(len(each) == 1 for each in seeds.values())


def test_an_ending_is_named_once():
    with pytest.raises(InvalidConfig, match="--endings kqk kqk: must name each ending once"):
        dataclasses.replace(LITTLE, endings=("kqk", "kqk")).validate()

import dataclasses
import itertools
import json

import pytest

from phasezoo import agents, arena, games, inference
from phasezoo.arena.summary import kinds_line
from phasezoo.errors import InvalidConfig, RunDirectoryError

PLAYERS = ("mcts:nodes=20", "random:seed=1", "uct:simulations=20,seed=3")


def played(**options):
    given = {"game": "connect-four", "games": 6, "seed": 4} | options
    return arena.tournament(given.pop("players", list(PLAYERS)), **given)


@pytest.mark.parametrize(
    ("format", "pairings"),
    [
        ("round-robin", {(0, 1), (0, 2), (1, 2)}),
        ("gauntlet", {(0, 1), (0, 2)}),
        ("ladder", {(0, 1), (1, 2)}),
    ],
)
def test_formats_say_who_plays_whom(format, pairings):
    table = played(format=format, games=4)
    counts = dict.fromkeys(pairings, 0)
    for record in table.games:
        counts[record.pairing] += 1
    assert set(counts.values()) == {4}
    assert len(table.games) == 4 * len(pairings)


def test_trainings_of_two_kinds_meet_crosswise_and_their_spread_is_counted():
    players = [
        *(f"uct:c=1,simulations={n},seed={n}" for n in (12, 24, 36)),
        "random",
        "random:seed=7",
    ]
    table = played(players=players, trainings=3, games=8)
    assert {record.pairing for record in table.games} == set(itertools.product(range(3), (3, 4)))
    assert (table.format, table.trainings) == ("trainings", 3)
    matches = [
        [arena.play_match(a, b, "connect-four", 8, seed=4).group_scores for b in players[3:]]
        for a in players[:3]
    ]
    assert [[len(pairs) for pairs in row] for row in matches] == [[4, 4]] * 3
    scores = [[table.match(a, b).group_scores for b in (3, 4)] for a in range(3)]
    found = table.between_kinds
    assert found == arena.crossed_pairs(scores)
    assert found.elo.low <= found.elo_games_only.low < found.elo_games_only.high <= found.elo.high
    assert "3 against 2 trainings: Elo " in table.summary()
    record = json.loads(json.dumps(table.to_dict()))["between_kinds"]
    assert record["first"] == list(table.names[:3])
    assert record["elo"]["value"] == pytest.approx(found.elo.value)
    assert played().between_kinds is None


def test_two_trainings_a_side_are_too_few_to_tell_of_others():
    players = ["uct:c=1,simulations=8", "uct:c=1,simulations=24", "random", "random:seed=7"]
    table = played(players=players, trainings=2, games=8)
    assert table.between_kinds.elo_games_only.is_known
    assert not table.between_kinds.elo.is_known
    assert kinds_line(table).endswith("; too few trainings for an interval over others")


def test_kinds_of_unfinished_tournaments_have_no_difference_yet():
    table = played(players=["random:seed=1", "random:seed=2", "random:seed=3"], trainings=1)
    begun = tuple(record for record in table.games if record.pairing == (0, 1))
    cut = dataclasses.replace(table, games=begun)
    assert cut.between_kinds is None
    assert kinds_line(cut) == "1 against 2 trainings: too few games"


def test_every_pairing_plays_the_same_openings_with_both_colours():
    table = played(game="chess", games=6, players=["random:seed=1"] * 3, max_plies=30)
    assert table.names == tuple(f"random:seed=1 ({letter})" for letter in "ABC")
    by_pairing = {}
    for record in table.games:
        by_pairing.setdefault(record.pairing, []).append(record)
    assert len(by_pairing) == 3
    openings = [[record.opening for record in games] for games in by_pairing.values()]
    assert openings[0] == openings[1] == openings[2]
    assert len(set(openings[0])) == 3
    for records in by_pairing.values():
        for first, second in zip(records[::2], records[1::2], strict=True):
            assert (first.sides, second.sides) == ((0, 1), (1, 0))
            assert first.opening_moves == second.opening_moves
    moves = {(record.pairing, record.moves) for record in table.games}
    assert len({moves for _, moves in moves}) == 18, "each pairing has seeds of its own"


def test_a_tournament_of_two_is_their_match():
    two = played(players=list(PLAYERS[:2]), games=8)
    match = arena.play_match(*PLAYERS[:2], game="connect-four", games=8, seed=4)
    assert two.games == match.games
    assert two.as_match().elo == match.elo
    assert two.as_match().summary() == match.summary()


def test_a_match_of_more_than_two_tells_what_its_sides_did():
    table = played(players=["simple", "random:seed=1"], game="pommerman-ffa", games=8, max_plies=9)
    assert [side.moves for side in table.as_match().sides] == [side.moves for side in table.sides]
    assert min(side.moves for side in table.sides) > 0


def test_infinite_ends_are_null_in_json_and_no_rating_is_minus_zero():
    table = played(players=["random:seed=1", "random:seed=1"], games=2, names=["a", "b"])
    row = next(row for row in table.to_dict()["players"] if row["name"] == "b")
    assert (row["elo_low"], row["elo_high"]) == (None, None)
    chess = played(players=["random"] * 3, game="chess", games=8, max_plies=20, format="gauntlet")
    assert "-0" not in [word for line in chess.summary().splitlines()[2:5] for word in line.split()]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("games", "4"), ("games", 4.0), ("games", None), ("games", True), ("max_plies", "9"),
        ("concurrency", 1.5), ("seed", None), ("seed", "a"), ("seed", 1.5), ("adjudication", True),
    ],
)  # fmt: skip
def test_options_of_the_wrong_type_are_told(option, value):
    with pytest.raises(InvalidConfig, match=f"{option}={value!r}: (expected|must be)"):
        played(**{option: value})


def test_games_that_repeat_are_refused_again_when_they_go_on(tmp_path):
    def first(observation, info):
        return int(info["action_mask"].argmax())

    played_so_far = []

    def stop(record):
        played_so_far.append(record)
        if len(played_so_far) == 3:
            raise KeyboardInterrupt

    log = tmp_path / "log"
    options = {"players": [first, first], "openings": [["3"]], "games": 8, "log": log}
    with pytest.raises(KeyboardInterrupt):
        played(**options, on_game=stop)
    for lines in (6, 6):
        with pytest.raises(InvalidConfig, match="from the only opening differ by player alone"):
            played(**options)
        assert len(log.read_text().splitlines()) == 1 + lines  # what was gone on with is kept


@pytest.mark.parametrize("anchor", [1.5, True, "third", 9, -1])
def test_an_anchor_that_is_no_player_is_refused(anchor):
    with pytest.raises(InvalidConfig, match="no player of this tournament"):
        played(anchor=anchor)


def test_lines_and_matches_count_every_game_from_both_views():
    table = played()
    assert sum(line.points for line in table.lines) == len(table.games) == 18
    assert all(line.wins + line.draws + line.losses == line.games == 12 for line in table.lines)
    for a, b in itertools.combinations(table.names, 2):
        one, other = table.match(a, b), table.match(b, a)
        assert (one.wins, one.draws, one.losses) == (other.losses, other.draws, other.wins)
        assert one.score == pytest.approx(1 - other.score)
        assert one.pentanomial == other.pentanomial[::-1]
        assert [record.moves for record in one.games] == [record.moves for record in other.games]
    assert table.crosstable[PLAYERS[0], PLAYERS[1]].games == table.match(0, 1).games


def test_all_games_of_an_agent_share_its_batches():
    def calls(of):
        return of.sides[0].counts.calls

    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=20), batch_size=1)
    options = {"game": "connect-four", "games": 6, "seed": 4}
    together = arena.tournament(
        [agent, "random:seed=1", "random:seed=2"], format="gauntlet", **options
    )
    apart = [arena.play_match(agent, f"random:seed={seed}", **options) for seed in (1, 2)]
    assert calls(together) < 0.75 * sum(map(calls, apart))


def test_a_stopped_tournament_goes_on_as_if_it_had_not_been_stopped(tmp_path):
    class Enough(Exception):
        pass

    def stop(record):
        if next(count) == 7:
            raise Enough

    count = itertools.count(1)
    whole = played()
    with pytest.raises(Enough):
        played(log=tmp_path / "log", on_game=stop)
    seen = []
    rest = played(log=tmp_path / "log", on_game=seen.append)
    assert len(seen) == 18 - 7
    assert rest.games == whole.games
    assert [line.points for line in rest.lines] == [line.points for line in whole.lines]
    with pytest.raises(RunDirectoryError, match="the log of another match"):
        played(log=tmp_path / "log", format="ladder")


def test_more_than_two_players_are_alone_in_half_of_the_games():
    table = arena.tournament(
        ["random:seed=1", "scripted:simple"], "pommerman-ffa", games=8, seed=2, max_plies=60
    )
    assert sorted(record.pairing for record in table.games) == [(0, 1)] * 4 + [(1, 0)] * 4
    for record in table.games:
        assert sorted(record.agents) == sorted([record.pairing[0]] + [record.pairing[1]] * 3)
    match = table.match(0, 1)
    assert len(match.games) == 8
    assert len(match.group_scores) == 2
    assert match.score == pytest.approx(1 - table.match(1, 0).score)
    with pytest.raises(InvalidConfig, match="must be a multiple of 8"):
        arena.tournament(["random", "random"], "pommerman-ffa", games=4)


def test_ratings_say_who_is_stronger():
    table = played(games=20)
    ratings = {rating.name: rating for rating in table.ratings}
    assert ratings[PLAYERS[0]].value == 0
    assert ratings[PLAYERS[0]].value > ratings[PLAYERS[1]].high
    assert all(r.low <= r.value <= r.high for r in table.ratings)
    moved = played(games=20, anchor=PLAYERS[1])
    gap = ratings[PLAYERS[1]].value
    for rating in moved.ratings:
        assert rating.value == pytest.approx(ratings[rating.name].value - gap, abs=0.5)


def test_results_as_tables(tmp_path):
    pytest.importorskip("pandas")
    table = played()
    frame = table.to_frame()
    assert list(frame["name"])[-1] == PLAYERS[1]
    assert list(frame["games"]) == [12] * 3
    assert sorted(frame["elo"], reverse=True) == list(frame["elo"])
    each = table.games_frame()
    assert len(each) == 18
    assert each["score"].sum() == sum(record.score for record in table.games)
    match = table.match(0, 1).to_frame()
    assert set(match["first"]) == {PLAYERS[0]}
    assert match["score"].mean() == pytest.approx(table.match(0, 1).score)
    record = json.loads(json.dumps(table.to_dict()))
    assert [player["name"] for player in record["players"]] == list(frame["name"])
    assert len(record["matches"]) == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"players": ["random"]}, "at least two agents"),
        ({"players": "random"}, "at least two agents"),
        ({"format": "swiss"}, "expected one of 'round-robin'"),
        ({"games": 5}, "must be even"),
        ({"names": ["a", "b"]}, "one for each agent"),
        ({"anchor": "stockfish"}, "no player of this tournament"),
        ({"anchor": 3}, "no player of this tournament"),
        ({"limit": [None]}, "one for each agent"),
        ({"trainings": 3}, "trainings=3: the first kind's of 3 agents"),
        ({"trainings": 0}, "trainings"),
        ({"trainings": 1, "format": "ladder"}, "leave format='ladder' out"),
        ({"trainings": 1, "game": "pommerman-ffa"}, "it needs two"),
    ],
)
def test_what_cannot_be_played_is_refused(options, said):
    with pytest.raises(InvalidConfig, match=said):
        played(**options)


def test_a_user_s_own_game_is_played_and_has_no_pgn(tmp_path):
    assert not hasattr(games.make("connect-four").initial_state(), "san")
    with pytest.raises(InvalidConfig, match="no SAN"):
        played(pgn=tmp_path / "games.pgn")

"""Matches between agents, and what their results say."""

from phasezoo.arena.adjudication import Adjudication
from phasezoo.arena.concurrent_games import SideFailed as SideFailed
from phasezoo.arena.match import Match
from phasezoo.arena.openings import OpeningSuite
from phasezoo.arena.pgn import pgn_of
from phasezoo.arena.play import play_match
from phasezoo.arena.records import GameRecord, SideStats, Thought, equal_cost_limits
from phasezoo.arena.standings import Standings
from phasezoo.arena.statistics.crossed_trainings import crossed, crossed_pairs, planned_width
from phasezoo.arena.statistics.elo import los, pentanomial_elo, trinomial_elo
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.arena.statistics.normalized import normalized_elo
from phasezoo.arena.statistics.rates import rate_of
from phasezoo.arena.statistics.ratings import Rating, Result, ratings, results_of as results_of
from phasezoo.arena.statistics.sprt import Sprt, sprt
from phasezoo.arena.streams import stream as stream
from phasezoo.arena.tournaments import tournament

__all__ = [
    "Adjudication",
    "GameRecord",
    "Interval",
    "Match",
    "OpeningSuite",
    "Rating",
    "Result",
    "SideStats",
    "Sprt",
    "Standings",
    "Thought",
    "crossed",
    "crossed_pairs",
    "equal_cost_limits",
    "los",
    "normalized_elo",
    "pentanomial_elo",
    "pgn_of",
    "planned_width",
    "play_match",
    "rate_of",
    "ratings",
    "sprt",
    "tournament",
    "trinomial_elo",
]

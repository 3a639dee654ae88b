"""Move generators give the published counts of move paths, which stand here as numbers.

Chess960: the first rows of the suite that engine authors check castling by. Atomic chess: the start
and the positions of Lichess's rule tests. Crazyhouse: the start, positions with every piece in hand
and a middlegame, of the same tests.
"""

import pytest

from phasezoo import _core

MOST = 1_000_000
"""Larger counts are left to `make test-all`."""

COUNTS = {
    "chess": {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (
            *(20, 400, 8_902, 197_281, 4_865_609),
        ),
    },
    "chess960": {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1": (20, 400, 8_902, 197_281),
        "1rbknbnr/1ppp1pp1/q6p/p3p3/5P2/2PPB3/PP2P1PP/QR1KNBNR w HBhb - 0 9": (
            *(28, 1_020, 28_147, 984_000, 27_484_692),
        ),
        "1rqkbnrb/pp1ppp1p/1n4p1/B1p5/3PP3/4N3/PPP2PPP/NRQK2RB w GBgb - 0 9": (
            *(33, 723, 23_991, 590_970, 19_715_083),
        ),
        "b2rkrnb/pqp1pppp/n7/1p1p4/P7/N1P2N2/1P1PPPPP/B1QRKR1B w FDfd - 4 9": (
            *(26, 724, 19_558, 571_891, 16_109_522),
        ),
        "1rnbkrbn/1qp1pppp/3p4/pp6/4P3/1NP4P/PP1P1PP1/QR1BKRBN w FBfb - 1 9": (
            *(24, 597, 15_089, 404_761, 10_832_084),
        ),
        "rbnkbrnq/ppp1p2p/5p2/3p2p1/1B1P4/1N4P1/PPP1PP1P/RB1K1RNQ w FAfa - 1 9": (
            *(33, 780, 25_532, 628_945, 20_756_770),
        ),
    },
    "atomic": {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (
            *(20, 400, 8_902, 197_326, 4_864_979),
        ),
        "rn2kb1r/1pp1p2p/p2q1pp1/3P4/2P3b1/4PN2/PP3PPP/R2QKB1R b KQkq - 0 1": (
            *(40, 1_238, 45_237, 1_434_825),
        ),
        "rn1qkb1r/p5pp/2p5/3p4/N3P3/5P2/PPP4P/R1BQK3 w Qkq - 0 1": (28, 833, 23_353, 714_499),
        "r3k3/3K4/3N4/8/8/8/8/8 b q - 0 1": (14, 172, 2_140, 25_536, 415_485),
        "K7/8/8/3Q4/4q3/8/8/7k b - - 0 1": (6, 36, 452, 7_908, 159_180),
    },
    "crazyhouse": {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1": (
            *(20, 400, 8_902, 197_281, 4_888_832),
        ),
        "2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - - 0 1": (301, 75_353),
        "2k5/8/8/8/8/8/8/4K3[Qn] w - - 0 1": (67, 3_083, 88_634, 932_554),
        "r1bqk2r/pppp1ppp/2n1p3/4P3/1b1Pn3/2NB1N2/PPP2PPP/R1BQK2R[] b KQkq - 0 1": (
            *(42, 1_347, 58_057, 2_083_382),
        ),
        "4k3/1Q~6/8/8/4b3/8/Kpp5/8[] b - - 0 1": (20, 360, 5_445, 132_758),
    },
}
ROWS = [
    (game, fen, depth, count)
    for game, rows in COUNTS.items()
    for fen, counts in rows.items()
    for depth, count in enumerate(counts, 1)
]


@pytest.mark.parametrize(("game", "fen"), [(game, fen) for game in COUNTS for fen in COUNTS[game]])
def test_counts_are_the_published_ones(game, fen):
    counts = [count for count in COUNTS[game][fen] if count <= MOST]
    assert counts == [_core.perft(game, fen, depth) for depth in range(1, len(counts) + 1)]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "fen", "depth", "count"), [row for row in ROWS if row[-1] > MOST])
def test_large_counts_are_the_published_ones(game, fen, depth, count):
    assert _core.perft(game, fen, depth) == count

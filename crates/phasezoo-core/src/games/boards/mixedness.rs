//! How far the two armies are mixed: the score of Lichess's game divider over all 49 squares of 2x2
//! (`docs/definitions/gates.md`).

/// Which published table gives a region its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MixednessTable {
    /// Lichess until 2025-06-03, and the published training data.
    Classic,
    /// Lichess since, with both sides treated alike.
    Current,
    /// The published engine's, which gives armies on their home rows 2 or 3 instead of 0.
    Engine,
}

impl MixednessTable {
    /// The table of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Classic, Self::Current, Self::Engine]
            .into_iter()
            .find(|table| table.as_str() == name)
    }

    /// The name in a gate's spec.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Current => "current",
            Self::Engine => "engine",
        }
    }

    fn scores(self) -> &'static Scores {
        match self {
            Self::Classic => &CLASSIC,
            Self::Current => &CURRENT,
            Self::Engine => &ENGINE,
        }
    }
}

/// Scores by lower rank of the region less one, then White's pieces in it + 8 * Black's.
type Scores = [[u8; 64]; 7];

static CLASSIC: Scores = scores(MixednessTable::Classic);
static CURRENT: Scores = scores(MixednessTable::Current);
static ENGINE: Scores = scores(MixednessTable::Engine);

const fn scores(table: MixednessTable) -> Scores {
    let mut scores = [[0; 64]; 7];
    let mut rank = 0;
    while rank < 7 {
        let mut white = 0;
        while white <= 4 {
            let mut black = 0;
            while black <= 4 {
                scores[rank][white + 8 * black] = score(table, rank as i32 + 1, white, black) as u8;
                black += 1;
            }
            white += 1;
        }
        rank += 1;
    }
    scores
}

/// The score of one region whose lower rank is `y`, 1 to 7.
const fn score(table: MixednessTable, y: i32, white: usize, black: usize) -> i32 {
    let current = matches!(table, MixednessTable::Current);
    let engine = matches!(table, MixednessTable::Engine);
    match (white, black) {
        (1, 0) => 9 - y,
        (0, 1) => 1 + y,
        (2, 0) => group(2, y - 2, engine),
        (3 | 4, 0) => group(3, y - 1, engine),
        (0, 2) => group(2, 6 - y, engine),
        (0, 3 | 4) => group(3, 7 - y, engine),
        (1, 1) => 5 + (if current { 4 - y } else { 3 - y }).abs(),
        (2, 1) => 4 + y - current as i32,
        (1, 2) => 10 - y + current as i32,
        (3, 1) => 5 + y - current as i32,
        (1, 3) => 11 - y + current as i32,
        (2, 2) => 7,
        _ => 0,
    }
}

/// A group of one colour that stands `steps` ranks beyond its home rows: nothing at home, except in
/// the engine's table, which adds the constant always.
const fn group(constant: i32, steps: i32, engine: bool) -> i32 {
    if steps > 0 {
        constant + steps
    } else if engine {
        constant
    } else {
        0
    }
}

/// The bits of a byte as eight nibbles of 0 or 1.
const SPREAD: [u32; 256] = {
    let mut spread = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte] |= ((byte as u32 >> bit) & 1) << (4 * bit);
            bit += 1;
        }
        byte += 1;
    }
    spread
};

/// The mixedness of a position, from the squares of both sides' pieces (a1 = bit 0).
pub fn mixedness(table: MixednessTable, white: u64, black: u64) -> u32 {
    let (white, black) = (white.to_le_bytes(), black.to_le_bytes());
    let mut total = 0;
    for (rank, scores) in table.scores().iter().enumerate() {
        let (mut own, mut other) = (regions(white, rank), regions(black, rank));
        for _ in 0..7 {
            total += u32::from(scores[(own & 7 | (other & 7) << 3) as usize]);
            own >>= 4;
            other >>= 4;
        }
    }
    total
}

/// How many pieces stand in each of the seven regions of two ranks, one nibble each.
fn regions(ranks: [u8; 8], rank: usize) -> u32 {
    let columns = SPREAD[usize::from(ranks[rank])] + SPREAD[usize::from(ranks[rank + 1])];
    columns + (columns >> 4)
}

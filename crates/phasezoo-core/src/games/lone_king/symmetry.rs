//! The eight images of the board, and the one that tables keep.

/// Squares of the triangle a1, d1, d4, into which every square has an image.
pub(in crate::games) const TRIANGLE: usize = 10;

/// What mirrors a square's file, and its rank.
pub(in crate::games) const FILES: u8 = 0o07;
pub(in crate::games) const RANKS: u8 = 0o70;

/// What stands for squares outside of the triangle.
const OUTSIDE: u8 = u8::MAX;

/// The squares of the triangle, files a to d by ranks 1 to 4, and the number of each.
const SQUARES: ([u8; TRIANGLE], [u8; 64]) = {
    let (mut squares, mut numbers) = ([0; TRIANGLE], [OUTSIDE; 64]);
    let (mut next, mut square) = (0, 0);
    while square < 64 {
        let (file, rank) = (square % 8, square / 8);
        if file < 4 && rank <= file {
            squares[next] = square as u8;
            numbers[square] = next as u8;
            next += 1;
        }
        square += 1;
    }
    (squares, numbers)
};

/// The square of the triangle with a number.
pub(super) fn in_triangle(number: usize) -> u8 {
    SQUARES.0[number]
}

/// A square mirrored on the diagonal a1–h8.
pub(in crate::games) const fn transposed(square: u8) -> u8 {
    (square & 7) << 3 | square >> 3
}

/// The image of the board in which a square lies in the triangle.
#[derive(Clone, Copy, Debug)]
pub(in crate::games) struct Symmetry {
    flip: u8,
    is_transposed: bool,
}

impl Symmetry {
    /// The image for the lone king's square.
    pub(in crate::games) fn of(lone: u8) -> Self {
        let (file, rank) = (lone & 7, lone >> 3);
        let flip = if file > 3 { FILES } else { 0 } | if rank > 3 { RANKS } else { 0 };
        let flipped = lone ^ flip;
        Self { flip, is_transposed: flipped >> 3 > flipped & 7 }
    }

    /// A square's image.
    pub(in crate::games) fn map(self, square: u8) -> u8 {
        let flipped = square ^ self.flip;
        if self.is_transposed { transposed(flipped) } else { flipped }
    }

    /// The number of the lone king's image in the triangle.
    pub(super) fn number(self, lone: u8) -> usize {
        usize::from(SQUARES.1[usize::from(self.map(lone))])
    }
}

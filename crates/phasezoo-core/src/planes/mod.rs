//! Packed planes: a bit a cell where planes hold ones and zeros, one number where they hold one
//! (`docs/definitions/planes.md#packed-planes`).

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// What a plane holds, which says how it is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaneKind {
    /// Ones and zeros: packed as a bit a cell.
    Binary,
    /// The same number on all cells: packed as that number.
    Constant,
    /// Any numbers: packed as they are.
    General,
}

impl PlaneKind {
    /// The letter that stands for the kind in text: `b`, `c` or `g`.
    pub const fn letter(self) -> char {
        match self {
            Self::Binary => 'b',
            Self::Constant => 'c',
            Self::General => 'g',
        }
    }
}

/// Where the planes of one choice are in their packed form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedLayout {
    kinds: Vec<PlaneKind>,
    cells: usize,
}

/// The packed planes of one state.
#[derive(Debug)]
pub struct PackedRow<'a> {
    /// `u64[words]`: binary planes in their order, [`PackedLayout::words_of_plane`] each. Cell
    /// `i = row * W + column` is bit `i % 64` of word `i / 64`; the bits behind the last cell are 0.
    pub bits: &'a mut [u64],
    /// `f32[numbers]`: the constants in the order of their planes, then the general planes.
    pub numbers: &'a mut [f32],
}

impl PackedLayout {
    /// The layout of planes of those kinds with `cells` cells each.
    pub fn new(kinds: Vec<PlaneKind>, cells: usize) -> Self {
        Self { kinds, cells }
    }

    /// The kind of each plane.
    pub fn kinds(&self) -> &[PlaneKind] {
        &self.kinds
    }

    /// Words of one binary plane.
    pub const fn words_of_plane(&self) -> usize {
        self.cells.div_ceil(WORD)
    }

    /// Words of one state.
    pub fn words(&self) -> usize {
        self.count(PlaneKind::Binary) * self.words_of_plane()
    }

    /// Numbers of one state.
    pub fn numbers(&self) -> usize {
        self.count(PlaneKind::Constant) + self.count(PlaneKind::General) * self.cells
    }

    /// Bytes of one state.
    pub fn bytes(&self) -> usize {
        8 * self.words() + 4 * self.numbers()
    }

    /// Packs `planes` float32[C, H, W], for games that write no packed planes of their own.
    pub fn pack(&self, planes: &[f32], out: &mut PackedRow<'_>) {
        let (constants, general) = out.numbers.split_at_mut(self.count(PlaneKind::Constant));
        let mut binary = out.bits.chunks_exact_mut(self.words_of_plane());
        let mut constants = constants.iter_mut();
        let mut general = general.chunks_exact_mut(self.cells);
        for (kind, plane) in self.kinds.iter().zip(planes.chunks_exact(self.cells)) {
            match kind {
                PlaneKind::Binary => {
                    let words = binary.next().into_iter().flatten();
                    for (word, cells) in words.zip(plane.chunks(WORD)) {
                        let bit = |(at, &cell): (usize, &f32)| u64::from(cell != 0.0) << at;
                        *word = cells.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
                    }
                }
                PlaneKind::Constant => {
                    if let (Some(number), Some(&value)) = (constants.next(), plane.first()) {
                        *number = value;
                    }
                }
                PlaneKind::General => {
                    if let Some(cells) = general.next() {
                        cells.copy_from_slice(plane);
                    }
                }
            }
        }
    }

    /// Writes the planes float32[C, H, W] that `bits` and `numbers` of one state hold.
    pub fn unpack(&self, bits: &[u64], numbers: &[f32], planes: &mut [f32]) {
        let (constants, general) = numbers.split_at(self.count(PlaneKind::Constant));
        let mut binary = bits.chunks_exact(self.words_of_plane());
        let mut constants = constants.iter();
        let mut general = general.chunks_exact(self.cells);
        for (kind, plane) in self.kinds.iter().zip(planes.chunks_exact_mut(self.cells)) {
            match kind {
                PlaneKind::Binary => {
                    let words = binary.next().unwrap_or_default();
                    for (cells, word) in plane.chunks_mut(WORD).zip(words) {
                        for (at, cell) in cells.iter_mut().enumerate() {
                            *cell = f32::from((word >> at & 1) as u8);
                        }
                    }
                }
                PlaneKind::Constant => plane.fill(constants.next().copied().unwrap_or_default()),
                PlaneKind::General => {
                    plane.copy_from_slice(general.next().unwrap_or_default());
                }
            }
        }
    }

    fn count(&self, kind: PlaneKind) -> usize {
        self.kinds.iter().filter(|&&each| each == kind).count()
    }
}

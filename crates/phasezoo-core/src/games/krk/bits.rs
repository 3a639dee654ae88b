//! Bits of a word by their rank, without branches and without instructions that not all processors have.

/// Bits of each byte.
const COUNT: [u8; 256] = counts();
/// The place of the bit of each rank in each byte.
const NTH: [[u8; 256]; 8] = places();

const fn counts() -> [u8; 256] {
    let mut found = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        found[byte] = (byte as u8).count_ones() as u8;
        byte += 1;
    }
    found
}

const fn places() -> [[u8; 256]; 8] {
    let mut found = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut rank) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                found[rank][byte] = bit as u8;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    found
}

/// How many of the lowest 24 bits are set.
#[inline]
pub(super) fn count(word: u32) -> usize {
    (0..3).map(|at| usize::from(COUNT[byte(word, at)])).sum()
}

/// The bit of a rank among the lowest 24, of which more than `rank` are set.
#[inline]
pub(super) fn nth(word: u32, rank: usize) -> u32 {
    let first = usize::from(COUNT[byte(word, 0)]);
    let second = first + usize::from(COUNT[byte(word, 1)]);
    let (at, before) = match (rank >= first, rank >= second) {
        (false, _) => (0, 0),
        (true, false) => (1, first),
        (true, true) => (2, second),
    };
    8 * at + u32::from(NTH[(rank - before) & 7][byte(word, at)])
}

fn byte(word: u32, at: u32) -> usize {
    (word >> (8 * at) & 255) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_bits_one_by_one() {
        for word in (0..1_u32 << 24).step_by(5) {
            let bits: Vec<u32> = (0..24).filter(|&bit| word >> bit & 1 == 1).collect();
            assert_eq!(count(word), bits.len());
            assert!(bits.iter().enumerate().all(|(rank, &bit)| nth(word, rank) == bit));
        }
    }
}

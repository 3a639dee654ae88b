//! The random numbers of `CPython`'s `random`: the Mersenne Twister (Matsumoto and Nishimura, 1998),
//! seeded and read as that module does, so that the original's boards and games follow from a seed.

const WORDS: usize = 624;
const MIDDLE: usize = 397;

/// A generator that draws what `random.seed(n)` and its functions would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twister {
    words: Box<[u32; WORDS]>,
    next: usize,
}

impl Twister {
    /// The generator after `random.seed(seed)`.
    pub fn new(seed: u64) -> Self {
        let key = [seed as u32, (seed >> 32) as u32];
        let length = if key[1] == 0 { 1 } else { 2 };
        let mut twister = Self { words: Box::new([0; WORDS]), next: WORDS };
        twister.seed_with(&key[..length]);
        twister
    }

    /// Where the generator stands: its words, and which comes next.
    pub fn state(&self) -> (&[u32], usize) {
        (&self.words[..], self.next)
    }

    /// The generator that stands there; `None` if the numbers are none of [`Twister::state`].
    pub fn from_state(words: &[u32], next: usize) -> Option<Self> {
        let words: Box<[u32; WORDS]> = words.to_vec().into_boxed_slice().try_into().ok()?;
        (next <= WORDS).then_some(Self { words, next })
    }

    fn seed_simply(&mut self, seed: u32) {
        self.words[0] = seed;
        for i in 1..WORDS {
            let last = self.words[i - 1];
            self.words[i] =
                1_812_433_253_u32.wrapping_mul(last ^ last >> 30).wrapping_add(i as u32);
        }
    }

    /// The published seeding by a list of words.
    fn seed_with(&mut self, key: &[u32]) {
        self.seed_simply(19_650_218);
        let (mut i, mut j) = (1, 0);
        for _ in 0..WORDS.max(key.len()) {
            let last = self.words[i - 1];
            self.words[i] = (self.words[i] ^ (last ^ last >> 30).wrapping_mul(1_664_525))
                .wrapping_add(key[j])
                .wrapping_add(j as u32);
            (i, j) = (i + 1, (j + 1) % key.len());
            if i >= WORDS {
                self.words[0] = self.words[WORDS - 1];
                i = 1;
            }
        }
        for _ in 1..WORDS {
            let last = self.words[i - 1];
            self.words[i] = (self.words[i] ^ (last ^ last >> 30).wrapping_mul(1_566_083_941))
                .wrapping_sub(i as u32);
            i += 1;
            if i >= WORDS {
                self.words[0] = self.words[WORDS - 1];
                i = 1;
            }
        }
        self.words[0] = 1 << 31;
        self.next = WORDS;
    }

    fn twist(&mut self) {
        let mix = |this: u32, next: u32, far: u32| {
            let joined = this & 1 << 31 | next & !(1 << 31);
            far ^ joined >> 1 ^ (joined & 1).wrapping_neg() & 0x9908_b0df
        };
        let words = &mut *self.words;
        for i in 0..WORDS - MIDDLE {
            words[i] = mix(words[i], words[i + 1], words[i + MIDDLE]);
        }
        for i in WORDS - MIDDLE..WORDS - 1 {
            words[i] = mix(words[i], words[i + 1], words[i + MIDDLE - WORDS]);
        }
        words[WORDS - 1] = mix(words[WORDS - 1], words[0], words[MIDDLE - 1]);
        self.next = 0;
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.next == WORDS {
            self.twist();
        }
        let word = self.words[self.next];
        self.next += 1;
        let word = word ^ word >> 11;
        let word = word ^ word << 7 & 0x9d2c_5680;
        let word = word ^ word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    /// A whole number below `bound`, from 1 to 2^31: bits of the number's own length until they fit. One
    /// below 1 is drawn too.
    pub fn below(&mut self, bound: usize) -> usize {
        let bits = usize::BITS - bound.leading_zeros();
        loop {
            let drawn = (self.next_u32() >> (32 - bits)) as usize;
            if drawn < bound {
                return drawn;
            }
        }
    }

    /// Whether `random.random()` would be below one half.
    pub fn coin(&mut self) -> bool {
        let first = self.next_u32();
        self.next_u32();
        first >> 31 == 0
    }

    /// Leaves out so many coins.
    pub(super) fn skip_coins(&mut self, count: usize) {
        // A coin takes two words.
        let mut left = 2 * count;
        while left > WORDS - self.next {
            left -= WORDS - self.next;
            self.twist();
        }
        self.next += left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_published_generator() {
        // First output for the key {0x123, 0x234, 0x345, 0x456}, from the authors' test file.
        let mut twister = Twister { words: Box::new([0; WORDS]), next: WORDS };
        twister.seed_with(&[0x123, 0x234, 0x345, 0x456]);
        let first: Vec<u32> = (0..3).map(|_| twister.next_u32()).collect();
        assert_eq!(first, [1_067_595_299, 955_945_823, 477_289_528]);
    }

    #[test]
    fn skipping_is_throwing() {
        let (mut thrown, mut skipped) = (Twister::new(7), Twister::new(7));
        for count in [0, 1, 5, 306, 0, 311, 312, 313, 2_000, 1, 624] {
            (0..count).for_each(|_| {
                thrown.coin();
            });
            skipped.skip_coins(count);
            assert_eq!(thrown, skipped, "{count}");
            assert_eq!(thrown.below(5), skipped.below(5));
        }
    }
}

//! Seeded random streams. Everything random in the core draws from a [`Stream`]; a stream is split by
//! naming a child, so that no two parts of a program share one (`docs/definitions/randomness.md`).

/// A small, fast generator (`xoshiro256++` by Blackman and Vigna, 2019), the same on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    words: [u64; 4],
}

/// One step of `splitmix64` (Steele, Lea and Flood, 2014): advances `state` and mixes it.
pub fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mix(*state)
}

/// The finaliser of `splitmix64`: a bijection that spreads every input bit over the output.
pub const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

impl Stream {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Self { words: std::array::from_fn(|_| splitmix64(&mut state)) }
    }

    /// The stream of a child, such as one board of many: differs from its siblings and its parent.
    #[must_use]
    pub fn derive(seed: u64, child: u64) -> Self {
        Self::new(mix(seed ^ mix(child.wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }

    /// Where the stream stands, for [`Stream::from_words`].
    pub const fn words(&self) -> [u64; 4] {
        self.words
    }

    /// The stream that stands there.
    pub const fn from_words(words: [u64; 4]) -> Self {
        Self { words }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.words;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.words = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A whole number below `bound`, which is not zero (Lemire's multiplication; the bias is below
    /// `bound / 2^64`).
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A standard normal number (Box and Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// A number with the gamma distribution of shape `alpha > 0` and scale 1 (Marsaglia and Tsang,
    /// 2000; shapes below 1 by their boost).
    pub fn gamma(&mut self, alpha: f64) -> f64 {
        if alpha < 1.0 {
            let boost = (1.0 - self.unit()).powf(1.0 / alpha);
            return self.gamma(alpha + 1.0) * boost;
        }
        let d = alpha - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && (1.0 - self.unit()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_values() {
        // First outputs for seed 1234567, as published with the reference implementation.
        let mut state = 1_234_567;
        let values: Vec<u64> = (0..3).map(|_| splitmix64(&mut state)).collect();
        assert_eq!(
            values,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn children_differ_from_each_other_and_repeat() {
        let mut seen = std::collections::HashSet::new();
        for child in 0..10_000 {
            assert!(seen.insert(Stream::derive(7, child).next_u64()));
        }
        assert_eq!(Stream::derive(7, 3).next_u64(), Stream::derive(7, 3).next_u64());
    }

    #[test]
    fn moments_of_the_distributions_are_right() {
        let mut stream = Stream::new(1);
        let n = 200_000;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let normal: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let squares: Vec<f64> = normal.iter().map(|x| x * x).collect();
        assert!(mean(&normal).abs() < 0.02 && (mean(&squares) - 1.0).abs() < 0.02);
        for alpha in [0.3, 1.0, 4.0] {
            let gamma: Vec<f64> = (0..n).map(|_| stream.gamma(alpha)).collect();
            assert!((mean(&gamma) - alpha).abs() < 0.05 * alpha.max(0.5));
        }
        assert!((0..1000).all(|_| stream.below(7) < 7));
    }
}

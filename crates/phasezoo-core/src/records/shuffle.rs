//! Permutations that need hardly any memory: any place of any epoch's order can be asked for at once.

use crate::rng::{Stream, mix};

/// Rounds of the network. Luby and Rackoff (1988) show that four make it indistinguishable from
/// random; two more cost little.
const ROUNDS: usize = 6;

/// Lengths up to which a permutation is written down. A network of few bits reaches some orders more
/// often than others, and one that permutes a power of four is even.
const MOST_LISTED: u64 = 1_024;

/// A permutation of `0..len`, chosen by a seed.
///
/// A short one is shuffled (Durstenfeld, 1964). Of a longer one a balanced Feistel network permutes the
/// smallest power of four that holds `len`; numbers that come out too large are put in again until one
/// fits (cycle walking: Black and Rogaway, 2002), four times at most on average.
#[derive(Clone, Debug)]
pub struct Permutation {
    len: u64,
    order: Order,
}

#[derive(Clone, Debug)]
enum Order {
    Listed(Vec<u16>),
    Network { half: u32, keys: [u64; ROUNDS] },
}

impl Permutation {
    /// The permutation of `0..len` that belongs to `seed`.
    pub fn new(len: u64, seed: u64) -> Self {
        let mut stream = Stream::new(seed);
        let order = if len <= MOST_LISTED {
            Order::Listed(shuffled(len as u16, &mut stream))
        } else {
            let bits = u64::BITS - (len - 1).leading_zeros();
            let keys = std::array::from_fn(|_| stream.next_u64());
            Order::Network { half: bits.div_ceil(2), keys }
        };
        Self { len, order }
    }

    /// What stands at place `index`, which is below `len`.
    pub fn get(&self, index: u64) -> u64 {
        debug_assert!(index < self.len);
        match &self.order {
            Order::Listed(numbers) => numbers[index as usize].into(),
            Order::Network { half, keys } => {
                let mut value = network(index, *half, keys);
                while value >= self.len {
                    value = network(value, *half, keys);
                }
                value
            }
        }
    }
}

fn shuffled(len: u16, stream: &mut Stream) -> Vec<u16> {
    let mut numbers: Vec<u16> = (0..len).collect();
    for last in (1..numbers.len()).rev() {
        numbers.swap(last, stream.below(last + 1));
    }
    numbers
}

fn network(value: u64, half: u32, keys: &[u64; ROUNDS]) -> u64 {
    let mask = (1_u64 << half) - 1;
    let (mut left, mut right) = (value >> half, value & mask);
    for key in keys {
        (left, right) = (right, left ^ (mix(right ^ key) & mask));
    }
    left << half | right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for len in (1..70).chain([1000, 1024, 1025, 4096, 4097, 65_537]) {
            let permutation = Permutation::new(len, 3);
            let mut seen: Vec<u64> = (0..len).map(|index| permutation.get(index)).collect();
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..len));
        }
    }

    #[test]
    fn seeds_give_different_orders_and_places_are_uniform() {
        let first: Vec<u64> = (0..8).map(|seed| Permutation::new(1 << 20, seed).get(0)).collect();
        assert_eq!(first.iter().collect::<std::collections::HashSet<_>>().len(), 8);
        // Chi-squared of where the number at place 3 comes from, over seeds: 9 degrees of freedom,
        // 99.9 % quantile 27.9.
        let mut counts = [0_f64; 10];
        for seed in 0..20_000 {
            counts[Permutation::new(10, seed).get(3) as usize] += 1.0;
        }
        let chi: f64 = counts.iter().map(|count| (count - 2000.0).powi(2) / 2000.0).sum();
        assert!(chi < 27.9, "{chi}");
    }

    /// Chi-squared of how often each of `cells` came, over `draws`; its mean is `cells - 1` and its
    /// variance twice that if all come alike.
    fn chi_squared(
        counts: &std::collections::HashMap<Vec<u64>, u32>,
        cells: f64,
        draws: f64,
    ) -> f64 {
        let expected = draws / cells;
        let seen: f64 =
            counts.values().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
        seen + (cells - counts.len() as f64) * expected
    }

    #[test]
    fn short_permutations_come_all_alike() {
        for (len, cells) in [(2_u64, 2.0), (3, 6.0), (4, 24.0), (5, 120.0), (6, 720.0)] {
            let mut counts = std::collections::HashMap::new();
            let draws = 40 * cells as u64 + 2_000;
            for seed in 0..draws {
                let permutation = Permutation::new(len, seed);
                let order = (0..len).map(|index| permutation.get(index)).collect();
                *counts.entry(order).or_insert(0) += 1;
            }
            let (chi, freedom) = (chi_squared(&counts, cells, draws as f64), cells - 1.0);
            assert!((chi - freedom).abs() < 5.0 * (2.0 * freedom).sqrt() + 5.0, "{len}: {chi}");
        }
    }

    #[test]
    fn pairs_of_places_and_parities_come_alike() {
        for len in [7_u64, 16, 31, 32, 64, 256, 1024] {
            let draws = 20_000;
            let (mut pairs, mut odd) = (std::collections::HashMap::new(), 0);
            for seed in 0..draws {
                let permutation = Permutation::new(len, seed);
                let pair = vec![permutation.get(0) * 8 / len, permutation.get(len - 1) * 8 / len];
                *pairs.entry(pair).or_insert(0) += 1;
                odd += u64::from(len <= 64 && is_odd(&permutation));
            }
            if len <= 64 {
                // Five standard deviations of a fair coin.
                assert!(odd.abs_diff(draws / 2) < 354, "{len}: {odd} of {draws} are odd");
            }
            if len >= 256 {
                // Both places in eighths: 64 cells that are nearly alike.
                let chi = chi_squared(&pairs, 64.0, draws as f64);
                assert!((chi - 63.0).abs() < 60.0, "{len}: {chi}");
            }
        }
    }

    fn is_odd(permutation: &Permutation) -> bool {
        let numbers: Vec<u64> = (0..permutation.len).map(|index| permutation.get(index)).collect();
        let above = |at: usize| numbers[at + 1..].iter().filter(|&&n| n < numbers[at]).count();
        (0..numbers.len()).map(above).sum::<usize>() % 2 == 1
    }
}

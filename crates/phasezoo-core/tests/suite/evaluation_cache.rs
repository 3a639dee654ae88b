//! The evaluation cache against a list that does the same slowly.

use std::collections::HashSet;

use phasezoo_core::rng::Stream;
use phasezoo_core::search::{CacheKey, EvaluationCache};

/// The same, newest last.
struct Slow(Vec<(CacheKey, u32, Vec<f32>)>);

impl Slow {
    fn get(&mut self, key: CacheKey, layout: u32) -> Option<Vec<f32>> {
        let at = self.0.iter().position(|entry| entry.0 == key && entry.1 == layout)?;
        let found = self.0.remove(at);
        self.0.push(found.clone());
        Some(found.2)
    }

    fn put(&mut self, key: CacheKey, layout: u32, numbers: Vec<f32>) {
        self.0.retain(|entry| entry.0 != key);
        self.0.push((key, layout, numbers));
    }
}

#[test]
fn it_holds_what_was_used_last_within_its_bound() {
    for capacity in [0, 1_000, 60_000, 200_000] {
        let (mut cache, mut slow) = (EvaluationCache::new(capacity), Slow(Vec::new()));
        let mut stream = Stream::new(5);
        let mut fullest = 0;
        for _ in 0..20_000 {
            let key = CacheKey(stream.below(3_000) as u64, 7);
            let layout = u32::from(stream.below(50) == 0);
            if stream.below(2) == 0 {
                let numbers: Vec<f32> = (0..stream.below(60)).map(|x| x as f32).collect();
                cache.put(key, layout, &numbers);
                slow.put(key, layout, numbers);
                let excess = slow.0.len() - cache.len().min(slow.0.len());
                slow.0.drain(..excess);
            } else {
                assert_eq!(cache.get(key, layout).map(<[f32]>::to_vec), slow.get(key, layout));
            }
            assert!(cache.bytes() <= capacity, "{} of {capacity}", cache.bytes());
            assert_eq!(cache.len(), slow.0.len());
            fullest = fullest.max(cache.bytes());
        }
        assert!(capacity < 2_000 || fullest * 2 > capacity, "{fullest} of {capacity}");
        cache.clear();
        assert!(cache.is_empty() && cache.bytes() == 0);
    }
}

#[test]
fn keys_tell_apart_whatever_an_answer_depends_on() {
    let mut stream = Stream::new(1);
    let mut planes = vec![0.0_f32; 39 * 64 + 3];
    for plane in &mut planes {
        *plane = f32::from(stream.below(3) == 0);
    }
    let legal: Vec<u32> = (0..35).map(|x| 7 * x).collect();
    let mut seen = HashSet::new();
    let mut add = |key: CacheKey| assert!(seen.insert((key.0, key.1)) && key.0 != key.1);
    add(CacheKey::of(&planes, 0, &legal, 0));
    add(CacheKey::of(&planes, 1, &legal, 0));
    add(CacheKey::of(&planes, 0, &legal, 1));
    add(CacheKey::of(&planes, 0, &legal[1..], 0));
    add(CacheKey::of(&planes, 0, &legal[..34], 0));
    for changed in 0..planes.len() {
        let before = planes[changed];
        planes[changed] = 1.0 - before;
        add(CacheKey::of(&planes, 0, &legal, 0));
        planes[changed] = before;
    }
    for blank in [0, 1, 2, 4, 8, 64, 65] {
        add(CacheKey::of(&vec![0.0; blank], 0, &[], 0));
    }
}

#[test]
fn both_halves_of_a_key_are_hashes() {
    let (mut first, mut second) = (HashSet::new(), HashSet::new());
    for number in 0..200_000_u32 {
        let planes =
            [f32::from_bits(number), 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, f32::from_bits(number % 7)];
        let key = CacheKey::of(&planes, 0, &[1, 2, 3], 0);
        assert!(first.insert(key.0) && second.insert(key.1));
    }
}

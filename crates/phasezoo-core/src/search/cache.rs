//! Answers of evaluators that are kept for positions which come again.

use std::mem::size_of;

use crate::game::{Action, Player};

/// Entries that a cache has room for when it gets its first one.
const FIRST: usize = 256;

/// What an allocation takes besides the bytes that were asked for.
const ALLOCATION: usize = 16;

/// No entry.
const NONE: u32 = u32::MAX;

/// What an answer depends on, in 128 bits: two positions share a key by chance once in 10^38 pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheKey(pub u64, pub u64);

impl CacheKey {
    /// The key of a row: its planes, whose turn it is, what is legal, and who is asked.
    pub fn of(planes: &[f32], player: Player, legal: &[Action], asked: u64) -> Self {
        let mut mixer = Mixer::new(asked, u64::from(player));
        let (pairs, rest) = planes.as_chunks::<4>();
        for four in pairs {
            mixer.add(
                two(four[0].to_bits(), four[1].to_bits()),
                two(four[2].to_bits(), four[3].to_bits()),
            );
        }
        let tail: Vec<u32> =
            rest.iter().map(|x| x.to_bits()).chain(legal.iter().copied()).collect();
        for pair in tail.chunks(2) {
            mixer.add(two(pair[0], pair.get(1).copied().unwrap_or(u32::MAX)), 0);
        }
        mixer.add(planes.len() as u64, legal.len() as u64);
        Self(mixer.first, mixer.second)
    }
}

fn two(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Two hashes by folded products, each of 64 bits.
struct Mixer {
    first: u64,
    second: u64,
}

impl Mixer {
    /// Odd numbers without a pattern: digits of the golden ratio, of e, of pi and of sqrt 2.
    const SALT: [u64; 4] = [
        0x9E37_79B9_7F4A_7C15,
        0xB7E1_5162_8AED_2A6B,
        0x243F_6A88_85A3_08D3,
        0x6A09_E667_F3BC_C909,
    ];

    fn new(asked: u64, player: u64) -> Self {
        let mut mixer = Self { first: Self::SALT[2], second: Self::SALT[3] };
        mixer.add(asked, player);
        mixer
    }

    fn add(&mut self, a: u64, b: u64) {
        self.first = folded(a ^ self.first, b ^ Self::SALT[0]);
        self.second = folded(a ^ Self::SALT[1], b ^ self.second);
    }
}

/// The product of two words, its halves one over the other.
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    // A factor of 0 would forget the other one.
    (product as u64) ^ ((product >> 64) as u64) ^ a.rotate_left(29) ^ b.rotate_left(41)
}

struct Entry {
    key: CacheKey,
    numbers: Box<[f32]>,
    layout: u32,
    newer: u32,
    older: u32,
}

/// Keeps what was used last, within a bound of bytes that counts everything it allocates.
pub struct EvaluationCache {
    capacity: usize,
    entries: Vec<Entry>,
    /// Numbers of entries, each at the first free place from the one that its key names; as many as a
    /// power of two, at most half of them taken.
    index: Vec<u32>,
    newest: u32,
    oldest: u32,
    /// Bytes of all `Entry::numbers`.
    numbers: usize,
}

impl EvaluationCache {
    /// A cache of at most `capacity` bytes.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: Vec::new(),
            index: Vec::new(),
            newest: NONE,
            oldest: NONE,
            numbers: 0,
        }
    }

    /// How many answers are kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.numbers + tables(self.entries.capacity())
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new(self.capacity);
    }

    /// What is kept under `key`, if it is of this layout.
    pub fn get(&mut self, key: CacheKey, layout: u32) -> Option<&[f32]> {
        let id = self.find(key)?;
        if self.entries[id as usize].layout != layout {
            return None;
        }
        self.unlink(id);
        self.link_newest(id);
        Some(&self.entries[id as usize].numbers)
    }

    /// Keeps an answer, in place of one under the same key, and of the least recently used ones if there
    /// is no room. One that is larger than the whole cache is not kept.
    pub fn put(&mut self, key: CacheKey, layout: u32, numbers: &[f32]) {
        let size = size_of_numbers(numbers.len());
        if let Some(id) = self.find(key) {
            self.unlink(id);
            self.link_newest(id);
            let entry = &mut self.entries[id as usize];
            self.numbers -= size_of_numbers(entry.numbers.len());
            self.numbers += size;
            (entry.numbers, entry.layout) = (numbers.into(), layout);
            while self.bytes() > self.capacity && self.remove_oldest() {}
            return;
        }
        while self.bytes() + size > self.capacity && self.remove_oldest() {}
        if self.entries.len() == self.entries.capacity()
            && !self.grow(size)
            && !self.remove_oldest()
        {
            return;
        }
        if self.bytes() + size > self.capacity {
            return;
        }
        let id = self.entries.len() as u32;
        self.numbers += size;
        self.entries.push(Entry { key, numbers: numbers.into(), layout, newer: NONE, older: NONE });
        let place = self.place_of(key, NONE);
        self.index[place] = id;
        self.link_newest(id);
    }

    fn find(&self, key: CacheKey) -> Option<u32> {
        if self.index.is_empty() {
            return None;
        }
        let mask = self.index.len() - 1;
        let mut place = key.0 as usize & mask;
        while let Some(entry) = self.entries.get(self.index[place] as usize) {
            if entry.key == key {
                return Some(self.index[place]);
            }
            place = (place + 1) & mask;
        }
        None
    }

    /// Where the index has `id` under `key`; of [`NONE`], where it has room.
    fn place_of(&self, key: CacheKey, id: u32) -> usize {
        let mask = self.index.len() - 1;
        let mut place = key.0 as usize & mask;
        while self.index[place] != id {
            place = (place + 1) & mask;
        }
        place
    }

    /// Takes an entry out of the index, and moves those up that had to give way to it.
    fn unindex(&mut self, key: CacheKey, id: u32) {
        let mask = self.index.len() - 1;
        let mut free = self.place_of(key, id);
        let mut place = free;
        loop {
            place = (place + 1) & mask;
            let Some(entry) = self.entries.get(self.index[place] as usize) else { break };
            let home = entry.key.0 as usize & mask;
            // Whether its home is not between the free place and its own.
            if (place.wrapping_sub(home) & mask) >= (place.wrapping_sub(free) & mask) {
                self.index[free] = self.index[place];
                free = place;
            }
        }
        self.index[free] = NONE;
    }

    /// Makes room for twice as many entries, unless that leaves none for `size` bytes more.
    fn grow(&mut self, size: usize) -> bool {
        let wanted = (2 * self.entries.capacity()).max(FIRST);
        if wanted >= NONE as usize || self.numbers + tables(wanted) + size > self.capacity {
            return false;
        }
        self.entries.reserve_exact(wanted - self.entries.len());
        self.index = vec![NONE; buckets(self.entries.capacity())];
        for id in 0..self.entries.len() {
            let place = self.place_of(self.entries[id].key, NONE);
            self.index[place] = id as u32;
        }
        true
    }

    fn remove_oldest(&mut self) -> bool {
        let id = self.oldest;
        if id == NONE {
            return false;
        }
        self.unlink(id);
        self.unindex(self.entries[id as usize].key, id);
        let last = (self.entries.len() - 1) as u32;
        if id != last {
            // The last entry moves to where the removed one lies.
            let Entry { key, newer, older, .. } = self.entries[last as usize];
            let place = self.place_of(key, last);
            self.index[place] = id;
            self.point(newer, older, id);
        }
        let gone = self.entries.swap_remove(id as usize);
        self.numbers -= size_of_numbers(gone.numbers.len());
        true
    }

    /// Makes the neighbours of an entry point to `id`.
    fn point(&mut self, newer: u32, older: u32, id: u32) {
        match self.entries.get_mut(newer as usize) {
            Some(entry) => entry.older = id,
            None => self.newest = id,
        }
        match self.entries.get_mut(older as usize) {
            Some(entry) => entry.newer = id,
            None => self.oldest = id,
        }
    }

    fn unlink(&mut self, id: u32) {
        let Entry { newer, older, .. } = self.entries[id as usize];
        match self.entries.get_mut(newer as usize) {
            Some(entry) => entry.older = older,
            None => self.newest = older,
        }
        match self.entries.get_mut(older as usize) {
            Some(entry) => entry.newer = newer,
            None => self.oldest = newer,
        }
    }

    fn link_newest(&mut self, id: u32) {
        let older = self.newest;
        let entry = &mut self.entries[id as usize];
        (entry.newer, entry.older) = (NONE, older);
        self.point(NONE, older, id);
    }
}

/// Bytes of the tables for so many entries.
fn tables(entries: usize) -> usize {
    entries * size_of::<Entry>() + buckets(entries) * size_of::<u32>()
}

fn buckets(entries: usize) -> usize {
    if entries == 0 { 0 } else { (2 * entries).next_power_of_two() }
}

fn size_of_numbers(count: usize) -> usize {
    (4 * count).next_multiple_of(ALLOCATION) + ALLOCATION
}

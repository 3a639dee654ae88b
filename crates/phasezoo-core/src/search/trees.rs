//! The searches of a pool, by number.

use crate::error::{Error, Result};

/// Searches with numbers, of which none is given twice.
pub(crate) struct Trees<T> {
    /// `None` where a search was removed.
    all: Vec<Option<T>>,
    /// How many are left.
    count: usize,
}

impl<T> Trees<T> {
    pub(crate) fn new() -> Self {
        Self { all: Vec::new(), count: 0 }
    }

    /// Adds a search, and returns its number.
    pub(crate) fn add(&mut self, search: T) -> Result<u32> {
        let tree = u32::try_from(self.all.len())
            .map_err(|_| Error::InvalidState("a pool holds 2^32 trees at most".into()))?;
        self.all.push(Some(search));
        self.count += 1;
        Ok(tree)
    }

    /// Forgets a search; its number is not used again.
    pub(crate) fn remove(&mut self, tree: u32) -> Result<()> {
        let found = self.all.get_mut(tree as usize).and_then(Option::take);
        found.ok_or_else(|| unknown(tree))?;
        self.count -= 1;
        Ok(())
    }

    /// Forgets all searches.
    pub(crate) fn remove_all(&mut self) {
        self.all.iter_mut().for_each(|search| *search = None);
        self.count = 0;
    }

    /// How many searches were not removed.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// How many numbers have been given.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The searches that were not removed.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.all.iter().flatten()
    }

    /// All searches by number, to be divided among threads.
    pub(crate) fn slots(&mut self) -> &mut [Option<T>] {
        &mut self.all
    }

    /// A search that a caller names.
    pub(crate) fn get(&self, tree: u32) -> Result<&T> {
        self.find(tree as usize).ok_or_else(|| unknown(tree))
    }

    /// A search that a caller names, to be changed.
    pub(crate) fn get_mut(&mut self, tree: u32) -> Result<&mut T> {
        self.find_mut(tree as usize).ok_or_else(|| unknown(tree))
    }

    /// A search, unless it was removed.
    pub(crate) fn find(&self, tree: usize) -> Option<&T> {
        self.all.get(tree)?.as_ref()
    }

    /// A search, unless it was removed, to be changed.
    pub(crate) fn find_mut(&mut self, tree: usize) -> Option<&mut T> {
        self.all.get_mut(tree)?.as_mut()
    }
}

fn unknown(tree: u32) -> Error {
    Error::InvalidState(format!("tree {tree} is not in this pool: add() makes one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_given_once_and_those_left_are_counted() {
        let mut trees = Trees::new();
        assert_eq!([trees.add('a').unwrap(), trees.add('b').unwrap()], [0, 1]);
        trees.remove(0).unwrap();
        assert!(trees.remove(0).is_err() && trees.get(0).is_err() && trees.get(7).is_err());
        assert_eq!((trees.add('c').unwrap(), trees.count(), trees.len()), (2, 2, 3));
        assert_eq!(trees.iter().collect::<String>(), "bc");
        trees.remove_all();
        assert_eq!((trees.count(), trees.add('d').unwrap(), trees.count()), (0, 3, 1));
    }
}

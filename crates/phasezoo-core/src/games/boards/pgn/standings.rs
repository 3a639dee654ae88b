//! The players of all games by their mean rating, and who are the best of them.

use std::collections::HashMap;

use super::game::Seats;

/// Ratings of the players of one kind of games.
#[derive(Clone, Debug, Default)]
pub(super) struct Standings(HashMap<String, Ratings>);

/// The ratings that a player had.
#[derive(Clone, Copy, Debug, Default)]
struct Ratings {
    sum: u64,
    games: u32,
}

impl Ratings {
    fn mean(self) -> f64 {
        self.sum as f64 / f64::from(self.games)
    }
}

/// Where the best players begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Top {
    /// The least mean rating of the best players.
    pub rating: f64,
    /// How many of the best there are.
    pub best: usize,
    /// How many players have a name and a rating.
    pub players: usize,
}

impl Standings {
    /// Counts the players of a game, those who have a name and a rating.
    pub(super) fn add(&mut self, players: &Seats<Option<String>>, ratings: Seats<Option<i16>>) {
        for (name, rating) in players.iter().zip(ratings) {
            let (Some(name), Some(rating)) = (name, rating) else { continue };
            let known = match self.0.get_mut(name) {
                Some(known) => known,
                None => self.0.entry(name.clone()).or_default(),
            };
            known.sum += u64::from(rating.unsigned_abs());
            known.games += 1;
        }
    }

    /// The best `share` of the players, rounded up; those who are level with the last are among them.
    /// `None` if there is no player.
    pub(super) fn top(&self, share: f64) -> Option<Top> {
        let mut means: Vec<f64> = self.0.values().map(|ratings| ratings.mean()).collect();
        means.sort_unstable_by(|a, b| b.total_cmp(a));
        // A share of 0.1 of 30 players is 3, not the 4 that rounding errors would make of it.
        let wanted = (share * means.len() as f64 - 1e-9).ceil().max(1.0) as usize;
        let rating = *means.get(wanted.min(means.len()).checked_sub(1)?)?;
        let best = means.partition_point(|&mean| mean >= rating);
        Some(Top { rating, best, players: means.len() })
    }

    /// Whether a player is among the best.
    pub(super) fn is_among(&self, top: Top, name: &str) -> bool {
        self.0.get(name).is_some_and(|ratings| ratings.mean() >= top.rating)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings(players: &[(&str, i16)]) -> Standings {
        let mut standings = Standings::default();
        for &(name, rating) in players {
            standings.add(&[Some(name.into()), None], [Some(rating), Some(2900)]);
        }
        standings
    }

    #[test]
    fn players_are_ranked_by_their_mean_rating() {
        let standings = standings(&[("a", 2000), ("a", 2400), ("b", 2300), ("c", 1000)]);
        let top = standings.top(0.3).unwrap();
        assert_eq!(top, Top { rating: 2300.0, best: 1, players: 3 });
        assert!(standings.is_among(top, "b") && !standings.is_among(top, "a"));
        assert_eq!(standings.top(0.34).unwrap().rating, 2200.0, "shares are rounded up");
        assert_eq!(standings.top(1.0).unwrap().best, 3);
        assert_eq!(Standings::default().top(0.5), None);
    }

    #[test]
    fn who_is_level_with_the_last_of_the_best_is_one_of_them() {
        let level: Vec<String> = (0..30).map(|player| player.to_string()).collect();
        let players: Vec<(&str, i16)> = level
            .iter()
            .enumerate()
            .map(|(i, name)| (name.as_str(), 2000 - i as i16 / 2))
            .collect();
        let top = standings(&players).top(0.1).unwrap();
        assert_eq!((top.rating, top.best), (1999.0, 4));
    }
}

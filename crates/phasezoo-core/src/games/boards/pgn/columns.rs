//! Games in columns.

use std::collections::HashMap;

use super::game::Game;

/// Games of one kind in columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// All actions, one game after the other, a ply each.
    pub actions: Vec<u16>,
    /// Where each game's actions begin, and the end of the last.
    pub offsets: Vec<i64>,
    /// +1 White won, 0 drawn, -1 Black won.
    pub result: Vec<i8>,
    /// Games that do not start from the initial position, ascending, with their FEN.
    pub start_fens: Vec<(usize, String)>,
    /// Names of players.
    pub names: Vec<String>,
    /// Of each game White and Black, as indices of names; -1 where unknown.
    pub players: Vec<[i32; 2]>,
    /// The index of each game's file, in the order in which they were read.
    pub files: Vec<i32>,
    /// White's rating, 0 where unknown.
    pub white_elo: Vec<i16>,
    /// Black's rating, 0 where unknown.
    pub black_elo: Vec<i16>,
    /// `YYYY.MM.DD` with `?` for unknown digits; zero bytes where nothing is known.
    pub dates: Vec<[u8; 10]>,
    /// Whether a game ends before a fault of its text.
    pub salvaged: Vec<bool>,
    /// What comments say of the position after each ply, if that was asked for: pawns for White,
    /// infinite where a mate is announced, nan where they say nothing.
    pub evals: Vec<f32>,
    indices: HashMap<String, i32>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            actions: Vec::new(),
            offsets: vec![0],
            result: Vec::new(),
            start_fens: Vec::new(),
            names: Vec::new(),
            players: Vec::new(),
            files: Vec::new(),
            white_elo: Vec::new(),
            black_elo: Vec::new(),
            dates: Vec::new(),
            salvaged: Vec::new(),
            evals: Vec::new(),
            indices: HashMap::new(),
        }
    }
}

impl Columns {
    /// The number of games.
    pub fn len(&self) -> usize {
        self.result.len()
    }

    /// Whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.result.is_empty()
    }

    pub(super) fn push(&mut self, game: Game, file: usize) {
        let index = self.len();
        if let Some(fen) = game.start_fen {
            self.start_fens.push((index, fen));
        }
        self.actions.extend(game.actions);
        self.evals.extend(game.evals);
        self.offsets.push(self.actions.len() as i64);
        self.result.push(game.result);
        let players = game.players.map(|name| self.index(name));
        self.players.push(players);
        self.files.push(file as i32);
        self.salvaged.push(game.salvaged);
        let [white, black] = game.ratings.map(Option::unwrap_or_default);
        self.white_elo.push(white);
        self.black_elo.push(black);
        self.dates.push(game.date.unwrap_or_default());
    }

    /// The index of a name, which is given one if it is new.
    fn index(&mut self, name: Option<String>) -> i32 {
        let Some(name) = name else { return -1 };
        if let Some(&index) = self.indices.get(&name) {
            return index;
        }
        let index = self.names.len() as i32;
        self.names.push(name.clone());
        self.indices.insert(name, index);
        index
    }

    /// The games of these columns for which `keep` is true of their players' indices.
    pub(super) fn retained(self, keep: impl Fn([i32; 2]) -> bool) -> Self {
        let mut kept = Self { names: self.names, indices: self.indices, ..Self::default() };
        let mut starts = self.start_fens.into_iter().peekable();
        for (game, &players) in self.players.iter().enumerate() {
            let fen = starts.next_if(|(at, _)| *at == game).map(|(_, fen)| fen);
            if !keep(players) {
                continue;
            }
            let index = kept.len();
            kept.start_fens.extend(fen.map(|fen| (index, fen)));
            let plies = self.offsets[game] as usize..self.offsets[game + 1] as usize;
            kept.evals.extend(self.evals.get(plies.clone()).unwrap_or_default());
            kept.actions.extend(&self.actions[plies]);
            kept.offsets.push(kept.actions.len() as i64);
            kept.result.push(self.result[game]);
            kept.players.push(players);
            kept.files.push(self.files[game]);
            kept.salvaged.push(self.salvaged[game]);
            kept.white_elo.push(self.white_elo[game]);
            kept.black_elo.push(self.black_elo[game]);
            kept.dates.push(self.dates[game]);
        }
        kept
    }
}

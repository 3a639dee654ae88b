//! Games that a scripted player plays against itself, as columns to store.

use super::Stored;
use super::stored::{learners, width};
use crate::error::{Error, Result};
use crate::game::{Action, Game, MAX_PLAYERS, Player, PlayerSet, Scripted, Turn, random_action};
use crate::memory;
use crate::rng::Stream;
use crate::threads;

/// Episodes that a thread plays at a time.
const AT_ONCE: usize = 16;

/// Plies after which an episode is left unfinished, in games that may go on for ever.
const LONGEST: usize = 10_000;

/// The agent of every game: each legal action with the same probability.
const RANDOM: &str = "random";

/// Whole games, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Episodes {
    /// The seed that draws each start.
    pub seeds: Vec<u64>,
    /// The actions of all games, one a ply or one of each player, as a [`super::Table`] reads them.
    pub actions: Vec<u16>,
    /// Where each game's plies begin.
    pub offsets: Vec<i64>,
    /// What each game is worth to each player as a target of training, game after game.
    pub returns: Vec<f32>,
    /// How many players there are.
    pub players: usize,
    /// Rows that a table labels of the games.
    pub rows: usize,
}

impl Episodes {
    /// Whole games with at least `rows` rows in all, from the starts that `start` draws, all players
    /// moved by `agent`. Episode `i` depends on `seed` and `i` alone.
    pub fn play<G: Stored>(
        start: impl Fn(u64) -> Result<G> + Send + Sync,
        agent: &str,
        seed: u64,
        rows: usize,
        threads: Option<usize>,
    ) -> Result<Self> {
        memory::check("rows", rows, 2 * size_of::<u16>())?;
        player::<G>(agent)?;
        let players = start(0)?.num_players();
        let mut all = Self { offsets: vec![0], players, ..Self::default() };
        let at_once = threads::count(threads)? * AT_ONCE;
        while all.rows < rows {
            let first = all.seeds.len();
            let mut played: Vec<Result<Self>> = vec![];
            played.resize_with(at_once, || Ok(Self::default()));
            let tasks = played.iter_mut().enumerate().collect();
            threads::run(threads, tasks, |(index, episode): (usize, &mut Result<Self>)| {
                let stream = Stream::derive(seed, (first + index) as u64);
                *episode = Self::episode(&start, agent, stream);
            })?;
            for episode in played {
                if all.rows < rows {
                    all.append(episode?);
                }
            }
        }
        Ok(all)
    }

    fn episode<G: Stored>(
        start: impl Fn(u64) -> Result<G>,
        agent: &str,
        mut stream: Stream,
    ) -> Result<Self> {
        let seed = stream.next_u64();
        let mut state = start(seed)?;
        let mut last = state.clone();
        let width = width(&state);
        let mut players: Vec<Box<dyn Scripted<G>>> =
            (0..state.num_players()).map(|_| player(agent)).collect::<Result<_>>()?;
        let mut episode = Self { seeds: vec![seed], ..Self::default() };
        let mut plies = 0;
        while plies < LONGEST {
            let acting = match state.turn() {
                Turn::Over => break,
                Turn::Player(player) => 1 << player,
                Turn::Simultaneous(acting) => acting.0,
            };
            let mut joint = [0; MAX_PLAYERS];
            for player in PlayerSet(acting).iter() {
                let index = usize::from(player);
                let action = players[index].act(&state, player, &mut stream);
                joint[if width == 1 { 0 } else { index }] = action as u16;
            }
            episode.rows += learners(&state).iter().count();
            episode.actions.extend_from_slice(&joint[..width]);
            last.clone_from(&state);
            state.play_stored(&joint[..width])?;
            plies += 1;
        }
        episode.offsets.push(plies as i64);
        episode.returns.extend(targets(&last, &state));
        Ok(episode)
    }

    fn append(&mut self, episode: Self) {
        let plies = self.offsets.last().copied().unwrap_or_default();
        self.offsets.extend(episode.offsets.iter().map(|offset| plies + offset));
        self.seeds.extend(episode.seeds);
        self.actions.extend(episode.actions);
        self.returns.extend(episode.returns);
        self.rows += episode.rows;
    }
}

/// What a game is worth to each player as a target of training: what it returned; if nobody won, what
/// those got for whom it was over `last`, before its last ply, and 0 to all others
/// (`docs/definitions/data.md`, "Pommerman's episodes").
fn targets<G: Game>(last: &G, end: &G) -> Vec<f32> {
    let returns = end.returns();
    let returns = returns.as_slice();
    if returns.iter().any(|&value| value > 0.0) {
        return returns.to_vec();
    }
    (0..returns.len() as Player).map(|player| last.settled(player).unwrap_or_default()).collect()
}

/// A player of that name, new to the game.
fn player<G: Game>(name: &str) -> Result<Box<dyn Scripted<G>>> {
    if let Some(player) = G::scripted(name) {
        return Ok(player);
    }
    if name == RANDOM {
        return Ok(Box::new(Random::default()));
    }
    Err(Error::InvalidConfig(format!(
        "{name:?} plays no {}: expected {RANDOM:?} or a player that the game brings along",
        G::NAME
    )))
}

/// Plays anything that is legal.
#[derive(Debug, Default)]
struct Random {
    legal: Vec<Action>,
}

impl<G: Game> Scripted<G> for Random {
    fn act(&mut self, state: &G, player: Player, stream: &mut Stream) -> Action {
        state.legal_actions(player, &mut self.legal);
        // Who acts has a legal action; where a game breaks that, playing 0 is an error.
        random_action(&self.legal, stream).unwrap_or_default()
    }
}

//! Buffers and set-ups shared by the tests.

use crate::toys::games::Race;
use phasezoo_core::Result;
use phasezoo_core::game::Game;
use phasezoo_core::plane_buffers::PlaneBuffer;
use phasezoo_core::vector::{
    Autoreset, Illegal, Mark, Opponent, Options, OptionsOf, Outputs, Seat, Vector,
};

/// A caller's buffers, with rubbish in them at first.
pub(crate) struct Buffers {
    pub(crate) planes: Vec<f32>,
    pub(crate) masks: Vec<i8>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) rewards: Vec<f64>,
    pub(crate) terminated: Vec<bool>,
    pub(crate) truncated: Vec<bool>,
    pub(crate) illegal: Vec<bool>,
    pub(crate) to_play: Vec<i64>,
    pub(crate) ply: Vec<i64>,
    pub(crate) phase: Vec<i64>,
    pub(crate) result: Vec<i8>,
    pub(crate) has_result: Vec<bool>,
    pub(crate) winners: Vec<bool>,
}

impl Buffers {
    pub(crate) fn of<G: Game<Planes = ()>>(vector: &Vector<G>) -> Self {
        let rows = vector.len();
        let actions = vector.state(0).num_actions();
        let planes: usize = G::plane_shape(()).iter().product();
        Self {
            planes: vec![f32::NAN; rows * planes],
            masks: vec![9; rows * actions],
            marks: vec![Mark::default(); rows],
            rewards: vec![f64::NAN; rows],
            terminated: vec![true; rows],
            truncated: vec![true; rows],
            illegal: vec![true; rows],
            to_play: vec![9; rows],
            ply: vec![9; rows],
            phase: vec![9; rows],
            result: vec![9; rows],
            has_result: vec![true; rows],
            winners: vec![true; rows * vector.num_players()],
        }
    }

    pub(crate) fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            planes: PlaneBuffer::Floats(&mut self.planes),
            masks: &mut self.masks,
            marks: &mut self.marks,
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            illegal: &mut self.illegal,
            to_play: &mut self.to_play,
            ply: &mut self.ply,
            phase: &mut self.phase,
            result: &mut self.result,
            has_result: &mut self.has_result,
            winners: &mut self.winners,
        }
    }
}

pub(crate) fn options<G: Game<Planes = ()>>(opponent: Opponent) -> OptionsOf<G> {
    Options {
        planes: Some(()),
        packed: false,
        gate: None,
        seat: Seat::Fixed(0),
        opponent,
        illegal: Illegal::Terminate,
        max_plies: None,
        max_steps: None,
        array_sets: 1,
        autoreset: Autoreset::NextStep,
        threads: Some(2),
        compact: false,
        move_numbers: false,
    }
}

pub(crate) fn race(games: usize, options: OptionsOf<Race>) -> Vector<Race> {
    Vector::new(games, options, |_| Ok(Race::default())).unwrap()
}

/// Steps, with the row's number as the next seed.
pub(crate) fn play<G: Game>(
    vector: &mut Vector<G>,
    seen: &mut Buffers,
    actions: &[i64],
) -> Result<()> {
    let seeds: Vec<u64> = (0..vector.len() as u64).collect();
    vector.step(actions, &seeds, Some(seen.outputs()))
}

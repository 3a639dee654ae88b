//! Decoupled search in the core: an equilibrium, Pommerman, and trees that depend on themselves alone.

use phasezoo_core::game::{Action, Player, PlayerSet};
use phasezoo_core::games::pommerman::twister::Twister;
use phasezoo_core::games::pommerman::{Config, Mode, State};
use phasezoo_core::search::decoupled::{JointModel, JointPool, Params, Play, Selection, Together};
use phasezoo_core::search::{Ended, Evaluation, Limit, Policy, SearchResult, Value};
use phasezoo_core::{Error, Result};

/// Rock, paper, scissors in which paper against rock pays a quarter, rock against scissors a half.
struct Hands;

const GAINS: [[f32; 3]; 3] = [[0.0, -0.25, 0.5], [0.25, 0.0, -1.0], [-0.5, 1.0, 0.0]];

impl JointModel for Hands {
    type State = Option<(Action, Action)>;
    type Game = ();

    fn num_players(&self) -> usize {
        2
    }

    fn num_actions(&self) -> usize {
        3
    }

    fn acting(&self, state: &Self::State) -> Result<PlayerSet> {
        Ok(if state.is_none() { PlayerSet::first(2) } else { PlayerSet(0) })
    }

    fn settled(&self, state: &Self::State, player: Player) -> Result<Option<f32>> {
        let gain = |(a, b): (Action, Action)| GAINS[a as usize][b as usize];
        Ok(state.map(gain).map(|gain| if player == 0 { gain } else { -gain }))
    }

    fn actions(&self, _: &Self::State, _: Player, actions: &mut Vec<Action>) -> Result<()> {
        actions.clear();
        actions.extend(0..3);
        Ok(())
    }

    fn play(&self, state: &mut Self::State, joint: &[Action]) -> Result<()> {
        let [first, second] = *joint else {
            return Err(Error::GameContract("two actions are needed".into()));
        };
        *state = Some((first, second));
        Ok(())
    }

    fn game<'a>(&self, _: &'a Self::State) -> &'a () {
        &()
    }
}

/// Runs all searches of a pool without knowledge.
fn run<M: JointModel>(pool: &mut JointPool<M>, max_rows: usize) {
    while pool.running() > 0 {
        let leaves = pool.collect(max_rows).unwrap();
        let value = vec![0.0; leaves.len()];
        let evaluation = Evaluation { policy: Policy::Uniform, value: Value::ToPlay(&value) };
        pool.complete(&leaves, &evaluation).unwrap();
    }
}

fn simulations(count: u64) -> Limit {
    Limit { simulations: Some(count), ..Limit::default() }
}

#[test]
fn regrets_lead_to_the_equilibrium_of_other_stakes() {
    let selection = Selection::RegretMatching;
    let params = Params { selection, exploration: 0.02, ..Params::default() };
    let mut pool = JointPool::new(Hands, params, None).unwrap();
    let tree = pool.add(7).unwrap();
    pool.begin(tree, None, 1, simulations(30_000), -1).unwrap();
    run(&mut pool, 16);
    let found = pool.finish(tree).unwrap();
    for policy in found.policies.unwrap() {
        for (share, expected) in policy.shares.iter().zip([4.0 / 7.0, 2.0 / 7.0, 1.0 / 7.0]) {
            assert!((share - expected).abs() < 0.04, "{:?}", policy.shares);
        }
    }
    assert!(found.value.abs() < 0.04);
    assert_eq!((found.ended, found.simulations), (Ended::Simulations, 30_000));
}

fn searched(seeds: &[u64], max_rows: usize, batch_size: usize) -> Vec<SearchResult> {
    let start = |seed| State::new(Config::new(Mode::Ffa, false, false), &mut Twister::new(seed));
    let params = Params { batch_size, play: Play::Sample, ..Params::default() };
    let mut pool = JointPool::new(Together::of(&start(0)), params, None).unwrap();
    for &seed in seeds {
        let tree = pool.add(seed).unwrap();
        pool.begin(tree, start(seed), (seed % 4) as Player, simulations(60), -1).unwrap();
    }
    run(&mut pool, max_rows);
    let found = (0..seeds.len() as u32).map(|tree| pool.finish(tree).unwrap());
    found.map(|found| SearchResult { seconds: 0.0, ..found }).collect()
}

#[test]
fn trees_of_four_players_are_alike_alone_and_together() {
    for batch_size in [1, 6] {
        let together = searched(&[1, 2, 3, 4, 5], 26, batch_size);
        for (seed, found) in (1..).zip(&together) {
            assert_eq!(*found, searched(&[seed], 256, batch_size)[0]);
            assert_eq!(found.policies.as_ref().map(Vec::len), Some(4));
            assert_eq!(found.nodes, 60);
        }
    }
}

//! With enough simulations and the solver a search gives a game its exact value: two players, three
//! players, players who move twice in a row, and one player among others who move at once.

use crate::toys::drive::{EVEN, OPINIONS};
use crate::toys::exact::{moves, plies_to_win};
use crate::toys::games::{Pennies, Race};
use crate::toys::{Dice, Driver, TicTacToe, exact};
use phasezoo_core::game::{Action, MAX_PLAYERS, PlayerSet, Replay, Store};
use phasezoo_core::gate::Gating;
use phasezoo_core::model::{Others, SearchModel, SinglePlayer, Turns};
use phasezoo_core::search::{Ended, Limit, Params, SearchPool, VirtualStyle};
use proptest::prelude::*;

const STYLES: [VirtualStyle; 3] = [VirtualStyle::Loss, VirtualStyle::Visit, VirtualStyle::Mix];

fn params(batch_size: usize, virtual_style: VirtualStyle) -> Params {
    Params { batch_size, virtual_style, ..Params::default() }
}

#[test]
fn tic_tac_toe_is_a_draw() {
    for (batch, style) in
        [(1, VirtualStyle::Mix), (16, VirtualStyle::Loss), (64, VirtualStyle::Visit)]
    {
        let start = TicTacToe::default();
        let mut driver =
            Driver::new(Turns::of(&start).keeping::<Store<_>>(), params(batch, style), EVEN);
        let result = driver.expand(&start, 300_000);
        assert_eq!(result.ended, Ended::Solved, "{result:?}");
        assert_eq!((result.proven, result.value), (Some((0.0, 9)), 0.0));
        assert_eq!(result.pv().len(), 9, "a drawn game fills the board");
    }
}

#[test]
fn wins_are_the_shortest_and_losses_the_longest() {
    // X at 0 and 4, O at 1 and 3: X to move has two ways to win at once.
    let state = TicTacToe::after(&[0, 1, 4, 3]);
    let mut driver =
        Driver::new(Turns::of(&state).keeping::<Replay>(), params(1, VirtualStyle::Mix), OPINIONS);
    let result = driver.simulate(&state, 10_000);
    assert_eq!((result.proven, result.action), (Some((1.0, 1)), 8));
    assert_eq!(result.policy[result.actions.binary_search(&8).unwrap()], 1.0);
    // O to move stops one of X's two lines: three plies are the longest way to lose.
    let state = TicTacToe::after(&[0, 1, 4, 3, 6]);
    let result = driver.simulate(&state, 10_000);
    let model = Turns::of(&state).keeping::<Replay>();
    assert_eq!(exact(&model, &state).of(0), 1.0);
    let (worth, plies) = result.proven.unwrap();
    assert_eq!((worth, u32::from(plies)), (-1.0, plies_to_win(&model, &state, 0)));
    assert_eq!(result.pv().len(), usize::from(plies));
    assert!(result.q.iter().all(|&q| q == -1.0), "every reply is proven lost: {:?}", result.q);
}

#[test]
fn three_players_race_to_ten() {
    // From 9, 8 and 7 the player to move wins at once; from 6 the next one does, whatever is added.
    for (total, winner) in [(9, 0), (8, 0), (7, 0), (6, 1)] {
        let state = Race { total, ply: 0 };
        let mut driver =
            Driver::new(Turns::of(&state).keeping::<Replay>(), params(4, VirtualStyle::Mix), EVEN);
        let result = driver.simulate(&state, 10_000);
        let mut expected = [-1.0; 3];
        expected[winner] = 1.0;
        assert_eq!(result.values.unwrap(), expected, "total {total}");
        assert_eq!(result.value, expected[0]);
        if winner == 0 {
            assert_eq!(result.action, 10 - total);
        }
    }
}

#[test]
fn a_search_of_turns_refuses_a_game_whose_players_move_at_once() {
    let mut pool =
        SearchPool::new(Turns::of(&Pennies::default()), Params::default(), None, None).unwrap();
    let tree = pool.add(1).unwrap();
    let limit = Limit { nodes: Some(10), ..Limit::default() };
    let message = pool.begin(tree, Pennies::default(), limit, -1).unwrap_err().to_string();
    assert!(message.contains("pennies move at once"), "{message}");
}

/// The second player shows tails after tails and heads otherwise.
struct Copycat;

impl Others<Pennies> for Copycat {
    type Memory = ();

    fn act(
        &self,
        state: &Pennies,
        players: PlayerSet,
        _memory: &mut (),
        actions: &mut [Action; MAX_PLAYERS],
    ) -> phasezoo_core::Result<()> {
        for player in players.iter() {
            actions[usize::from(player)] = u32::from(state.equal < state.ply);
        }
        Ok(())
    }
}

#[test]
fn simultaneous_games_are_searched_by_one_player_among_others() {
    for player in [0, 1] {
        let model = SinglePlayer::new(Copycat, 2);
        let root = model.root(Pennies::default(), player, ()).unwrap();
        let best = exact(&model, &root).of(player);
        assert_eq!(best, if player == 0 { 1.0 } else { exact(&model, &root).of(1) });
        let mut driver = Driver::new(model, params(2, VirtualStyle::Loss), EVEN);
        let result = driver.simulate(&root, 1_000);
        assert_eq!((result.proven.unwrap().0, result.value), (best, best));
    }
}

#[test]
fn gates_say_the_phase_of_every_leaf() {
    let start = TicTacToe::default();
    let gate = Gating::parse("hash:3", false).unwrap();
    let model = Turns::of(&start).keeping::<Store<_>>();
    let mut driver =
        Driver::gated(model, params(8, VirtualStyle::Mix), OPINIONS, Some(gate.clone()));
    let limit = Limit { nodes: Some(500), ..Default::default() };
    driver.pool.begin(driver.tree, start.clone(), limit, -1).unwrap();
    let mut seen = [0; 3];
    while driver.pool.running() > 0 {
        let leaves = driver.pool.collect(8).unwrap();
        for row in 0..leaves.len() {
            let mut state = start.clone();
            leaves.restore(driver.pool.model(), row, &mut state).unwrap();
            let phase = gate.phase(&state, 0, None).unwrap();
            assert_eq!(leaves.phases[row], phase as i8);
            let node = driver.pool.inspect(driver.tree, leaves.path(row)).unwrap().unwrap();
            assert_eq!((node.phase, node.waiting), (phase as i8, true));
            seen[usize::from(phase)] += 1;
        }
        crate::toys::answer(&mut driver.pool, &leaves, OPINIONS);
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    let result = driver.pool.finish(driver.tree).unwrap();
    assert_eq!(result.phase, gate.phase(&start, 0, None).unwrap() as i8);
}

#[test]
fn monotone_gates_read_the_phase_before() {
    let start = TicTacToe::default();
    let gate = Gating::parse("hash:4", true).unwrap();
    let model = Turns::of(&start).keeping::<Replay>();
    let mut driver = Driver::gated(model, params(4, VirtualStyle::Mix), EVEN, Some(gate));
    let limit = Limit { nodes: Some(300), ..Default::default() };
    driver.pool.begin(driver.tree, start, limit, 1).unwrap();
    while driver.pool.running() > 0 {
        let leaves = driver.pool.collect(4).unwrap();
        for row in 0..leaves.len() {
            assert!(leaves.phases[row] >= leaves.origins[row].parent_phase.max(1));
            if let [before @ .., _] = leaves.path(row) {
                let parent = driver.pool.inspect(driver.tree, before).unwrap().unwrap();
                assert_eq!(parent.phase, leaves.origins[row].parent_phase);
            }
        }
        crate::toys::answer(&mut driver.pool, &leaves, EVEN);
    }
}

fn check_solved(state: &Dice, params: Params) -> Result<(), TestCaseError> {
    let model = Turns::of(state).keeping::<Replay>();
    let best = exact(&model, state);
    let actor = model.actor(state).unwrap();
    let choices = moves(&model, state);
    let mut driver = Driver::new(model, params, OPINIONS);
    // A single legal move ends a search early unless it is infinite.
    let limit = Limit { nodes: Some(1_000_000), infinite: true, ..Limit::default() };
    let result = driver.search(state, limit);
    prop_assert_eq!(result.ended, Ended::Solved);
    let (worth, _) = result.proven.unwrap();
    prop_assert_eq!(worth, best.of(actor));
    prop_assert_eq!(result.value, best.of(actor));
    let (_, returns) = choices.into_iter().find(|(action, _)| *action == result.action).unwrap();
    prop_assert_eq!(returns.of(actor), best.of(actor), "the action keeps the value");
    if let Some(values) = result.values {
        // Values without ties have one way to be best, so all players' values are known.
        prop_assert_eq!(values.as_slice(), best.as_slice());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_games_are_solved_exactly(
        seed: u64, players in 1_usize..=4, whole: bool, plies in 2_u32..7,
        batch in 1_usize..20, style in 0_usize..3,
    ) {
        let whole = whole && players <= 2; // with ties and more players there are several best ways
        let state = Dice::new(seed, players, whole, plies);
        let mut params = params(batch, STYLES[style]);
        params.fpu = (seed % 2 == 0).then_some(0.2);
        check_solved(&state, params)?;
    }

    #[test]
    fn without_the_solver_visits_go_to_a_best_move(seed: u64) {
        let state = Dice::new(seed, 2, true, 4);
        let model = Turns::of(&state).keeping::<Store<_>>();
        let actor = model.actor(&state).unwrap();
        let best = exact(&model, &state).of(actor);
        let choices = moves(&model, &state);
        let params = Params { solver: false, ..params(1, VirtualStyle::Mix) };
        let mut driver = Driver::new(model, params, EVEN);
        let limit = Limit { simulations: Some(30_000), infinite: true, ..Limit::default() };
        let result = driver.search(&state, limit);
        prop_assert!(result.proven.is_none() && result.ended == Ended::Exhausted);
        let (_, returns) = choices.into_iter().find(|(action, _)| *action == result.action).unwrap();
        prop_assert_eq!(returns.of(actor), best);
    }
}

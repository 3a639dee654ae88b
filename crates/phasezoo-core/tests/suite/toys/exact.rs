//! Exact values by plain recursion over a model, without anything of the search.

use phasezoo_core::game::{Action, Returns};
use phasezoo_core::model::SearchModel;

/// Returns per player when everybody plays best for themselves (the first of equal moves).
pub fn exact<M: SearchModel>(model: &M, state: &M::State) -> Returns {
    if let Some(returns) = model.terminal(state).unwrap() {
        return returns;
    }
    let actor = model.actor(state).unwrap();
    moves(model, state)
        .into_iter()
        .map(|(_, returns)| returns)
        .reduce(|best, new| if new.of(actor) > best.of(actor) { new } else { best })
        .unwrap()
}

/// Every action with the exact returns behind it.
pub fn moves<M: SearchModel>(model: &M, state: &M::State) -> Vec<(Action, Returns)> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions).unwrap();
    let after = |action| {
        let mut next = state.clone();
        model.advance(&mut next, action).unwrap();
        (action, exact(model, &next))
    };
    actions.into_iter().map(after).collect()
}

/// Plies to the end when `winner` hurries and everybody else delays, in a position that `winner` has won.
pub fn plies_to_win<M: SearchModel>(model: &M, state: &M::State, winner: u8) -> u32 {
    if model.terminal(state).unwrap().is_some() {
        return 0;
    }
    let hurries = model.actor(state).unwrap() == winner;
    let plies = moves(model, state)
        .into_iter()
        .filter(|(_, returns)| returns.of(winner) >= 1.0)
        .map(|(action, _)| {
            let mut next = state.clone();
            model.advance(&mut next, action).unwrap();
            plies_to_win(model, &next, winner)
        });
    1 + if hurries { plies.min().unwrap() } else { plies.max().unwrap() }
}

//! What runs once per node of a search does not allocate.

#![allow(clippy::unwrap_used)] // in a test a panic is a failure
#![allow(unsafe_code)] // a counting allocator cannot be written without

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use phasezoo_core::game::{Action, Game, Replay};
use phasezoo_core::games::boards::planes::BoardPlanes;
use phasezoo_core::games::{BoardModel, ChessState};
use phasezoo_core::gate::Gating;
use phasezoo_core::model::SearchModel;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn descending_encoding_and_expanding_allocate_nothing() {
    let model = BoardModel::new();
    let gate = Gating::parse("lichess", false).unwrap();
    let mut root = ChessState::initial();
    for uci in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "g8f6"] {
        let action = root.parse_uci(uci).unwrap();
        root.apply(&[action]).unwrap();
    }
    let mut path: Vec<Action> = Vec::new();
    let mut walker = root.clone();
    let mut actions = Vec::with_capacity(256);
    let mut planes = vec![0.0; BoardPlanes::V2.size()];
    // Once to grow the walker's lists, then as every later descent goes.
    for count in [false, true] {
        path.clear();
        path.reserve(32);
        let before = ALLOCATIONS.get();
        for depth in 0..24 {
            model.restore(&mut walker, &root, &path, &Replay).unwrap();
            let over = model.expand(&walker, &mut actions).unwrap();
            assert!(over.is_none());
            walker.encode(BoardPlanes::V2, walker.player_to_move(), &mut planes);
            assert!(gate.phase(model.game(&walker), walker.player_to_move(), None).unwrap() < 3);
            path.push(actions[(7 * depth + 3) % actions.len()]);
        }
        if count {
            assert_eq!(ALLOCATIONS.get() - before, 0);
        }
    }
}

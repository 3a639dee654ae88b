//! Tests of the core through its public names: one binary, which is linked once.

#![allow(clippy::unwrap_used)] // a test that cannot go on should stop

mod beam_search;
mod chess_perft;
mod chess_properties;
mod connect_four;
mod decoupled_search;
mod evaluation_cache;
mod packed_planes;
mod pommerman_golden;
mod pommerman_search;
mod pommerman_statistics;
mod search_chess;
mod search_exact;
mod search_graph;
mod search_known_leaves;
mod search_limits;
mod search_pool;
mod search_proofs;
mod search_session;
mod search_threads;
mod toys;
mod uct;
mod vectors;

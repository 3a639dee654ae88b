//! What steers a search: constants, their sources and their ranges.

use super::settings::Allowed::{Any, Below, To};
use super::settings::{Choice, Setting, Stored, settings};
use crate::error::{Error, Result};

/// How leaves that await their evaluation keep later descents of the same batch away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VirtualStyle {
    /// A waiting descent counts as a visit that lost: `Q = (Q n - w) / (n + w)`.
    Loss,
    /// A waiting descent counts as a visit and leaves Q alone.
    Visit,
    /// [`VirtualStyle::Visit`] up to [`Params::virtual_mix_threshold`] visits of an edge,
    /// [`VirtualStyle::Loss`] above.
    Mix,
}

impl Choice for VirtualStyle {
    const WORDS: &'static [(&'static str, Self)] =
        &[("virtual_loss", Self::Loss), ("virtual_visit", Self::Visit), ("virtual_mix", Self::Mix)];
}

/// What a search does when its tree holds all the memory it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFull {
    /// It ends.
    End,
    /// It forgets the least visited quarter and goes on.
    Prune,
}

impl Choice for MemoryFull {
    const WORDS: &'static [(&'static str, Self)] = &[("end", Self::End), ("prune", Self::Prune)];
}

settings! {
    /// The settings of a search. Defaults are written here alone and read from here by the bindings;
    /// they are those of match play in the published engine (`CrazyAra`; Helfenstein et al., M2CTS,
    /// table of search settings).
    pub struct Params {
        /// Leaves that a tree may have outstanding.
        batch_size: usize = 1, To(1.0, 65_535.0);

        // Selection.
        /// `init` in `c(N) = ln((N + base + 1) / base) + init` (Silver et al. 2018, pseudo-code).
        c_puct_init: f32 = 2.5, To(0.0, 1e3);
        /// `base` in the same formula, in visits.
        c_puct_base: f32 = 19_652.0, To(1.0, 1e9);
        /// Q of an unvisited child: `None` is a loss (-1); `Some(r)` is the node's mean value for its
        /// actor, less `r` ("first play urgency reduction").
        fpu: Option<f32> = None, To(0.0, 2.0);
        /// How outstanding leaves keep other descents away.
        virtual_style: VirtualStyle = VirtualStyle::Mix, Any;
        /// Where [`VirtualStyle::Mix`] changes over, in visits of the edge.
        virtual_mix_threshold: u32 = 1_000, Any;
        /// Priors are `softmax(logits / node_temperature)` over legal actions.
        node_temperature: f32 = 1.7, To(1e-2, 1e2);

        // The root.
        /// Concentration of the Dirichlet noise at the root.
        dirichlet_alpha: f32 = 0.2, To(1e-3, 1e3);
        /// Share of that noise in the root's priors, 0 (none) to 1.
        dirichlet_epsilon: f32 = 0.0, To(0.0, 1.0);

        // The choice of the move.
        /// Weight of Q in the final policy: a second-best move by visits with a better Q gains
        /// `(Q2 - Q1) * weight * visits1`; 0 turns this and the veto off.
        q_value_weight: f32 = 1.0, To(0.0, 1e3);
        /// A move whose Q is better by more than this takes the visits of the most visited one.
        q_veto_delta: f32 = 0.4, To(0.0, 2.0);
        /// Play temperature at ply 0, in the plies in which moves are drawn; 0 plays the best move.
        temperature: f32 = 1.0, To(0.0, 1e2);
        /// Plies from the game's start during which moves are drawn; 0 plays the best move always.
        temperature_plies: u32 = 0, Any;
        /// Factor of the play temperature per ply.
        temperature_decay: f32 = 0.92, To(0.0, 1.0);
        /// Moves that together hold at most this much of the policy, least first, are never drawn.
        quantile_clipping: f32 = 0.25, Below(0.0, 1.0);

        /// Whether lines that reach the same position at the same ply share its node.
        graph: bool = false, Any;

        // Ends.
        /// Whether ends of games are carried up the tree as proofs.
        solver: bool = true, Any;
        /// Whether a position that stood before inside the tree counts as a draw (not as a proof).
        draw_on_second_occurrence: bool = false, Any;

        // Memory.
        /// Whether the played move's subtree serves the next search.
        reuse_tree: bool = true, Any;
        /// Bytes that a tree may hold, and at most its share of half the memory that was left when the
        /// pool was made. `None`: no limit.
        memory as "memory_mb": Option<usize> = Some(2 << 30), Any;
        /// What happens when the next node would not fit.
        memory_full: MemoryFull = MemoryFull::End, Any;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_allowed_and_nan_is_not() {
        assert!(Params::default().check().is_ok());
        let nan = Params { fpu: Some(f32::NAN), ..Params::default() };
        assert!(
            matches!(nan.check(), Err(Error::InvalidConfig(text)) if text.contains("fpu is NaN"))
        );
    }

    #[test]
    fn every_setting_is_set_by_what_it_shows() {
        let mut params = Params::default();
        for &name in Params::NAMES {
            let shown = params.get(name).expect("a name of the list");
            params.set(name, &shown).expect("what was shown");
        }
        assert_eq!(params, Params::default());
        assert!(params.set("memory", &Setting::Whole(3)).is_err(), "people write memory_mb");
        assert_eq!(params.get("memory"), None);
    }

    #[test]
    fn words_and_numbers_of_another_kind_are_refused() {
        let mut params = Params::default();
        for (name, given, text) in [
            ("virtual_style", Setting::Word("none".into()), "virtual_loss, virtual_visit"),
            ("solver", Setting::Whole(1), "true and false"),
            ("batch_size", Setting::Whole(-1), "batch_size is -1"),
            ("memory_mb", Setting::Whole(1 << 40), "whole numbers"),
        ] {
            assert!(
                matches!(params.set(name, &given), Err(Error::InvalidConfig(e)) if e.contains(text))
            );
        }
    }
}

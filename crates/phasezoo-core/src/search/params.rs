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
    /// A waiting descent counts as nothing: the next one takes the same way and collides. What the other
    /// styles are there for is measured by it.
    None,
}

impl Choice for VirtualStyle {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("virtual_loss", Self::Loss),
        ("virtual_visit", Self::Visit),
        ("virtual_mix", Self::Mix),
        ("none", Self::None),
    ];
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

/// What the number says that is given for the Q of unvisited children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FpuStyle {
    /// The node's mean value for its actor, less the number.
    Reduction,
    /// The node's mean value, less the number times the square root of the priors of the visited
    /// children (`KataGo`; lc0's "reduction").
    ScaledReduction,
    /// The number itself.
    Absolute,
}

impl Choice for FpuStyle {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("reduction", Self::Reduction),
        ("scaled_reduction", Self::ScaledReduction),
        ("absolute", Self::Absolute),
    ];
}

/// By which rule a descent chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Q and prior against visits.
    Puct,
    /// Planning with Gumbel noise (Danihelka et al. 2022).
    Gumbel,
}

impl Choice for Selection {
    const WORDS: &'static [(&'static str, Self)] =
        &[("puct", Self::Puct), ("gumbel", Self::Gumbel)];
}

settings! {
    /// The settings of a search. Defaults are written here alone and read from here by the bindings;
    /// they are those of match play in the published engine (`CrazyAra`; Helfenstein et al., M2CTS,
    /// table of search settings).
    pub struct Params {
        /// Leaves of a mini-batch.
        batch_size: usize = 1, To(1.0, 65_535.0);
        /// Mini-batches that a tree may have outstanding. With 2, each is collected before the answers to
        /// the one before it are backed up.
        in_flight: usize = 1, To(1.0, 2.0);

        // Selection.
        /// `init` in `c(N) = ln((N + base + 1) / base) + init` (Silver et al. 2018, pseudo-code).
        c_puct_init: f32 = 2.5, To(0.0, 1e3);
        /// `base` in the same formula, in visits.
        c_puct_base: f32 = 19_652.0, To(1.0, 1e9);
        /// How far `c` follows the scatter of the values below a node: `c` times
        /// `1 + scale (stdev / 0.4 - 1)` (`KataGo`: cpuctUtilityStdevScale, 0.85); 0 is not at all.
        c_puct_stdev_scale: f32 = 0.0, To(0.0, 1.0);
        /// Q of an unvisited child ("first play urgency"): `None` is a loss (-1); what a number says is
        /// [`Params::fpu_style`]'s.
        fpu: Option<f32> = Some(0.0), To(-1.0, 2.0);
        /// What [`Params::fpu`] says.
        fpu_style: FpuStyle = FpuStyle::Reduction, Any;
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

        // Planning with Gumbel noise.
        /// Selection at the root: `Gumbel` is sequential halving among the moves with the largest
        /// noisy priors, and the improved policy as the result's. It needs a limit of nodes or
        /// simulations.
        root: Selection = Selection::Puct, Any;
        /// Selection below the root: `Gumbel` is the largest improved policy less visits.
        interior: Selection = Selection::Puct, Any;
        /// Moves that sequential halving begins with.
        max_num_considered_actions: usize = 16, To(1.0, 65_535.0);
        /// Factor of the noise; 0 is none.
        gumbel_scale: f32 = 1.0, To(0.0, 1e2);
        /// Visits that are added to the largest number of visits in the weight of Q.
        gumbel_maxvisit_init: f32 = 50.0, To(0.0, 1e6);
        /// Factor of the weight of Q.
        gumbel_value_scale: f32 = 0.1, To(0.0, 1e3);
        /// Whether a node's Qs are spread over [0, 1] first.
        gumbel_rescale_values: bool = true, Any;

        // Exploration.
        /// Share of descents that begin on the line of the most visited moves and expand the next
        /// unexpanded child there ("epsilon-greedy"; 0.05 in the published engine).
        epsilon_greedy: f32 = 0.0, To(0.0, 1.0);
        /// The same for the first unexpanded forcing move ([`crate::model::SearchModel::is_forcing`],
        /// checks in chess; 0.01 in the published engine).
        epsilon_checks: f32 = 0.0, To(0.0, 1.0);

        // Self-play.
        /// Share of searches that are cheap ("playout cap randomization"): few nodes and no noise
        /// at the root.
        cheap_search_prob: f32 = 0.0, To(0.0, 1.0);
        /// Nodes of a cheap search, if its limit has no fewer.
        cheap_search_nodes: usize = 100, To(1.0, 1e9);
        /// Share r of its nodes n by which searches differ: n - rn / 2 to below n + rn / 2, drawn anew
        /// for each (0.1 in the published self-play); of a limit without nodes, simulations.
        node_random_factor: f32 = 0.0, To(0.0, 1.0);

        // The choice of the move.
        /// Whether the final policy leaves out visits that the rule would not have made without
        /// noise (Wu 2019, section 3.2: "policy target pruning").
        prune_policy: bool = false, Any;
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

        // Ends.
        /// Whether lines that reach the same position at the same ply share its node.
        graph: bool = false, Any;
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

impl Params {
    /// Refuses settings outside their ranges, and those that do not go together.
    pub fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.check_graph()?;
        if self.prune_policy && self.root == Selection::Gumbel {
            return Err(Error::InvalidConfig(
                "prune_policy is on, and root is gumbel: its policy is improved and no visits are \
                 counted in it; leave one of them out"
                    .into(),
            ));
        }
        let range = match self.fpu_style {
            FpuStyle::Absolute => To(-1.0, 1.0),
            FpuStyle::Reduction | FpuStyle::ScaledReduction => To(0.0, 2.0),
        };
        self.fpu.check("fpu", range)
    }

    /// Refuses what a node with several parents could not be told.
    fn check_graph(&self) -> Result<()> {
        let set = [
            ("epsilon_greedy", self.epsilon_greedy),
            ("epsilon_checks", self.epsilon_checks),
            ("c_puct_stdev_scale", self.c_puct_stdev_scale),
        ];
        match set.into_iter().find(|&(_, given)| self.graph && given != 0.0) {
            None => Ok(()),
            Some((name, given)) => Err(Error::InvalidConfig(format!(
                "{name} is {given}, and graph is on: nodes with several parents do not know it; leave \
                 one of them out"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::settings::Settings;

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
            ("virtual_style", Setting::Word("win".into()), "virtual_loss, virtual_visit"),
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

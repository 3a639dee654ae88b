//! What steers a search: constants, their sources and their ranges.

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

impl VirtualStyle {
    /// The style of a name: `virtual_loss`, `virtual_visit` or `virtual_mix`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "virtual_loss" => Ok(Self::Loss),
            "virtual_visit" => Ok(Self::Visit),
            "virtual_mix" => Ok(Self::Mix),
            _ => Err(Error::InvalidConfig(format!(
                "virtual_style {name:?}: choose virtual_loss, virtual_visit or virtual_mix"
            ))),
        }
    }

    /// The name that [`VirtualStyle::parse`] reads.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Loss => "virtual_loss",
            Self::Visit => "virtual_visit",
            Self::Mix => "virtual_mix",
        }
    }
}

/// The settings of a search. Defaults are written in [`Default`] alone and read from there by the
/// bindings; they are those of match play in the published engine (`CrazyAra`; Helfenstein et al.,
/// M2CTS, table of search settings).
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Leaves that a tree may have outstanding, 1 to 65,535.
    pub batch_size: usize,
    /// `init` in `c(N) = ln((N + base + 1) / base) + init` (Silver et al. 2018, pseudo-code).
    pub c_puct_init: f32,
    /// `base` in the same formula, in visits.
    pub c_puct_base: f32,
    /// Q of an unvisited child: `None` is a loss (-1); `Some(r)` is the node's mean value for its
    /// actor, less `r` ("first play urgency reduction").
    pub fpu: Option<f32>,
    /// How outstanding leaves keep other descents away.
    pub virtual_style: VirtualStyle,
    /// Where [`VirtualStyle::Mix`] changes over, in visits of the edge.
    pub virtual_mix_threshold: u32,
    /// Priors are `softmax(logits / node_temperature)` over legal actions.
    pub node_temperature: f32,
    /// Concentration of the Dirichlet noise at the root.
    pub dirichlet_alpha: f32,
    /// Share of that noise in the root's priors, 0 (none) to 1.
    pub dirichlet_epsilon: f32,
    /// Weight of Q in the final policy: a second-best move by visits with a better Q gains
    /// `(Q2 - Q1) * weight * visits1`; 0 turns this and the veto off.
    pub q_value_weight: f32,
    /// A move whose Q is better by more than this takes the visits of the most visited one.
    pub q_veto_delta: f32,
    /// Play temperature at ply 0, in the plies in which moves are drawn; 0 plays the best move.
    pub temperature: f32,
    /// Plies from the game's start during which moves are drawn; 0 plays the best move always.
    pub temperature_plies: u32,
    /// Factor of the play temperature per ply.
    pub temperature_decay: f32,
    /// Moves that together hold at most this much of the policy, least first, are never drawn.
    pub quantile_clipping: f32,
    /// Whether ends of games are carried up the tree as proofs.
    pub solver: bool,
    /// Whether the played move's subtree serves the next search.
    pub reuse_tree: bool,
    /// Bytes that a tree may hold; a search ends when the next node would not fit. `None`: no limit.
    pub memory: Option<usize>,
    /// Whether a position that stood before inside the tree counts as a draw (not as a proof).
    pub draw_on_second_occurrence: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            batch_size: 1,
            c_puct_init: 2.5,
            c_puct_base: 19_652.0,
            fpu: None,
            virtual_style: VirtualStyle::Mix,
            virtual_mix_threshold: 1_000,
            node_temperature: 1.7,
            dirichlet_alpha: 0.2,
            dirichlet_epsilon: 0.0,
            q_value_weight: 1.0,
            q_veto_delta: 0.4,
            temperature: 1.0,
            temperature_plies: 0,
            temperature_decay: 0.92,
            quantile_clipping: 0.25,
            solver: true,
            reuse_tree: true,
            memory: Some(2 << 30),
            draw_on_second_occurrence: false,
        }
    }
}

impl Params {
    /// Refuses settings outside their ranges.
    pub fn check(&self) -> Result<()> {
        if !(1..=usize::from(u16::MAX)).contains(&self.batch_size) {
            return Err(outside("batch_size", self.batch_size, "1 to 65535"));
        }
        between("c_puct_init", self.c_puct_init, 0.0, 1e3)?;
        between("c_puct_base", self.c_puct_base, 1.0, 1e9)?;
        between("fpu", self.fpu.unwrap_or(0.0), 0.0, 2.0)?;
        between("node_temperature", self.node_temperature, 1e-2, 1e2)?;
        between("dirichlet_alpha", self.dirichlet_alpha, 1e-3, 1e3)?;
        between("dirichlet_epsilon", self.dirichlet_epsilon, 0.0, 1.0)?;
        between("q_value_weight", self.q_value_weight, 0.0, 1e3)?;
        between("q_veto_delta", self.q_veto_delta, 0.0, 2.0)?;
        between("temperature", self.temperature, 0.0, 1e2)?;
        between("temperature_decay", self.temperature_decay, 0.0, 1.0)?;
        if !(0.0..1.0).contains(&self.quantile_clipping) {
            return Err(outside(
                "quantile_clipping",
                self.quantile_clipping,
                "at least 0, below 1",
            ));
        }
        Ok(())
    }
}

fn between(name: &str, value: f32, low: f32, high: f32) -> Result<()> {
    // Written so that NaN fails.
    if value >= low && value <= high {
        return Ok(());
    }
    Err(outside(name, value, &format!("{low} to {high}")))
}

fn outside(name: &str, value: impl std::fmt::Display, allowed: &str) -> Error {
    Error::InvalidConfig(format!("{name} is {value}, allowed are {allowed}"))
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
    fn every_style_is_read_by_its_name() {
        for style in [VirtualStyle::Loss, VirtualStyle::Visit, VirtualStyle::Mix] {
            assert_eq!(VirtualStyle::parse(style.as_str()).ok(), Some(style));
        }
        assert!(matches!(VirtualStyle::parse("none"), Err(Error::InvalidConfig(_))));
    }
}

//! Input planes (`docs/definitions/planes.md`).

use std::slice::ChunksExactMut;

use super::sets::{Shown, each};
use super::state::{Cell, State, action, cell};
use super::symmetry::Symmetry;
use crate::game::Player;
use crate::planes::{PackedRow, PlaneKind};

/// How many planes there are.
pub const CHANNELS: usize = 23;

/// Scales: the life of a bomb, blasts, bombs, flames and steps.
const LIFE_SCALE: f32 = 9.0;
const REACH_SCALE: f32 = 11.0;
const BOMB_SCALE: f32 = 5.0;
const FLAME_SCALE: f32 = 3.0;
const STEP_SCALE: f32 = 799.0;

/// First planes of each kind.
const TIMER: usize = 5;
const REACH: usize = 6;
const SIDEWAYS: usize = 7;
const UPWARDS: usize = 8;
const FLAME: usize = 9;
const FIGURES: usize = 10;
const OWN_REACH: usize = 14;
const OWN_BOMBS: usize = 15;
const OWN_MOST: usize = 16;
const OWN_KICK: usize = 17;
const ALIVE: usize = 18;
const STEP: usize = 22;

/// The reach of a blast beyond its own cell, at most 1.
fn reach(blast: u8) -> f32 {
    (f32::from(blast.saturating_sub(1)) / REACH_SCALE).min(1.0)
}

/// What each plane holds: a bit a cell, a number, or a number a cell where bombs and flames are.
pub(super) const KINDS: [PlaneKind; CHANNELS] = {
    let mut kinds = [PlaneKind::Binary; CHANNELS];
    let mut plane = TIMER;
    while plane <= FLAME {
        kinds[plane] = PlaneKind::General;
        plane += 1;
    }
    plane = OWN_REACH;
    while plane <= STEP {
        kinds[plane] = PlaneKind::Constant;
        plane += 1;
    }
    kinds
};

/// From the own reach on a plane holds one number.
const CONSTANTS: usize = CHANNELS - OWN_REACH;

/// Words of a binary plane of `cells` cells.
const fn words(cells: usize) -> usize {
    cells.div_ceil(u64::BITS as usize)
}

/// What planes are written to.
trait Canvas {
    /// A one at a cell of a binary plane.
    fn mark(&mut self, plane: usize, at: usize);

    /// A number at a cell of a general plane.
    fn set(&mut self, plane: usize, at: usize, value: f32);

    /// The numbers of the constant planes.
    fn constants(&mut self, numbers: &[f32; CONSTANTS]);
}

/// Planes as floats.
struct Floats<'a> {
    planes: [&'a mut [f32]; OWN_REACH],
    constants: ChunksExactMut<'a, f32>,
}

impl<'a> Floats<'a> {
    fn new(out: &'a mut [f32], cells: usize) -> Self {
        let (of_cells, of_all) = out.split_at_mut(OWN_REACH * cells);
        of_cells.fill(0.0);
        let mut chunks = of_cells.chunks_exact_mut(cells);
        let planes = std::array::from_fn(|_| chunks.next().unwrap_or_default());
        Self { planes, constants: of_all.chunks_exact_mut(cells) }
    }
}

impl Canvas for Floats<'_> {
    fn mark(&mut self, plane: usize, at: usize) {
        self.planes[plane][at] = 1.0;
    }

    fn set(&mut self, plane: usize, at: usize, value: f32) {
        self.planes[plane][at] = value;
    }

    fn constants(&mut self, numbers: &[f32; CONSTANTS]) {
        for (plane, &number) in self.constants.by_ref().zip(numbers) {
            plane.fill(number);
        }
    }
}

/// Packed planes: those before the timers and the figures are binary, the others stand in the order of
/// their kinds.
struct Packed<'a> {
    bits: &'a mut [u64],
    constants: &'a mut [f32],
    general: &'a mut [f32],
    cells: usize,
}

impl<'a> Packed<'a> {
    fn new(out: &'a mut PackedRow<'_>, cells: usize) -> Self {
        out.bits.fill(0);
        let (constants, general) = out.numbers.split_at_mut(CONSTANTS);
        general.fill(0.0);
        Self { bits: out.bits, constants, general, cells }
    }
}

impl Canvas for Packed<'_> {
    fn mark(&mut self, plane: usize, at: usize) {
        let index = if plane < TIMER { plane } else { TIMER + plane - FIGURES };
        self.bits[index * words(self.cells) + at / 64] |= 1 << (at % 64);
    }

    fn set(&mut self, plane: usize, at: usize, value: f32) {
        self.general[(plane - TIMER) * self.cells + at] = value;
    }

    fn constants(&mut self, numbers: &[f32; CONSTANTS]) {
        self.constants.copy_from_slice(numbers);
    }
}

impl State {
    /// Writes the planes that `player` sees into `out`, `CHANNELS` times the cells of the board: rigid
    /// walls 0, wood 1, power-ups 2–4, of bombs the timer 5, reach 6, movement right 7 and up 8, flames
    /// 9, figures by relative index 10–13, own reach 14, laid bombs 15, all bombs 16, kick 17, who lives
    /// by relative index 18–21, step 22. What lies in fog is zero.
    pub fn write_planes(&self, player: Player, out: &mut [f32]) {
        self.write_turned(player, Symmetry::new(0), out);
    }

    /// The planes of the state turned by a symmetry, like [`State::write_planes`].
    pub fn write_turned(&self, player: Player, symmetry: Symmetry, out: &mut [f32]) {
        self.write_onto(player, symmetry, &mut Floats::new(out, self.config.cells()));
    }

    /// The planes of [`State::write_turned`] packed.
    pub(super) fn pack_turned(&self, player: Player, symmetry: Symmetry, out: &mut PackedRow<'_>) {
        self.write_onto(player, symmetry, &mut Packed::new(out, self.config.cells()));
    }

    fn write_onto(&self, player: Player, symmetry: Symmetry, planes: &mut impl Canvas) {
        let turned = symmetry.places(self.config.size);
        let place = |at: Cell| usize::from(turned[usize::from(at)]);
        let players = self.config.players();
        let relative = |other: usize| (other + players - usize::from(player)) % players;
        let (shown, seen) = (Shown::new(&self.board), self.view(player));
        let mut mark = |plane: usize, code: u8| {
            for at in each(shown.code(code) & seen) {
                planes.mark(plane, place(at));
            }
        };
        for code in [cell::RIGID, cell::WOOD] {
            mark(usize::from(code - 1), code);
        }
        for code in cell::EXTRA_BOMB..=cell::KICK {
            mark(usize::from(code - 4), code);
        }
        for other in 0..players {
            mark(FIGURES + relative(other), cell::AGENT + other as u8);
        }
        for bomb in self.bombs.iter().filter(|bomb| self.sees(player, bomb.cell)) {
            let at = place(bomb.cell);
            planes.set(TIMER, at, 1.0 - f32::from(bomb.life) / LIFE_SCALE);
            planes.set(REACH, at, reach(bomb.blast));
            match symmetry.action(bomb.direction) {
                action::RIGHT => planes.set(SIDEWAYS, at, 1.0),
                action::LEFT => planes.set(SIDEWAYS, at, -1.0),
                action::UP => planes.set(UPWARDS, at, 1.0),
                action::DOWN => planes.set(UPWARDS, at, -1.0),
                _ => {}
            }
        }
        // Of several flames on a cell the last one burns longest.
        for flame in self.flames.iter().filter(|flame| self.sees(player, flame.cell)) {
            planes.set(FLAME, place(flame.cell), f32::from(flame.life + 1) / FLAME_SCALE);
        }
        let own = self.agents[usize::from(player)];
        let laid = self.bombs.iter().filter(|bomb| bomb.owner == player).count();
        let mut numbers = [0.0; CONSTANTS];
        let mut tell = |plane: usize, number: f32| numbers[plane - OWN_REACH] = number;
        tell(OWN_REACH, reach(own.blast));
        tell(OWN_BOMBS, laid as f32 / BOMB_SCALE);
        tell(OWN_MOST, (laid + usize::from(own.ammo)) as f32 / BOMB_SCALE);
        tell(OWN_KICK, f32::from(u8::from(own.can_kick)));
        for (other, agent) in self.agents().iter().enumerate() {
            tell(ALIVE + relative(other), f32::from(u8::from(agent.alive)));
        }
        tell(STEP, self.step_count as f32 / STEP_SCALE);
        planes.constants(&numbers);
    }
}

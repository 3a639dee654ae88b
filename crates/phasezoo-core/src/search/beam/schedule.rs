//! How many successors every kept node keeps, by layer.

use std::fmt;

use crate::error::{Error, Result};
use crate::search::settings::{Setting, Stored};

/// Layers at most; a principal variation is no longer either.
const MOST_LAYERS: usize = 127;
/// Positions of a beam at most, besides its root.
const MOST_POSITIONS: u64 = 1 << 20;

/// The successors that a kept node keeps, for the root, for those kept of it, and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(Vec<u32>);

impl Schedule {
    /// A schedule, unless a layer would keep nothing, there is no layer, or too many positions.
    pub fn new(widths: &[i64]) -> Result<Self> {
        let text = || widths.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let refused = |why: String| Err(Error::InvalidConfig(format!("schedule is {why}")));
        if widths.is_empty() {
            return refused("empty: give a number for every layer, such as 8,5,3,2,1,1,1".into());
        }
        if widths.len() > MOST_LAYERS {
            return refused(format!("of {} layers, allowed are 1 to {MOST_LAYERS}", widths.len()));
        }
        if let Some(at) = widths.iter().position(|&width| width < 1) {
            return refused(format!(
                "{}: number {} is {}, and every layer keeps at least 1; leave layers out at the end \
                 instead",
                text(),
                at + 1,
                widths[at]
            ));
        }
        let (mut layer, mut all) = (1_u64, 0_u64);
        for &width in widths {
            layer = layer.saturating_mul(width as u64);
            all = all.saturating_add(layer);
        }
        if all > MOST_POSITIONS {
            return refused(format!(
                "{}: {all} positions besides the root, allowed are {MOST_POSITIONS}; keep fewer \
                 successors",
                text()
            ));
        }
        Ok(Self(widths.iter().map(|&width| width as u32).collect()))
    }

    /// Layers below the root.
    pub fn layers(&self) -> usize {
        self.0.len()
    }

    /// How many successors a node `depth` plies below the root keeps; 0 in the last layer.
    pub fn width(&self, depth: usize) -> usize {
        self.0.get(depth).map_or(0, |&width| width as usize)
    }
}

impl Default for Schedule {
    /// 1 → 8 → 40 → 120 → 240 → 240 → 240 → 240: 1,128 positions besides the root.
    fn default() -> Self {
        Self(vec![8, 5, 3, 2, 1, 1, 1])
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&widths.join(","))
    }
}

/// Written as its numbers with commas between them.
impl Stored for Schedule {
    fn show(&self) -> Setting {
        Setting::Word(self.to_string())
    }

    fn read(name: &str, given: &Setting) -> Result<Self> {
        let refused = |text: &str| {
            Error::InvalidConfig(format!(
                "{name} is {text:?}, expected are whole numbers with commas between them, such as \
                 8,5,3,2,1,1,1"
            ))
        };
        let Setting::Word(text) = given else { return Err(refused(&format!("{given:?}"))) };
        if text.trim().is_empty() {
            return Self::new(&[]);
        }
        let widths: std::result::Result<Vec<i64>, _> =
            text.split(',').map(|width| width.trim().parse()).collect();
        Self::new(&widths.map_err(|_| refused(text))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_written_and_read() {
        assert_eq!(Schedule::default().to_string(), "8,5,3,2,1,1,1");
        for text in ["8,5,3,2,1,1,1", "1", "100,100,100"] {
            let read = Schedule::read("schedule", &Setting::Word(text.into())).unwrap();
            assert_eq!((read.to_string(), read.show()), (text.into(), Setting::Word(text.into())));
        }
    }

    #[test]
    fn what_is_no_schedule_is_refused_by_name() {
        let big = i64::MAX.to_string();
        let long = vec!["1"; 128].join(",");
        for (text, said) in [
            ("", "empty"),
            ("8,5,0", "number 3 is 0"),
            ("-2,1", "number 1 is -2"),
            ("8,x", "whole numbers"),
            ("8,,5", "whole numbers"),
            ("2.5", "whole numbers"),
            ("1000,1000,1000", "positions"),
            (big.as_str(), "positions"),
            ("99999999999999999999", "whole numbers"),
            (long.as_str(), "128 layers"),
        ] {
            let error = Schedule::read("schedule", &Setting::Word(text.into())).unwrap_err();
            assert!(error.to_string().starts_with("schedule is "), "{error}");
            assert!(error.to_string().contains(said), "{error}");
        }
        assert!(Schedule::read("schedule", &Setting::Whole(8)).is_err());
    }
}

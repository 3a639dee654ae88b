//! What follows a gate's name in a spec: counts and thresholds.

/// Most phases a gate has: 19 thresholds make 20.
const MAX_PHASES: u32 = 20;
const MAX_THRESHOLD: u32 = 9_999;

type Refusable<T> = std::result::Result<T, String>;

/// The arguments of one spec. What they lack is told as a reason, to which the caller adds the spec and
/// the grammar.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    name: &'static str,
    given: Option<&'a str>,
}

impl<'a> Arguments<'a> {
    /// What follows the first colon after a gate's canonical `name`, if anything.
    pub(super) fn new(name: &'static str, given: Option<&'a str>) -> Self {
        Self { name, given }
    }

    /// Refuses arguments of a gate that has none.
    pub fn none(self) -> Refusable<()> {
        match self.given {
            None => Ok(()),
            Some(_) => Err(format!("{} takes no argument", self.name)),
        }
    }

    /// The text as it stands, or the `default`.
    pub fn text_or(self, default: &'a str) -> &'a str {
        self.given.unwrap_or(default)
    }

    /// The number of phases `n` of `name:n`, 2 to 20.
    pub fn count(self) -> Refusable<u8> {
        let number = self.given.ok_or("n is missing")?;
        match whole(number, MAX_PHASES) {
            Some(n) if n >= 2 => Ok(n as u8),
            _ => Err("n must be a whole number from 2 to 20".into()),
        }
    }

    /// Thresholds in the order that `side` asks for, or the `default`.
    pub fn thresholds(self, side: Side, default: Option<&str>) -> Refusable<Thresholds> {
        let given = self.given.or(default).ok_or("thresholds are missing")?;
        let list: Option<Vec<u32>> =
            given.split(',').map(|number| whole(number, MAX_THRESHOLD)).collect();
        let list =
            list.ok_or("thresholds must be whole numbers from 0 to 9999 with commas between")?;
        if list.len() >= MAX_PHASES as usize {
            return Err(format!("{} thresholds are too many", list.len()));
        }
        let is_ordered = if side.rises() {
            list.is_sorted_by(|a, b| a < b)
        } else {
            list.is_sorted_by(|a, b| a > b)
        };
        if !is_ordered {
            let must = if side.rises() { "rise" } else { "fall" };
            return Err(format!("{}'s thresholds must {must} strictly", self.name));
        }
        Ok(Thresholds { list: list.into(), side })
    }
}

/// A whole number up to `max`, written in plain digits without sign, space or leading zero.
fn whole(text: &str, max: u32) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = plain && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|&number: &u32| canonical && number <= max)
}

/// When a number `n` has passed a threshold `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// n > t; thresholds rise.
    Over,
    /// n >= t; thresholds rise.
    From,
    /// n <= t; thresholds fall.
    UpTo,
    /// n < t; thresholds fall.
    Under,
}

impl Side {
    /// Whether thresholds rise.
    pub fn rises(self) -> bool {
        matches!(self, Self::Over | Self::From)
    }

    fn passes(self, number: u32, threshold: u32) -> bool {
        match self {
            Self::Over => number > threshold,
            Self::From => number >= threshold,
            Self::UpTo => number <= threshold,
            Self::Under => number < threshold,
        }
    }
}

/// Thresholds in strict order; the phase of a number is how many of them it has passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thresholds {
    list: Box<[u32]>,
    side: Side,
}

impl Thresholds {
    /// How many thresholds `number` has passed.
    #[inline]
    pub fn passed(&self, number: u32) -> u8 {
        self.list.iter().filter(|&&threshold| self.side.passes(number, threshold)).count() as u8
    }

    /// The last phase.
    pub fn last(&self) -> u8 {
        self.list.len() as u8
    }

    /// The thresholds with commas between.
    pub fn text(&self) -> String {
        self.list.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
    }

    /// The ranges of numbers of each phase: `up to 6`, `7–10`, `over 10` and so on.
    pub fn names(&self) -> Vec<String> {
        let mut bounds = self.list.to_vec();
        bounds.sort_unstable();
        // Whether a bound belongs to the numbers below it.
        let closed = matches!(self.side, Side::Over | Side::UpTo);
        let (first, last) = (bounds[0], bounds[bounds.len() - 1]);
        let mut names = Vec::with_capacity(bounds.len() + 1);
        names.push(match (closed, first) {
            (true, 0) => "0".into(),
            (true, bound) => format!("up to {bound}"),
            (false, bound) => format!("under {bound}"),
        });
        names.extend(bounds.windows(2).map(|pair| {
            if closed {
                span(pair[0] + 1, pair[1])
            } else {
                span(pair[0], pair[1].saturating_sub(1))
            }
        }));
        names.push(match (closed, self.side) {
            (true, _) => format!("over {last}"),
            (false, Side::From) => format!("{last} and over"),
            (false, _) => format!("from {last}"),
        });
        if !self.side.rises() {
            names.reverse();
        }
        names
    }
}

/// `low–high`, or one number if they are the same.
pub fn span(low: u32, high: u32) -> String {
    if low == high { low.to_string() } else { format!("{low}–{high}") }
}

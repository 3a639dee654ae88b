//! Settings by name: [`settings!`] writes each once, and everybody who reads or sets them by name, the
//! bindings before all, has them from there.

use crate::error::{Error, Result};

/// The value of a setting, as people write it.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// On or off.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A number: 1.7, not 1.7000000476837158.
    Real(f64),
    /// A number, or nothing.
    MaybeReal(Option<f64>),
    /// One of several words.
    Word(String),
}

/// A record of settings that are read and set by name, as [`settings!`] makes it.
pub trait Settings: Default {
    /// The names of all settings, as people write them.
    const NAMES: &'static [&'static str];

    /// The setting of a name; `None` if there is none of that name.
    fn get(&self, name: &str) -> Option<Setting>;

    /// Changes the setting of a name. Ranges are checked by [`Settings::check`].
    fn set(&mut self, name: &str, given: &Setting) -> Result<()>;

    /// Refuses settings outside their ranges.
    fn check(&self) -> Result<()>;
}

/// Which numbers a setting may be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Allowed {
    /// Whatever its type can hold.
    Any,
    /// From one number to another, both among them.
    To(f64, f64),
    /// From one number to another that is not among them.
    Below(f64, f64),
}

impl Allowed {
    fn check(self, name: &str, given: f64) -> Result<()> {
        // Written so that NaN fails.
        let (is_allowed, words) = match self {
            Self::Any => return Ok(()),
            Self::To(low, high) => (given >= low && given <= high, format!("{low} to {high}")),
            Self::Below(low, high) => {
                (given >= low && given < high, format!("at least {low}, below {high}"))
            }
        };
        if is_allowed { Ok(()) } else { Err(outside(name, given, &words)) }
    }
}

/// A type that a setting may have.
pub(crate) trait Stored: Sized {
    /// The value as people write it.
    fn show(&self) -> Setting;

    /// What was written, for the setting `name`.
    fn read(name: &str, given: &Setting) -> Result<Self>;

    /// Refuses what is outside the range.
    fn check(&self, _name: &str, _allowed: Allowed) -> Result<()> {
        Ok(())
    }
}

impl Stored for bool {
    fn show(&self) -> Setting {
        Setting::Flag(*self)
    }

    fn read(name: &str, given: &Setting) -> Result<Self> {
        match given {
            Setting::Flag(given) => Ok(*given),
            other => Err(outside(name, format!("{other:?}"), "true and false")),
        }
    }
}

impl Stored for u32 {
    fn show(&self) -> Setting {
        Setting::Whole((*self).into())
    }

    fn read(name: &str, given: &Setting) -> Result<Self> {
        whole(name, given)
    }

    fn check(&self, name: &str, allowed: Allowed) -> Result<()> {
        allowed.check(name, (*self).into())
    }
}

impl Stored for usize {
    fn show(&self) -> Setting {
        Setting::Whole(*self as i64)
    }

    fn read(name: &str, given: &Setting) -> Result<Self> {
        whole(name, given).map(|number| number as Self)
    }

    fn check(&self, name: &str, allowed: Allowed) -> Result<()> {
        allowed.check(name, *self as f64)
    }
}

impl Stored for f32 {
    fn show(&self) -> Setting {
        Setting::Real(shortest(*self))
    }

    fn read(name: &str, given: &Setting) -> Result<Self> {
        match given {
            Setting::Real(given) => Ok(*given as Self),
            other => Err(outside(name, format!("{other:?}"), "numbers")),
        }
    }

    fn check(&self, name: &str, allowed: Allowed) -> Result<()> {
        allowed.check(name, shortest(*self))
    }
}

impl Stored for Option<f32> {
    fn show(&self) -> Setting {
        Setting::MaybeReal(self.map(shortest))
    }

    fn read(name: &str, given: &Setting) -> Result<Self> {
        match given {
            Setting::MaybeReal(given) => Ok(given.map(|given| given as f32)),
            other => Err(outside(name, format!("{other:?}"), "numbers and none")),
        }
    }

    fn check(&self, name: &str, allowed: Allowed) -> Result<()> {
        self.map_or(Ok(()), |given| given.check(name, allowed))
    }
}

/// An amount of memory in bytes, `None` if there is no limit; written in MiB, 0 for no limit.
impl Stored for Option<usize> {
    fn show(&self) -> Setting {
        Setting::Whole(self.map_or(0, |bytes| (bytes >> 20) as i64))
    }

    fn read(name: &str, given: &Setting) -> Result<Self> {
        let mib = whole(name, given)? as usize;
        Ok((mib > 0).then_some(mib << 20))
    }
}

/// A setting that is one of several words.
pub(crate) trait Choice: Copy + PartialEq + 'static {
    /// Every word with what it means.
    const WORDS: &'static [(&'static str, Self)];
}

impl<T: Choice> Stored for T {
    fn show(&self) -> Setting {
        let word = T::WORDS.iter().find(|(_, choice)| choice == self);
        Setting::Word(word.map_or_else(String::new, |(word, _)| (*word).to_owned()))
    }

    fn read(name: &str, given: &Setting) -> Result<Self> {
        let found = T::WORDS.iter().find(|(word, _)| *given == Setting::Word((*word).to_owned()));
        found.map(|&(_, choice)| choice).ok_or_else(|| {
            let words: Vec<&str> = T::WORDS.iter().map(|&(word, _)| word).collect();
            let given = match given {
                Setting::Word(word) => format!("{word:?}"),
                other => format!("{other:?}"),
            };
            outside(name, given, &words.join(", "))
        })
    }
}

/// The decimal number that people write for `value`.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}

fn whole(name: &str, given: &Setting) -> Result<u32> {
    let number = match given {
        Setting::Whole(number) => u32::try_from(*number).map_err(|_| number.to_string()),
        other => Err(format!("{other:?}")),
    };
    number.map_err(|given| outside(name, given, "whole numbers from 0"))
}

fn outside(name: &str, value: impl std::fmt::Display, allowed: &str) -> Error {
    Error::InvalidConfig(format!("{name} is {value}, allowed are {allowed}"))
}

/// A record of settings, a line for each: field, the name that people write if it is another, type,
/// default, range.
macro_rules! settings {
    (
        $(#[$about:meta])*
        pub struct $Params:ident {
            $(
                $(#[$doc:meta])*
                $field:ident $(as $name:literal)? : $kind:ty = $default:expr, $allowed:expr;
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Params {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Default for $Params {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::search::settings::Settings for $Params {
            const NAMES: &'static [&'static str] =
                &[$(settings!(@name $field $($name)?),)*];

            fn get(&self, name: &str) -> Option<Setting> {
                $(if name == settings!(@name $field $($name)?) {
                    return Some(Stored::show(&self.$field));
                })*
                None
            }

            fn set(&mut self, name: &str, given: &Setting) -> Result<()> {
                $(if name == settings!(@name $field $($name)?) {
                    self.$field = Stored::read(name, given)?;
                    return Ok(());
                })*
                Err(Error::InvalidConfig(format!(
                    "{name:?} is no setting; there are {}", Self::NAMES.join(", ")
                )))
            }

            /// By the record's own method of that name, which may look at several settings at once.
            fn check(&self) -> Result<()> {
                $Params::check(self)
            }
        }

        impl $Params {
            /// Refuses settings outside their ranges.
            fn check_ranges(&self) -> Result<()> {
                $(Stored::check(&self.$field, settings!(@name $field $($name)?), $allowed)?;)*
                Ok(())
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
}
pub(crate) use settings;

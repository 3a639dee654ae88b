//! The rooms of the bindings: what Python sees of one game each.

pub(crate) mod boards;
pub(crate) mod connect_four;
pub(crate) mod pommerman;

//! What a benchmark is asked for: `cargo bench --bench NAME -- [REPEATS] [small] [WORD …]`.

const REPEATS: usize = 5;

/// The words that a benchmark is given, without the options that cargo adds.
pub(crate) fn words() -> impl Iterator<Item = String> {
    std::env::args().skip(1).filter(|word| !word.starts_with('-'))
}

/// How often each measurement is repeated.
pub(crate) fn repeats() -> usize {
    words().find_map(|word| word.parse().ok()).unwrap_or(REPEATS)
}

/// An amount of work: the usual one, or with `small` enough to see that it runs.
pub(crate) fn sized<T>(usual: T, small: T) -> T {
    if words().any(|word| word == "small") { small } else { usual }
}

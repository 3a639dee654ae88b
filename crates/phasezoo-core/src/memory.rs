//! How much memory is left, so that what cannot be held is refused instead of ending the process.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Where control groups are.
const GROUPS: &str = "/sys/fs/cgroup";

/// Bytes that this process may still use: what the machine has left, and what its control group (v1 or
/// v2) and those above it leave; `None` if the system does not say.
pub fn available() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_machine(&text));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    machine.into_iter().chain(of_groups(&groups, Path::new(GROUPS))).min()
}

/// Half of what was left when a pool of trees was made, which its trees hold together at the most;
/// `None` if the system does not say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share(Option<usize>);

impl Share {
    pub(crate) fn of_what_is_left() -> Self {
        Self(available().map(|left| (left / 2) as usize))
    }

    /// Bytes that each of so many trees may hold, and no more than `most`.
    pub(crate) fn of_a_tree(self, most: Option<usize>, trees: usize) -> Option<usize> {
        let most = most?;
        Some(self.0.map_or(most, |all| most.min(all / trees.max(1))))
    }
}

/// Bytes below which nobody is asked: reading what is left takes 0.1 ms, longer than filling them.
const SMALL: u128 = 1 << 24;

/// Refuses `count` things of `bytes` each that memory cannot hold; `what` names them and the option
/// that asks for them. Of less than 16 MiB nothing is asked.
pub fn check(what: &str, count: usize, bytes: usize) -> Result<()> {
    check_with(what, count, bytes, available)
}

fn check_with(
    what: &str,
    count: usize,
    bytes: usize,
    available: impl FnOnce() -> Option<u64>,
) -> Result<()> {
    let needed = count as u128 * bytes as u128;
    if needed < SMALL {
        return Ok(());
    }
    // What no process can address is refused wherever nobody says what is left.
    let left = available().unwrap_or(isize::MAX as u64);
    if needed <= u128::from(left) {
        return Ok(());
    }
    Err(Error::InvalidConfig(format!(
        "{what}: {count} of {bytes} bytes each are {}, and {} of memory are left; ask for fewer",
        shown(needed),
        shown(u128::from(left))
    )))
}

/// A number of bytes in the largest unit that fits.
fn shown(bytes: u128) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = units.len().min(bytes.max(1).ilog2() as usize / 10 + 1) - 1;
    match unit {
        0 => format!("{bytes} bytes"),
        unit => format!("{:.1} {}", bytes as f64 / (1024_f64).powi(unit as i32), units[unit]),
    }
}

/// What `/proc/meminfo` says is available.
fn of_machine(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.saturating_mul(1024))
}

/// What each control group that limits memory leaves, from the lines of `/proc/self/cgroup`.
fn of_groups(groups: &str, mount: &Path) -> Vec<u64> {
    let mut left = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, limit, usage, idle) = match controllers {
            "" => (mount.to_owned(), "memory.max", "memory.current", "inactive_file"),
            list if list.split(',').any(|name| name == "memory") => (
                mount.join("memory"),
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            ),
            _ => continue,
        };
        for group in ancestors(&root, path) {
            let number =
                |file: &str| fs::read_to_string(group.join(file)).ok()?.trim().parse().ok();
            let (Some(limit), Some(usage)) = (number(limit), number(usage)) else { continue };
            // Files that were read once and can be dropped count as used.
            let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
            let idle = stat.lines().find_map(|line| {
                line.strip_prefix(idle)?.strip_prefix(' ')?.trim().parse::<u64>().ok()
            });
            left.push(u64::saturating_sub(limit, usage).saturating_add(idle.unwrap_or(0)));
        }
    }
    left
}

/// The folders of a group and of those above it. Inside a container the path is often that of the
/// host, and the mounted folder is the group itself.
fn ancestors(root: &Path, path: &str) -> Vec<PathBuf> {
    let path = Path::new(path.trim_start_matches('/'));
    path.ancestors().map(|part| root.join(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_says_what_is_available() {
        let text = "MemTotal:       16 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(of_machine(text), Some(2048 * 1024));
        assert_eq!(of_machine("MemTotal: 16 kB\n"), None);
    }

    #[test]
    fn every_group_above_counts() {
        let root = std::env::temp_dir().join(format!("phasezoo-groups-{}", std::process::id()));
        let inner = root.join("outer/inner");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("memory.max"), "max\n").unwrap();
        fs::write(inner.join("memory.current"), "10\n").unwrap();
        fs::write(root.join("outer/memory.max"), "1000\n").unwrap();
        fs::write(root.join("outer/memory.current"), "400\n").unwrap();
        fs::write(root.join("outer/memory.stat"), "anon 300\ninactive_file 50\n").unwrap();
        assert_eq!(of_groups("0::/outer/inner\n", &root), [650]);

        fs::create_dir_all(root.join("memory/job")).unwrap();
        fs::write(root.join("memory/job/memory.limit_in_bytes"), "70\n").unwrap();
        fs::write(root.join("memory/job/memory.usage_in_bytes"), "80\n").unwrap();
        assert_eq!(of_groups("5:cpu,memory:/job\n4:pids:/job\n", &root), [0]);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn what_does_not_fit_is_refused_with_both_sizes() {
        check("boards", 10, 100).unwrap();
        let error = check("num_envs=9", usize::MAX, 1 << 20).unwrap_err().to_string();
        assert!(error.starts_with("num_envs=9: "), "{error}");
        assert!(error.contains("EiB, and ") && error.contains(" of memory are left"), "{error}");
    }

    #[test]
    fn nobody_is_asked_for_little() {
        let asked = std::cell::Cell::new(0);
        let available = || {
            asked.set(asked.get() + 1);
            Some(1 << 30)
        };
        check_with("planes", 64, 504, available).unwrap();
        assert_eq!(asked.get(), 0);
        check_with("planes", 1 << 14, 1 << 10, available).unwrap();
        check_with("planes", 1 << 21, 1 << 10, available).unwrap_err();
        assert_eq!(asked.get(), 2);
    }

    #[test]
    fn sizes_are_shown_in_units() {
        assert_eq!([0, 1, 1023].map(shown), ["0 bytes", "1 bytes", "1023 bytes"]);
        assert_eq!(shown(1024), "1.0 KiB");
        assert_eq!(shown(3 << 29), "1.5 GiB");
        assert_eq!(shown(u128::from(u64::MAX)), "16.0 EiB");
    }
}

//! Tells the tests whether the data that is no part of the project is on this machine: those that need
//! it are then run, and else shown as ignored.

use std::path::PathBuf;

/// What the tests read of it.
const FOLDERS: [&str; 2] = ["data/suites", "pommerman"];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    println!("cargo::rerun-if-env-changed=PHASEZOO_SHARED");
    println!("cargo::rerun-if-changed=build.rs");
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let folder = std::env::var_os("PHASEZOO_SHARED")
        .map_or_else(|| root.join("../../../shared"), PathBuf::from);
    println!("cargo::rustc-env=PHASEZOO_SHARED_DATA={}", folder.display());
    if FOLDERS.iter().all(|name| folder.join(name).is_dir()) {
        // Of a folder that is not there no change can be seen: then `cargo clean -p phasezoo-core`.
        println!("cargo::rerun-if-changed={}", folder.display());
        println!("cargo::rustc-cfg=shared_data");
    }
}

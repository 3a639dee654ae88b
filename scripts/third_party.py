"""Write THIRD_PARTY_NOTICES.txt: the licences of the crates that are linked into the core.

``make notices`` runs it after a change of Cargo.lock; ``make lint`` runs it with ``--check``. It
asks cargo which crates the core links on the systems that have wheels, and takes their licences
from the sources that cargo has downloaded, so that nothing has to be installed. Both packages hold
the file.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTICES = ROOT / "THIRD_PARTY_NOTICES.txt"
CORE = "phasezoo-py"
"""The crate that becomes the native module."""

PLATFORMS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
)
"""The systems that wheels are built for."""

NAMES = re.compile(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)\b.*", re.IGNORECASE)
"""Files with licences; those of bundled C libraries lie one folder down."""

OF_OTHER_FILES = {
    "liblzma-sys": ("COPYING.GPLv2", "COPYING.GPLv3", "COPYING.LGPLv2.1"),
    "zstd-sys": ("zstd/COPYING",),
}
"""Licences of scripts and programs that lie beside a library and are not linked, and the GPL-2.0
that zstd offers in place of the BSD licence."""

OWN_LICENCE = "GPL-3.0-or-later"
"""Crates under it need no text here: LICENSE is that text."""

HEAD = """\
Third-party notices of phasezoo

The native module of phasezoo is compiled from the crates below and from the standard library of
Rust (the Rust Project contributors, MIT OR Apache-2.0), each under its own licence. phasezoo and
crates without a text of their own here are under the GNU General Public License, version 3 or
later, which stands in LICENSE. Where a crate offers several licences, all its texts are here.

Made by `make notices` from Cargo.lock.
"""
CRATE = re.compile(r"^(\S+) (\S+) \((.+)\): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Crate:
    """A crate that is linked."""

    name: str
    version: str
    licence: str
    """As its manifest says it."""
    texts: tuple[str, ...]
    """Texts of its licence files."""


def linked() -> list[Crate]:
    """Return the crates of others that the core links on one of the :data:`PLATFORMS`, by name.

    What only builds, tests or expands code is not linked.

    Raises:
        CalledProcessError: Cargo refused, such as because Cargo.lock is out of date.
    """
    words = ["cargo", "metadata", "--locked", "--format-version", "1"]
    words += [word for platform in PLATFORMS for word in ("--filter-platform", platform)]
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    waiting = [key for key, package in packages.items() if package["name"] == CORE]
    reached: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key in reached or is_macro(packages[key]):
            continue
        reached.add(key)
        waiting += [
            each["pkg"]
            for each in nodes[key]["deps"]
            if any(kind["kind"] is None for kind in each["dep_kinds"])
        ]
    others = [packages[key] for key in reached if packages[key]["source"] is not None]
    return sorted(map(crate_of, others), key=lambda crate: (crate.name, crate.version))


def is_macro(package: Mapping[str, Any]) -> bool:
    """Return whether a package runs in the compiler alone."""
    return any("proc-macro" in target["kind"] for target in package["targets"])


def crate_of(package: Mapping[str, Any]) -> Crate:
    """Return a package with its texts.

    Raises:
        SystemExit: It has no licence file, and its licence is not that of phasezoo.
    """
    name, folder = package["name"], Path(package["manifest_path"]).parent
    texts = tuple(file.read_text(encoding="utf-8").strip() for file in licences(name, folder))
    if not texts and package["license"] != OWN_LICENCE:
        sys.exit(f"{name} {package['version']} ({package['license']}) comes without its licence")
    return Crate(name, package["version"], package["license"], texts)


def licences(name: str, folder: Path) -> Iterator[Path]:
    """Yield the licence files of a crate, its own first."""
    for file in [*sorted(folder.glob("*")), *sorted(folder.glob("*/*"))]:
        if not (NAMES.fullmatch(file.name) and file.is_file()):
            continue
        if not file.as_posix().endswith(OF_OTHER_FILES.get(name, ())):
            yield file


def notices(crates: list[Crate]) -> str:
    """Return the whole file: every crate, then every text once."""
    texts: dict[str, tuple[int, str]] = {}
    lines = []
    for crate in crates:
        numbers = []
        for text in crate.texts:
            # Texts that differ in their line breaks alone are one.
            number, _ = texts.setdefault(" ".join(text.split()), (len(texts) + 1, text))
            numbers.append(number)
        listed = ", ".join(f"text {number}" for number in dict.fromkeys(numbers)) or "LICENSE"
        lines.append(f"{crate.name} {crate.version} ({crate.licence}): {listed}")
    parts = [f"{'-' * 80}\nText {number}\n{'-' * 80}\n\n{text}" for number, text in texts.values()]
    whole = "\n\n".join(["\n".join(lines), *parts])
    return "\n".join(line.rstrip() for line in f"{HEAD}\n{whole}\n".splitlines()) + "\n"


def named(text: str) -> set[tuple[str, str]]:
    """Return name and version of every crate that a file of notices lists."""
    listed = text.partition("Text 1\n")[0]
    return {(name, version) for name, version, _, _ in CRATE.findall(listed)}


def main() -> None:
    """Write the file, or compare it with the crates."""
    parser = argparse.ArgumentParser(prog="python scripts/third_party.py", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if it is old")
    options = parser.parse_args()
    text = notices(linked())
    if not options.check:
        NOTICES.write_text(text, encoding="utf-8")
    elif not NOTICES.exists() or NOTICES.read_text(encoding="utf-8") != text:
        sys.exit(f"{NOTICES.name} is not what Cargo.lock links: make notices")


if __name__ == "__main__":
    main()

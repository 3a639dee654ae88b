#!/usr/bin/env bash
# Runs a command with cargo on the PATH. Where there is no cargo, maturin's own bootstrap (puccinialin)
# fetches a Rust toolchain into the user's cache; where that fails too, one sentence says what to do.
set -euo pipefail
python=.venv/bin/python

if ! command -v cargo >/dev/null 2>&1; then
  info=$(mktemp)
  trap 'rm -f "$info"' EXIT
  if ! { uv pip install --quiet --python "$python" puccinialin &&
    "$python" -m puccinialin --info-json "$info" >/dev/null; } 2>/dev/null; then
    echo "phasezoo needs a Rust toolchain (cargo 1.95 or newer) to build its core, and none could be fetched: install rustup with your system's package manager, then run make again." >&2
    exit 1
  fi
  eval "$("$python" -c '
import json, shlex, sys
for name, value in json.load(open(sys.argv[1]))["env"].items():
    print(f"export {name}={shlex.quote(value)}")' "$info")"
fi
"$@"

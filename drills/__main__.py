"""`python -m drills NAME …`: run a drill; `--help` after a name lists its options."""

import sys
from importlib import import_module

DRILLS = {
    "break": "drills.breaking.command",
    "disk": "drills.disk.command",
    "fuzz": "drills.fuzz.command",
    "kill": "drills.kill.command",
    "leak": "drills.leak.command",
}


def main() -> int:
    """Hand over to the drill."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in DRILLS:
        sys.stderr.write(f"usage: python -m drills NAME …; known are {', '.join(DRILLS)}\n")
        return 2
    code: int = import_module(DRILLS[name]).main(sys.argv[2:])
    return code


if __name__ == "__main__":
    sys.exit(main())

"""`python -m drills break [FAULT …]`: plants faults one by one, and looks whether tests notice."""

import argparse
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from drills.breaking.copies import Copy
from drills.breaking.faults import CATALOGUE, Fault, Unplantable, read_faults
from drills.names import add_names, parsed
from phasezoo.errors import RunDirectoryError
from phasezoo.runs.lock import held

ROOT = Path(__file__).resolve().parent.parent.parent
"""The checkout."""

RULE = """\
Each fault is planted in a copy of the checkout under target/, where the tests that should notice it
run up to the first that fails. Caught: that test fails with the fault and passes without. Survived:
no test fails. Otherwise the fault has to be planted anew: its text is not in the code, the core
cannot be built, or the test fails anyway. Exit code 1 unless all are caught."""

CAUGHT, SURVIVED, ANEW = "caught", "survived", "plant anew"


def main(words: Sequence[str], catalogue: Path = CATALOGUE, root: Path = ROOT) -> int:
    """Plant faults, print a line for each, and return 1 unless all are caught."""
    faults = read_faults(catalogue)
    parser = argparse.ArgumentParser(
        prog="python -m drills break",
        description=f"{__doc__}\n\n{RULE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_names(parser, faults)
    parser.add_argument("--list", action="store_true", help="print the faults and plant none")
    parts = sorted({fault.part for fault in faults.values()})
    parser.add_argument("--part", action="append", choices=parts, help="the faults of a part alone")
    parser.add_argument("--json", type=Path, help="keep results here; those there are not repeated")
    parser.add_argument("--again", action="store_true", help="repeat results that are there")
    options = parsed(parser, words, faults, "fault")
    chosen = [faults[name] for name in options.names]
    if options.part:
        chosen = [fault for fault in chosen if fault.part in options.part]
    if options.list:
        for fault in chosen:
            print(f"{fault.part:<10} {fault.slug:<28} {fault.right}")
        return 0
    room = root / "target" / "drills" / "break"
    room.mkdir(parents=True, exist_ok=True)
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with held(room):
            results = _results(chosen, Copy(root, room), options.json, again=options.again)
    except RunDirectoryError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("stopped; results of --json are kept, and the same command goes on with the rest")
        return 128 + signal.SIGINT
    finally:
        signal.signal(signal.SIGTERM, before)
    verdicts = Counter(str(result["verdict"]) for result in results)
    total = ", ".join(f"{verdicts[one]} {one}" for one in (CAUGHT, SURVIVED, ANEW))
    print(f"{len(results)} faults: {total}")
    return 0 if verdicts[CAUGHT] == len(results) else 1


def _results(
    faults: Sequence[Fault], copy: Copy, file: Path | None, *, again: bool
) -> list[Mapping[str, Any]]:
    """Return the result of each fault; a new one is written before the next fault is planted."""
    kept: dict[str, Any] = {}
    if file is not None and file.exists():
        kept = json.loads(file.read_text(encoding="utf-8"))
    commit = _commit(copy.root)
    is_fresh = False
    results = []
    for fault in faults:
        mark = sha256(repr((fault.text, fault.broken, fault.tests)).encode()).hexdigest()[:12]
        known = kept.get(fault.slug)
        if again or known is None or known["mark"] != mark:
            if not is_fresh:
                copy.refresh()
                is_fresh = True
            known = {**_tried(fault, copy), "mark": mark, "commit": commit}
            kept[fault.slug] = known
            if file is not None:
                _write_whole(file, kept)
        results.append(known)
        _print(fault, known)
    return results


def _tried(fault: Fault, copy: Copy) -> dict[str, Any]:
    """Plant a fault, and run its tests."""
    began = time.monotonic()
    when = datetime.now(tz=UTC).isoformat(timespec="seconds")
    try:
        with copy.with_fault(fault):
            by = copy.first_failure(fault.tests)
        # The file alone is tried if the test has no name.
        sound = by is None or copy.first_failure([by if "::" in by else fault.tests[0]]) is None
        verdict = SURVIVED if by is None else CAUGHT if sound else ANEW
        by = by if sound else f"{by} fails without the fault"
    except Unplantable as error:
        verdict, by = ANEW, str(error)
    seconds = round(time.monotonic() - began, 1)
    return {"part": fault.part, "verdict": verdict, "by": by, "seconds": seconds, "when": when}


def _print(fault: Fault, result: Mapping[str, Any]) -> None:
    by = result["by"] or f"nothing in {' '.join(fault.tests)}"
    line = f"{fault.part:<10} {fault.slug:<28} {result['verdict']:<10} {result['seconds']:>6.1f} s"
    print(f"{line}  {by}", flush=True)


def _commit(root: Path) -> str:
    """Return the commit of the code."""
    words = ["git", "describe", "--always", "--dirty"]
    found = subprocess.run(words, cwd=root, check=False, capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def _write_whole(file: Path, kept: Mapping[str, Any]) -> None:
    """Write results so that a kill leaves the old or the new ones."""
    part = file.with_name(f"{file.name}.part")
    part.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    part.replace(file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The code blocks of the README and of the usage page, and the examples, run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
USAGE = ROOT.parent / "shared" / "USAGE.md"
USAGE_BLOCK = re.compile(r"^```python (?:chess|variants|pommerman)\n(?P<code>.*?)^```", re.M | re.S)
README_BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```", re.M | re.S)


def usage_blocks() -> list:
    """One case per block; a single skipped one where the page is absent."""
    if not USAGE.is_file():
        reason = "USAGE.md lies outside the repository and is not on this machine"
        return [pytest.param("", id="absent", marks=pytest.mark.skip(reason=reason))]
    blocks = USAGE_BLOCK.findall(USAGE.read_text())
    return [pytest.param(code, id=f"block-{number}") for number, code in enumerate(blocks, 1)]


def readme_blocks() -> list:
    """One case per block of the README."""
    blocks = README_BLOCK.findall((ROOT / "README.md").read_text())
    return [pytest.param(code, id=f"block-{number}") for number, code in enumerate(blocks, 1)]


def run(arguments: list[str], folder: Path) -> None:
    """Run Python in ``folder``; what it wrote is the message where it fails."""
    command = [sys.executable, "-W", "error::DeprecationWarning:phasezoo", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("code", usage_blocks())
def test_usage_block_runs(code: str, tmp_path: Path) -> None:
    run(["-c", code], tmp_path)


@pytest.mark.parametrize("code", readme_blocks())
def test_readme_block_runs(code: str, tmp_path: Path) -> None:
    run(["-c", code], tmp_path)


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    run([str(example)], tmp_path)

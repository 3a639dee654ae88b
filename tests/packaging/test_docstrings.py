"""The check of docstrings that ``make lint`` runs finds what it is for."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts" / "check_docstrings.py"

RIGHT = '''
class Env:
    """An environment.

    Args:
        game: Its name.
        planes: Which planes, which
            are many: 52.
        options: The others.
    """

    def __init__(self, game, *, planes=None, **options):
        pass


def make(*games: str) -> None:
    """Make some, without a section."""
'''


def check(code: str, folder: Path) -> tuple[int, str]:
    """The status of the script on a file with this code, and what it prints."""
    ast.parse(code)
    (folder / "module.py").write_text(code, encoding="utf-8")
    command = [sys.executable, str(SCRIPT), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout


def test_sections_in_order_pass(tmp_path: Path) -> None:
    assert check(RIGHT, tmp_path) == (0, "")


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("name.\n        planes: Which", "name. planes:\n        Which", "names (game, options)"),
        ("        options: The others.\n", "", "names (game, planes)"),
        ("game, *, planes=None", "planes=None, *, game", "has (planes, game, options)"),
    ],
)
def test_sections_that_ran_together_or_lack_a_name_are_found(
    old: str, new: str, found: str, tmp_path: Path
) -> None:
    assert old in RIGHT
    status, text = check(RIGHT.replace(old, new), tmp_path)
    assert status == 1
    assert found in text

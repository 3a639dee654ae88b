"""Writes the public names of the package, which a test holds it to.

``python scripts/public_names.py`` prints them, ``… --write`` keeps them in
``tests/packaging/public_names.txt``. Public are the names in ``__all__`` of the package, of its
folders that are one's to import, of the modules ``phasezoo.envs.*_v0`` and of
``phasezoo.integrations.*``. Nothing is imported: the lists are read from the sources.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "phasezoo"
KEPT = ROOT / "tests" / "packaging" / "public_names.txt"

FOLDERS = ("agents", "arena", "envs", "experiments", "games", "gating", "inference", "networks",
           "pommerman_compat", "runs", "training")  # fmt: skip
PUBLIC = (
    "__init__.py",
    "errors.py",
    "types.py",
    *(f"{folder}/__init__.py" for folder in FOLDERS),
    "envs/*_v0.py",
    "integrations/*/__init__.py",
)


def names() -> list[str]:
    """Return every public name with its module, sorted."""
    return sorted(f"{module}.{name}" for module, file in modules() for name in offered(file))


def modules() -> Iterator[tuple[str, Path]]:
    """Yield the public modules, and their files."""
    for pattern in PUBLIC:
        for file in sorted(PACKAGE.glob(pattern)):
            parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
            yield ".".join(part for part in parts if part != "__init__"), file


def offered(file: Path) -> list[str]:
    """Return the names that a module's ``__all__`` lists."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            return [str(name) for name in ast.literal_eval(node.value)]
    message = f"{file}: no __all__ that lists its names"
    raise SystemExit(message)


def main() -> None:
    """Print the names, or keep them."""
    text = "".join(f"{name}\n" for name in names())
    if sys.argv[1:] == ["--write"]:
        KEPT.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()

"""Modules of a user's own, by their names or their files."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from phasezoo.errors import InvalidConfig, PhasezooError

__all__ = ["import_module"]


def import_module(path: str) -> ModuleType:
    """The module of a dotted name, or of a file; one that is imported already is that one.

    Args:
        path: ``my_module``, looked for in the current directory too, or ``my_module.py``.

    Raises:
        InvalidConfig: It cannot be imported.
        PhasezooError: What it registers is refused.
    """
    try:
        if not path.endswith(".py"):
            if str(Path.cwd()) not in sys.path:
                sys.path.insert(0, str(Path.cwd()))  # as `python -m` has it
            return importlib.import_module(path)
        file = Path(path)
        known = sys.modules.get(file.stem)
        if known is not None and _is_of(known, file):
            return known
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module  # so that its classes can be pickled
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[file.stem]
            raise
    except (Exception, SystemExit) as error:
        text = " ".join(str(error).split())
        kind = "" if isinstance(error, PhasezooError) else f"{type(error).__name__}: "
        message = f"{path!r} cannot be imported: {kind}{text}"
        raise InvalidConfig(message) from error
    return module


def _is_of(module: ModuleType, file: Path) -> bool:
    """Whether a module was made from the file."""
    own = getattr(module, "__file__", None)
    return own is not None and Path(own).resolve() == file.resolve()

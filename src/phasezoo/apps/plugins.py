"""Modules of a user's own, by their names or their files."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from phasezoo.errors import InvalidConfig, PhasezooError

__all__ = ["import_module"]


def import_module(path: str) -> ModuleType:
    """The module of a dotted name, or of a file.

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
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module  # so that its classes can be pickled
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        text = " ".join(str(error).split())
        kind = "" if isinstance(error, PhasezooError) else f"{type(error).__name__}: "
        message = f"{path!r} cannot be imported: {kind}{text}"
        raise InvalidConfig(message) from error
    return module

"""Commands of a user as work of a drill."""

import contextlib
import io

from phasezoo.errors import PhasezooError


def command(*words: str) -> None:
    """Run `phasezoo` in this process.

    Raises:
        PhasezooError: It failed; the message is its last line.
    """
    from phasezoo.apps.cli import main

    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = main(words)
    if code:
        raise PhasezooError(said.getvalue().strip().splitlines()[-1])

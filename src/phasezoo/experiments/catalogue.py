"""The published studies that can be done again, and how a program runs and opens them."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from phasezoo.errors import InvalidConfig, RunDirectoryError
from phasezoo.experiments.atomic.config import ATOMIC
from phasezoo.experiments.auditing.config import AUDIT
from phasezoo.experiments.beam.config import BEAM
from phasezoo.experiments.from_scratch.config import SCRATCH
from phasezoo.experiments.generalisation.config import GENERALISE
from phasezoo.experiments.krk.config import KRK
from phasezoo.experiments.pommerman.config import POMMERMAN
from phasezoo.experiments.representation.config import REPRESENTATION
from phasezoo.experiments.study import Study
from phasezoo.experiments.two_player.config import (
    TWO_PLAYER,
    CurveConfig,
    M2ctsConfig,
    curve_of,
    two_player_of,
)
from phasezoo.games.options import folder_path
from phasezoo.report.console import Console
from phasezoo.report.document import Document
from phasezoo.runs import jsonable, kind_of
from phasezoo.specs import changed, did_you_mean
from phasezoo.zoo.boards.two_player import chess960_two_player, small_two_player
from phasezoo.zoo.connect_four.two_player import connect_four_curves, connect_four_two_player
from phasezoo.zoo.krk.two_player import krk_curves, krk_two_player

_TWO_PLAYER: dict[str, Study[M2ctsConfig]] = {
    "chess": TWO_PLAYER,
    "chess960": two_player_of("chess960", chess960_two_player()),
    "atomic": two_player_of("atomic", small_two_player()),
    "crazyhouse": two_player_of("crazyhouse", small_two_player()),
    "connect-four": two_player_of("connect-four", connect_four_two_player()),
    "krk": two_player_of("krk", krk_two_player()),
}
"""Games whose room says which settings suit it. Any other game of two players whose games can be
stored runs with the settings of the first one, but for those that are given."""

GAMES: dict[str, Study[Any]] = {**_TWO_PLAYER, "pommerman": POMMERMAN}
"""Studies of phase experts by the name that ``--game`` has; the first is the default."""

_SIZES = {"connect-four": connect_four_curves(), "krk": krk_curves()}

CURVES: dict[str, Study[CurveConfig]] = {
    name: curve_of(study, _SIZES.get(name)) for name, study in _TWO_PLAYER.items()
}
"""The same at several numbers of training positions, where games are stored."""

STUDIES: dict[str, dict[str, Study[Any]]] = {
    "m2cts": GAMES,
    "representation": {"chess": REPRESENTATION},
    "krk": {"krk": KRK},
    "atomic": {"atomic": ATOMIC},
    "beam": {"chess": BEAM},
}
"""By name, then by game; the first game is the default."""


def find(
    name: str, game: str = "", *, curve: bool = False, from_scratch: bool = False
) -> Study[Any]:
    """Return a study.

    Args:
        name: Its name, such as ``m2cts``.
        game: Game that it is about; empty for its own.
        curve: True for the study of phase experts at several numbers of positions.
        from_scratch: True for that of phase experts that learn by play.
    """
    if name not in STUDIES:
        message = f"{name!r}: no such study{did_you_mean(name, STUDIES)} Known are "
        raise InvalidConfig(message + ", ".join(STUDIES))
    games = STUDIES[name]
    if (curve or from_scratch) and games is not GAMES:
        message = f"{name} has no curve and nothing from scratch: m2cts has"
        raise InvalidConfig(message)
    if from_scratch:
        return SCRATCH
    if curve:
        games = CURVES
    return games.get(game, next(iter(games.values())))


def reproduce(
    name: str,
    *,
    out: str | Path,
    preset: str = "",
    console: Console | None = None,
    curve: bool = False,
    from_scratch: bool = False,
    **settings: Any,
) -> Document:
    """Run a published study, or go on with its run in ``out``, and return its report.

    It does what ``phasezoo reproduce NAME`` does. The report has ``claims``, ``tables`` and
    ``figures``, and shows itself in a notebook.

    Args:
        name: The study: m2cts, representation, krk, atomic or beam.
        out: A new or empty directory, or that of this very run, which then goes on.
        preset: Its size; empty for the smallest.
        console: Where to report progress; None: nowhere.
        curve: As for the option ``--curve`` of m2cts.
        from_scratch: As for the option ``--from-scratch`` of m2cts.
        **settings: Settings of the command by name, such as ``positions=3_000``.

    Returns:
        The report, which :func:`open` reads again later.

    Raises:
        InvalidConfig: There is no such study or setting, or a value is out of range.
        RunDirectoryError: ``out`` belongs to something else, or cannot be written.
        MissingDependency: A package is missing; the message names the extra.
        PhasezooError: Anything else that is wrong; nothing that is finished is lost.
    """
    study = find(name, str(settings.get("game", "")), curve=curve, from_scratch=from_scratch)
    if preset and preset not in study.presets:
        message = f"preset={preset!r}{did_you_mean(preset, study.presets)} Expected "
        raise InvalidConfig(message + " or ".join(study.presets))
    for option, value in settings.items():
        for part in value if isinstance(value, list | tuple) else (value,):
            if isinstance(part, float) and math.isnan(part):
                message = f"{option}={value}: nan is no number to work with; give another"
                raise InvalidConfig(message)
    config = changed(study.presets[preset] if preset else study.default, settings, name)
    # Read as the file of a run is, so that lists and paths come as the settings have them.
    config = jsonable.decode(type(config), jsonable.encode(config), name)
    results = study.reproduce(config, folder_path("out", out), console)
    return study.report(results)


def open(run: str | Path) -> Document:
    """Return the report of a study's run that has ended.

    Args:
        run: Directory of the run.

    Raises:
        InvalidConfig: ``run`` is no path.
        RunDirectoryError: It has no run of a study, or one that has not ended.
    """
    path = folder_path("run", run)
    kind = kind_of(path)
    for study in _all():
        if study.name == kind:
            return study.report(study.results_in(path))
    message = f"{path}: no run of a study there; experiments.reproduce(…, out=…) makes one"
    raise RunDirectoryError(message)


def _all() -> Iterator[Study[Any]]:
    for games in (*STUDIES.values(), CURVES):
        yield from games.values()
    yield SCRATCH
    yield GENERALISE
    yield AUDIT

"""Where imported games go: one store, or a folder with one for each game and each part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from phasezoo.data.pgn_filter import checked_month
from phasezoo.data.store import GameStore
from phasezoo.data.store_folder import SUFFIX, check_target, whole_folder
from phasezoo.errors import InvalidConfig, StoreError

UNDATED = "undated"
"""The part of games whose month is not known."""


@dataclass(frozen=True)
class MonthSplit:
    """Parts of games by their month: named months for validation and test, or each month apart."""

    validation: Sequence[str] = ()
    """Months, ``YYYY-MM``, of the part ``validation``."""
    test: Sequence[str] = ()
    """Months of the part ``test``; all others, and games without a month, are ``train``."""

    def __post_init__(self) -> None:
        for name in ("validation", "test"):
            for month in getattr(self, name):
                checked_month(name, month)
        both = set(self.validation) & set(self.test)
        if both:
            message = f"{min(both)} is in validation and in test: a month is in one of them"
            raise InvalidConfig(message)

    def parts(self, store: GameStore) -> dict[str, GameStore]:
        """Return the games of each part by its name; with no month named, a part a month.

        Raises:
            InvalidConfig: A month that is named for validation or test has no game.
        """
        months = months_of(store.columns.dates)
        names = np.array([month or UNDATED for month in months.tolist()])
        if self.validation or self.test:
            for month in (*self.validation, *self.test):
                if month not in names:
                    message = (
                        f"there is no game of {store.variant} of {month} among those that are "
                        "kept: name another month, or import one game at a time (--game)"
                    )
                    raise InvalidConfig(message)
            names = np.select(
                [np.isin(names, self.validation), np.isin(names, self.test)],
                ["validation", "test"],
                "train",
            )
        return {
            name: store.subset(np.flatnonzero(names == name)) for name in np.unique(names).tolist()
        }


def months_of(dates: npt.NDArray[np.bytes_]) -> npt.NDArray[np.str_]:
    """``[N]``: the months of dates ``YYYY.MM.DD``, ``YYYY-MM``; empty if it is not known."""
    text = np.char.replace(dates.astype("S7").astype(np.str_), ".", "-")
    month = np.array([one[5:] for one in text.tolist()], dtype="U2")
    known = (np.char.find(text, "?") < 0) & (month >= "01") & (month <= "12")
    return np.where(known, text, "")


def check_place(path: Path, *, overwrite: bool, is_folder: bool) -> None:
    """Refuse early to write where something is, or where nothing can be."""
    if is_folder and path.suffix == SUFFIX:
        message = f"{path} is one file: name a folder for stores of several parts"
        raise StoreError(message)
    if path.is_dir() and _stores_in(path):
        if overwrite:
            return
        message = f"{path} exists already: choose another name, or allow overwriting (--overwrite)"
        raise StoreError(message)
    check_target(path, overwrite=overwrite)


def write_stores(path: Path, stores: Mapping[str, GameStore], *, overwrite: bool) -> None:
    """Write stores into one folder, each in one of its own; the folder appears once it is whole.

    Args:
        path: The folder.
        stores: Stores by their place in it, such as ``"atomic/train"``.
        overwrite: Whether a folder of stores that is there may be replaced.
    """
    check_place(path, overwrite=overwrite, is_folder=True)
    with whole_folder(path) as partial:
        for place, store in stores.items():
            target = partial / place
            target.parent.mkdir(parents=True, exist_ok=True)
            store.save(target)
        check_place(path, overwrite=overwrite, is_folder=True)  # another process may be faster


def _stores_in(path: Path) -> bool:
    """Return whether a folder holds folders of stores and files of games, and nothing else."""
    found = False
    for entry in path.rglob("*"):  # up to the first other file
        found = found or not entry.is_dir()
        if not entry.is_dir() and (entry.suffix != SUFFIX or entry.name.startswith(".")):
            return False
    return found

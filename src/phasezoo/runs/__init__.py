"""Records and locks of runs, be they trainings, matches or studies.

:func:`describe` says what a run is made with, :func:`held` keeps a second process out, and
:class:`RunDirectory` is a directory of resumable stages built on both.
"""

from phasezoo.runs.directory import RunDirectory, kind_of as kind_of
from phasezoo.runs.files import RowLog as RowLog, describe_disk_errors as describe_disk_errors
from phasezoo.runs.lock import held as held
from phasezoo.runs.record import RunRecord as RunRecord, describe as describe

__all__ = [
    "RunDirectory",
]

"""Records and locks of runs, be they trainings, matches or studies.

:func:`describe` says what a run is made with, :func:`held` keeps a second process out, and
:class:`RunDirectory` is a directory of resumable stages built on both.
"""

from phasezoo.runs.directory import RunDirectory, kind_of
from phasezoo.runs.files import describe_disk_errors, write_whole
from phasezoo.runs.lock import held
from phasezoo.runs.provenance import Provenance
from phasezoo.runs.record import RunRecord, describe
from phasezoo.runs.row_log import RowLog

__all__ = [
    "Provenance",
    "RowLog",
    "RunDirectory",
    "RunRecord",
    "describe",
    "describe_disk_errors",
    "held",
    "kind_of",
    "write_whole",
]

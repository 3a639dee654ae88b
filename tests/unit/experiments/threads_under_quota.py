"""Prints the threads that studies take, in this process and in spawned ones: run under a quota."""

import multiprocessing
import sys
import tempfile
from pathlib import Path

from phasezoo import _core
from phasezoo.experiments.krk.config import KRK, KrkConfig
from phasezoo.experiments.krk.study import KrkRun
from phasezoo.report.console import silent
from phasezoo.runs import RunDirectory


def threads(config):
    """Threads by the core, by a run of the sweep, by its record, and by torch where it trains."""
    with (
        tempfile.TemporaryDirectory() as out,
        RunDirectory.create(Path(out), KRK.name, config, threads=config.threads) as directory,
    ):
        run = KrkRun(KRK, directory, config, None, silent())
        found = [_core.default_threads(), run.threads, directory.record.provenance.threads]
    try:
        import torch

        from phasezoo.training.trainer import torch_threads
    except ImportError:
        return found
    with torch_threads(config.threads):
        return [*found, torch.get_num_threads()]


if __name__ == "__main__":
    config = KrkConfig()
    with multiprocessing.get_context("spawn").Pool(int(sys.argv[1])) as pool:
        everybody = [threads(config), *pool.map(threads, [config] * int(sys.argv[1]))]
    print(sorted({number for found in everybody for number in found}))

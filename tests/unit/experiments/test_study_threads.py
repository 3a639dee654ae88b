"""Studies and their workers take the threads that the core counts: a container's quota included."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("threads_under_quota.py")

# A control group's files, of version 1 or 2, seen by the children of this shell alone.
QUOTA = """
set -e
if [ -d /sys/fs/cgroup/cpu ]; then
  mount -t tmpfs none /sys/fs/cgroup/cpu
  echo 100000 > /sys/fs/cgroup/cpu/cpu.cfs_quota_us
  echo 100000 > /sys/fs/cgroup/cpu/cpu.cfs_period_us
else
  group=$(sed -n 's/^0:://p' /proc/self/cgroup)
  mount -t tmpfs none /sys/fs/cgroup
  mkdir -p "/sys/fs/cgroup$group"
  echo > /sys/fs/cgroup/cgroup.controllers
  echo '100000 100000' > "/sys/fs/cgroup$group/cpu.max"
fi
exec "$@"
"""

ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PHASEZOO_THREADS"}


def under_quota(*command, check=True):
    arguments = ["unshare", "--mount", "bash", "-c", QUOTA, "quota", *command]
    return subprocess.run(
        arguments, check=check, capture_output=True, text=True, env=ENVIRONMENT, timeout=240
    )


def can_set_a_quota():
    if shutil.which("unshare") is None or len(os.sched_getaffinity(0)) < 2:
        return False
    return under_quota("true", check=False).returncode == 0


@pytest.mark.slow
def test_a_container_of_one_processor_gives_every_worker_one_thread():
    if not can_set_a_quota():
        pytest.skip("a quota needs two processors and the right to mount")
    assert under_quota(sys.executable, str(SCRIPT), "2").stdout.strip() == "[1]"


def test_the_variable_decides_for_studies_and_their_workers():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "1"],
        check=True,
        capture_output=True,
        text=True,
        env=ENVIRONMENT | {"PHASEZOO_THREADS": "3"},
        timeout=240,
    )
    assert done.stdout.strip() == "[3]"

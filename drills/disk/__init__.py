"""Disks: where there is no room, nothing is lost, and the same work goes on when there is."""

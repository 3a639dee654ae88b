"""``phasezoo bench inference``: one network by every backend."""

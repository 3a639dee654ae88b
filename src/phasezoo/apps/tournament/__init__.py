"""``phasezoo match`` and ``phasezoo tournament``: agents against each other, with a report."""

"""The published studies, each reproducible by one command at several sizes, each with a report."""

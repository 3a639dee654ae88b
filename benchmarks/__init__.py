"""One script per row of the speed table, each beside its peer; `make bench` runs them all."""

"""Where phases meet: what neighbouring experts say of the same positions, and how true it is."""

"""Chess, chess960, atomic chess and crazyhouse."""

"""Two searches against each other: the comparison for games of two players, such as chess."""

"""The games, a room for each: what one game brings lies in one folder."""

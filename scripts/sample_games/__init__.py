"""Parts of `make_sample_games.py`: engine client, play, store, openings, checks."""

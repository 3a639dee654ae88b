"""The board in the browser: play, watch searches think, look into runs."""

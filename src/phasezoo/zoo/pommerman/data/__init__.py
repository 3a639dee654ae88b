"""Training in Pommerman: positions of its episodes, and settings that suit them."""

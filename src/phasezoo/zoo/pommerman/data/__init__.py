"""What training knows of Pommerman: positions of its episodes, and settings that suit them."""

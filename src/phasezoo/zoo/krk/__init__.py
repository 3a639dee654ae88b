"""King and rook against king."""

"""The KRK study: UCT with king and rook against a perfect king, over C, T and simulations."""

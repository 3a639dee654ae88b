"""Phase experts in Pommerman's free-for-all."""

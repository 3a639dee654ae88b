"""Phase experts less one network by how much both have learnt from, and where they draw level."""

"""Which rooms bring data of their own: the only file of this layer that names them."""

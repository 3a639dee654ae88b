"""Which rooms have environments: the only file of this layer that names them, with ``*_v0``."""

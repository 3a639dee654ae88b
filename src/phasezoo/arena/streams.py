"""Named random streams of a match: one seed for every purpose, game and side."""

import hashlib


def stream(seed: int, *names: str | int) -> int:
    """Return the 63-bit seed of the stream called ``names`` under ``seed``.

    The same on every machine and in every process; different names give unrelated seeds.
    """
    text = "/".join((str(int(seed)), *map(str, names)))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1

"""Looking for keys among others, beside NumPy."""

import numpy as np
from hypothesis import given, strategies as st

from phasezoo.data.positions import are_among

KEYS = st.lists(st.one_of(st.integers(0, 20), st.integers(2**64 - 3, 2**64 - 1)), max_size=30)


@given(keys=KEYS, known=KEYS)
def test_keys_are_found_as_numpy_finds_them(keys, known):
    asked = np.array(keys, dtype=np.uint64)
    for rising in (np.sort(np.array(known, dtype=np.uint64)), np.unique(np.uint64(known))):
        assert np.array_equal(are_among(asked, rising), np.isin(asked, rising))

"""Arithmetic on rows of any length, such as legal actions: one array, and offsets into it."""

import numpy as np
import numpy.typing as npt


def offsets_of(lengths: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """``int64[B + 1]``: where each row begins and the last one ends, of ``int[B]`` lengths."""
    each = np.asarray(lengths)
    offsets = np.zeros(len(each) + 1, dtype=np.int64)
    np.cumsum(each, out=offsets[1:])
    return offsets


def entries_of(
    offsets: npt.NDArray[np.integer], rows: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where the entries of some rows stand in the whole, row after row.

    Args:
        offsets: ``int[B + 1]``: row ``i`` has the entries ``offsets[i]`` to ``offsets[i + 1]``.
        rows: ``int[M]``: the rows wanted, in any order.

    Returns:
        ``int64[M + 1]``, the offsets of the rows wanted, and ``int64[E]``, the indices of their
        entries.
    """
    first = offsets[rows]
    lengths = offsets[rows + 1] - first
    ends = offsets_of(lengths)
    places: npt.NDArray[np.int64] = np.arange(ends[-1]) + np.repeat(first - ends[:-1], lengths)
    return ends, places


def segment_softmax(
    logits: npt.NDArray[np.float32], offsets: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Softmax within each row; rows are never empty.

    Args:
        logits: ``float32[total]``.
        offsets: ``int64[B + 1]``.

    Returns:
        ``float64[total]``, each row sums to 1.
    """
    lengths = np.diff(offsets)
    values = logits.astype(np.float64)
    exponentials = np.exp(values - np.repeat(np.maximum.reduceat(values, offsets[:-1]), lengths))
    sums = np.repeat(np.add.reduceat(exponentials, offsets[:-1]), lengths)
    softmax: npt.NDArray[np.float64] = exponentials / sums
    return softmax

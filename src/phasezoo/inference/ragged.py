"""Arithmetic on legal actions of many rows, which come as one array with offsets."""

import numpy as np
import numpy.typing as npt

__all__ = ["positions", "segment_softmax"]


def positions(offsets: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where the entries of ``rows`` stand in the whole, row after row.

    Args:
        offsets: ``int64[B + 1]``.
        rows: Row indices, in any order.

    Returns:
        ``int64[sum of the rows' lengths]``.
    """
    lengths = offsets[rows + 1] - offsets[rows]
    ends = np.cumsum(lengths)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    places: npt.NDArray[np.int64] = np.repeat(offsets[rows], lengths) + within
    return places


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

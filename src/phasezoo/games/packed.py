"""Packed planes: a bit a cell where planes are binary, one number where they hold one.

The layout is defined at ``docs/definitions/planes.md#packed-planes``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo.checking import type_name
from phasezoo.errors import InvalidArray, InvalidConfig
from phasezoo.games.options import at_least
from phasezoo.types import Planes, PlaneShape

WORD = 64
"""Bits of a word."""


@dataclass(frozen=True)
class PlaneLayout:
    """Contents of each plane of a choice, which decide its place in the packed form.

    Raises:
        InvalidConfig: ``kinds`` has other letters or none, or a size is no whole number from 1.
    """

    kinds: str
    """A letter a plane: ``b`` binary (ones and zeros), ``c`` constant (one number on all cells),
    ``g`` general (any numbers)."""
    height: int
    """Rows of a plane."""
    width: int
    """Columns of a plane."""

    def __post_init__(self) -> None:
        kinds: Any = self.kinds
        if not isinstance(kinds, str) or not kinds or set(kinds) - set("bcg"):
            message = (
                f"kinds={kinds!r}: expected a letter for each plane, b (binary), c (constant) or "
                "g (general)"
            )
            raise InvalidConfig(message)
        at_least("height", self.height, 1)
        at_least("width", self.width, 1)

    @property
    def shape(self) -> PlaneShape:
        """Channels, height and width of the planes."""
        return len(self.kinds), self.height, self.width

    @property
    def cells(self) -> int:
        """Cells of a plane."""
        return self.height * self.width

    @cached_property
    def words_of_plane(self) -> int:
        """Words of a binary plane: its cells' bits, rounded up."""
        return -(-self.cells // WORD)

    @cached_property
    def words(self) -> int:
        """Words of a state."""
        return self.kinds.count("b") * self.words_of_plane

    @cached_property
    def numbers(self) -> int:
        """Numbers of a state."""
        return self.kinds.count("c") + self.kinds.count("g") * self.cells

    @property
    def nbytes(self) -> int:
        """Bytes of a state."""
        return 8 * self.words + 4 * self.numbers

    def planes_of(self, kind: str) -> npt.NDArray[np.int64]:
        """The indices of the planes of a kind, ascending."""
        return np.flatnonzero(np.array([each == kind for each in self.kinds], dtype=np.bool_))

    def empty(self, *rows: int) -> "PackedPlanes":
        """Arrays for the planes of states, not filled."""
        bits = np.empty((*rows, self.words), dtype=np.uint64)
        return PackedPlanes(bits, np.empty((*rows, self.numbers), dtype=np.float32), self)

    def pack(self, planes: Planes) -> "PackedPlanes":
        """Planes ``float32[..., C, H, W]`` packed.

        Raises:
            InvalidArray: They are no numbers, have another shape, or are not of the kinds that this
                says.
        """
        planes = checked_planes(planes)
        if planes.ndim < 3 or planes.shape[-3:] != self.shape:
            message = (
                f"planes of shape {list(planes.shape)}, expected [..., "
                f"{', '.join(map(str, self.shape))}]"
            )
            raise InvalidArray(message)
        rows = planes.shape[:-3]
        flat = planes.reshape(*rows, len(self.kinds), self.cells)
        binary, constant, general = (flat[..., self.planes_of(kind), :] for kind in "bcg")
        filled = np.zeros((*binary.shape[:-1], self.words_of_plane * WORD), dtype=np.uint8)
        filled[..., : self.cells] = binary != 0
        octets = np.packbits(filled, axis=-1, bitorder="little")
        bits = octets.reshape(*rows, 8 * self.words).view("<u8").astype(np.uint64, copy=False)
        every = [constant[..., 0], general.reshape(*rows, general.shape[-2] * self.cells)]
        numbers = np.concatenate(every, axis=-1, dtype=np.float32)
        if ((binary != 0) & (binary != 1)).any() or (constant != constant[..., :1]).any():
            message = (
                f"planes that are not of the kinds {self.kinds!r}: binary ones (b) hold zeros and "
                "ones, constant ones (c) one number on all cells"
            )
            raise InvalidArray(message)
        return PackedPlanes(bits, numbers, self)


@dataclass(frozen=True, eq=False, repr=False)
class PackedPlanes:
    """Planes of one state or of many in their packed form; the leading axes are the states.

    Indices out of range are an ``IndexError``, as everywhere in NumPy.

    Raises:
        InvalidArray: The arrays do not fit the layout, or are none.
    """

    bits: npt.NDArray[np.uint64]
    """``uint64[..., words]``: the binary planes."""
    numbers: npt.NDArray[np.float32]
    """``float32[..., numbers]``: the constants, then the cells of the general planes."""
    layout: PlaneLayout
    """Where each plane is."""

    def __post_init__(self) -> None:
        layout: Any = self.layout
        if not isinstance(layout, PlaneLayout):
            message = f"layout={layout!r}: expected a PlaneLayout, such as game.plane_layout(spec)"
            raise InvalidArray(message)
        for name in ("bits", "numbers"):
            if not isinstance(getattr(self, name), np.ndarray):
                kind = type(getattr(self, name)).__name__
                message = f"{name} is a {kind}, expected an array as games.encode makes"
                raise InvalidArray(message)
        rows = self.bits.shape[:-1]
        sizes = (self.bits.shape[-1:], self.numbers.shape)
        types = (str(self.bits.dtype), str(self.numbers.dtype))
        fits = sizes == ((layout.words,), (*rows, layout.numbers))
        if fits and types == ("uint64", "float32"):
            return
        message = (
            f"bits {self.bits.dtype}{list(self.bits.shape)} and numbers "
            f"{self.numbers.dtype}{list(self.numbers.shape)}, expected uint64[..., {layout.words}] "
            f"and float32[..., {layout.numbers}] with the same axes before"
        )
        raise InvalidArray(message)

    def __repr__(self) -> str:
        return f"<PackedPlanes of {list(self.shape)}, {self.nbytes:,} bytes>"

    def __len__(self) -> int:
        """The number of states, or of what the first axis counts."""
        return self.shape[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the planes unpacked."""
        return (*self.bits.shape[:-1], *self.layout.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.bits.nbytes + self.numbers.nbytes

    @property
    def octets(self) -> npt.NDArray[np.uint8]:
        """``uint8[..., 8 * words]``: the bits as bytes, the lowest first on every machine."""
        ordered = np.ascontiguousarray(self.bits, dtype="<u8")
        return ordered.view(np.uint8)

    @property
    def arrays(self) -> list[npt.NDArray[Any]]:
        """Return the inputs of a network: those of octets and numbers that have columns."""
        both: list[npt.NDArray[Any]] = [self.octets, np.ascontiguousarray(self.numbers)]
        return [array for array in both if array.shape[-1]]

    def __getitem__(self, rows: Any) -> "PackedPlanes":
        """Some of the states, by whatever indexes the leading axes of an array."""
        return PackedPlanes(self.bits[rows], self.numbers[rows], self.layout)

    def take(self, rows: Sequence[int] | npt.NDArray[np.int64], axis: int = 0) -> "PackedPlanes":
        """Some of the states, by their indices along an axis, as :func:`numpy.take`."""
        bits, numbers = np.take(self.bits, rows, axis), np.take(self.numbers, rows, axis)
        return PackedPlanes(bits, numbers, self.layout)

    def unpack(self) -> Planes:
        """The planes, ``float32[..., C, H, W]``, equal bit for bit to those made as floats."""
        rows, layout = self.bits.shape[:-1], self.layout
        binary, constant, general = map(layout.planes_of, "bcg")
        flat = np.empty((*rows, len(layout.kinds), layout.cells), dtype=np.float32)
        cells = np.unpackbits(self.octets, axis=-1, bitorder="little")
        cells = cells.reshape(*rows, len(binary), layout.words_of_plane * WORD)
        flat[..., binary, :] = cells[..., : layout.cells]
        flat[..., constant, :] = self.numbers[..., : len(constant), None]
        rest = self.numbers[..., len(constant) :]
        flat[..., general, :] = rest.reshape(*rows, len(general), layout.cells)
        return flat.reshape(*rows, *layout.shape)

    @classmethod
    def joined(cls, parts: "Sequence[PackedPlanes]") -> Self:
        """The states of several of the same layout, one after the other.

        Raises:
            InvalidArray: They are no packed planes of many states, or have different layouts.
        """
        for part in parts:
            if not isinstance(part, PackedPlanes) or part.bits.ndim != 2:
                message = f"cannot join {part!r}: expected packed planes of many states each"
                raise InvalidArray(message)
        layouts = {part.layout for part in parts}
        if len(layouts) != 1:
            message = f"packed planes of {len(layouts)} layouts cannot be joined: give one kind"
            raise InvalidArray(message)
        return cls(
            np.concatenate([part.bits for part in parts]),
            np.concatenate([part.numbers for part in parts]),
            parts[0].layout,
        )


def checked_planes(given: Any) -> npt.NDArray[Any]:
    """Planes as an array of numbers."""
    try:
        planes = np.asarray(given)
    except (
        TypeError,
        ValueError,
        RuntimeError,
    ):  # lists of unequal lengths, tensors of another device
        planes = np.empty(0, dtype=object)
    if planes.dtype.kind not in "fiub":
        message = (
            f"planes are {type_name(given)} that is no array of numbers, expected "
            "float32[..., C, H, W]"
        )
        raise InvalidArray(message)
    return planes


def packed_planes(
    bits: npt.NDArray[np.uint64],
    numbers: npt.NDArray[np.float32],
    kinds: str,
    height: int,
    width: int,
) -> PackedPlanes:
    """Return planes that the native core made."""
    return PackedPlanes(bits, numbers, _layout(kinds, height, width))


def general_planes(planes: Planes) -> PackedPlanes:
    """Planes ``float32[..., C, H, W]`` of which nothing is known, such as a user's own game's."""
    planes = checked_planes(planes)
    if planes.ndim < 3:
        message = f"planes of shape {list(planes.shape)}, expected [..., C, H, W]"
        raise InvalidArray(message)
    channels, height, width = planes.shape[-3:]
    return _layout("g" * channels, height, width).pack(planes)


_layout = lru_cache(maxsize=256)(PlaneLayout)

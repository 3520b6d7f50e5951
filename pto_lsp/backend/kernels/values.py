"""What names and expressions of a kernel stand for while its code is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from pto_lsp.backend.kernels.tiles import Extent, Tile


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar: C++ that may stand as an operand, and its value where that is a constant.

    ``multiple`` divides it whatever it is; 0 for zero.
    """

    text: str
    dtype: str
    constant: int | float | None = None
    multiple: int = 1


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension of a window of global memory. ``stride`` in elements; 1 only where it certainly is 1."""

    extent: Extent
    stride: Extent


@dataclass(frozen=True, slots=True)
class View:
    """A window of a parameter's memory. ``pointer`` is C++ for the address of its first element."""

    param: str
    pointer: str
    axes: tuple[Axis, ...]
    dtype: str


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """A tensor value: elements on chip (``tile``), a place in global memory (``view``), or both.

    With both, ``tile`` holds what ``view`` held when it was loaded; writes go to ``view``. ``shared``: other values
    live in the same tile, which must not be changed then. ``undefined``: nothing was written to it yet. ``dtype`` is
    the type the program sees; an accumulator's elements are wider and become it when they are stored.

    Of a product, what its store is to do (``epilogue``): ``clipped``, negative numbers become 0; ``added``, add it to
    this place, as it was when ``stores`` stores had been written.
    """

    shape: tuple[Extent, ...]
    dtype: str
    tile: Tile | None = None
    view: View | None = None
    shared: bool = False
    undefined: bool = False
    clipped: bool = False
    added: View | None = None
    stores: int = 0


KernelText = Union[Number, Tensor, str, None, "tuple[KernelText, ...]"]
"""A str is the name of a data type or of an enumerator."""

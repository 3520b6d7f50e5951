"""What the cube core does to a product on its way to memory, instead of a vector core afterwards.

The path from the accumulator to global memory clips negative numbers, rounds to a shorter type and adds to what the
memory holds. A kernel whose vector work is no more than that needs no exchange between cores.
"""

from __future__ import annotations

from dataclasses import replace

from pto_lsp.backend.kernels.code import Pipe
from pto_lsp.backend.kernels.frame import Frame
from pto_lsp.backend.kernels.tiles import Space
from pto_lsp.backend.kernels.values import Number, Tensor, View
from pto_lsp.backend.orchestration.errors import NotEmitted

_SHORTER = frozenset({"FP32", "FP16", "BF16"})


def is_product(value: object) -> bool:
    return isinstance(value, Tensor) and value.tile is not None and value.tile.buffer.space is Space.ACC


def clipped(value: Tensor) -> Tensor:
    """``relu`` of a product."""
    if value.added is not None:
        raise NotEmitted("a clipped sum of a product")
    return replace(value, clipped=True, shared=True)


def rounded(value: Tensor, dtype: str) -> Tensor:
    """A product in another floating-point type."""
    if value.dtype not in _SHORTER or dtype not in _SHORTER or value.added is not None:
        raise NotEmitted(f"a conversion of a product from {value.dtype} to {dtype}")
    return replace(value, dtype=dtype, shared=True)


def added(frame: Frame, left: Tensor | Number, right: Tensor | Number) -> Tensor | None:
    """The sum of a product and of what memory holds; None when the operands are not those."""
    for product, place in ((left, right), (right, left)):
        if is_product(product) and isinstance(product, Tensor) and isinstance(place, Tensor):
            if place.view is None or place.dtype != product.dtype or place.shape != product.shape or product.added:
                return None
            return replace(product, added=place.view, stores=frame.stores, shared=True)
    return None


def store_product(frame: Frame, window: str, view: View, value: Tensor, atomic: bool) -> None:
    """``TSTORE`` of an accumulator with what was put off until now."""
    assert value.tile is not None
    if value.added is not None:
        if value.added != view or value.stores != frame.stores or atomic:
            raise NotEmitted("the sum of a product and something else than what it replaces")
        atomic = True
    tile = value.tile
    arguments = [f"decltype({tile.name})", f"decltype({window})"]
    if atomic or value.clipped:
        arguments.append("AtomicType::AtomicAdd" if atomic else "AtomicType::AtomicNone")
    if value.clipped:
        arguments.append("ReluPreMode::NormalRelu")
    given = f"<{', '.join(arguments)}>" if len(arguments) > 2 else ""
    frame.emit(Pipe.DRAIN, f"TSTORE{given}({window}, {tile.name});", tile)

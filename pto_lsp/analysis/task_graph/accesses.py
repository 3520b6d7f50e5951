"""What a kernel body touches of its tensor parameters: the true accesses, as boxes over its scalar parameters, block
index and device loops (diagnostics.md "Kernel body regions").

The runtime knows nothing of this; it orders tasks by their whole arguments. The difference between the two is what
the rules report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.regions import View, covers, sub_view, whole
from pto_lsp.analysis.task_graph.scalars import Scalar, Symbol, substitute


@node
class KernelAccess:
    """One access of parameter ``param``. ``view`` is in the coordinates of the parameter, ``None`` shape: some part.

    ``certain``: it happens in every execution. ``atomic``: a write that adds. ``minimum`` is True when the extents of
    the view are only what is touched at least, its true extents not being known. ``unchanged``: a write of what was
    read at the same place.
    """

    param: int
    write: bool
    view: View
    certain: bool
    atomic: bool
    minimum: bool
    at: Place
    unchanged: bool = False


@node
class Summary:
    """Accesses of a kernel in program order. ``vague`` are parameters something not understood was done with; any
    access of them is possible. ``scalars`` are the symbols of the scalar parameters, ``extents`` those of declared
    dynamic dimensions: (symbol, parameter, dimension). ``trips`` gives the number of values (0, 1, …) a device-loop
    symbol takes; the block index is ``block``, one of ``blocks``. ``plain``: every operator of the body is known to
    have no effect but its result and the accesses listed. ``internal`` are all symbols of the body, which mean
    nothing outside of it; ``definitions`` say how some of them are computed, ``given`` are those a launch gives
    values to.
    """

    accesses: tuple[KernelAccess, ...]
    vague: frozenset[int]
    scalars: dict[int, Symbol]
    extents: tuple[tuple[Symbol, int, int], ...]
    trips: dict[Symbol, Scalar]
    block: Symbol
    blocks: Symbol
    plain: bool
    internal: frozenset[Symbol]
    definitions: dict[Symbol, tuple[str, Scalar, Scalar]]
    given: frozenset[Symbol]

    def reads(self, param: int) -> bool:
        """Whether the body reads, or may read, what ``param`` held before."""
        return param in self.vague or any(a.param == param and (not a.write or a.atomic) for a in self.accesses)

    def writes(self, param: int) -> bool:
        """Whether the body writes, or may write, ``param``."""
        return param in self.vague or any(a.param == param and a.write for a in self.accesses)

    def bound_extents(self, views: Callable[[int], tuple[View, ...]]) -> Iterator[tuple[Symbol, Scalar]]:
        """The symbols of ``extents`` whose values follow from the ``views`` that are handed on for each parameter."""
        for symbol, param, dimension in self.extents:
            given = views(param)
            shape = given[0].shape if len(given) == 1 else None
            # A tensor may have fewer dimensions than the parameter.
            if shape is not None and dimension < len(shape):
                yield symbol, shape[dimension]


def opaque_summary(function: Function) -> Summary:
    """A body that is not there, or calls itself."""
    tensors = frozenset(i for i, p in enumerate(function.params) if not isinstance(p.type, ScalarType))
    return Summary(
        (), tensors, {}, (), {}, Symbol("block", 0, 0), Symbol("blocks", 1, 1), False, frozenset(), {}, frozenset()
    )


def compose(outer: View, inner: View, bindings: dict[Symbol, Scalar]) -> View:
    """``inner``, a part of a parameter, as a part of the argument ``outer``."""
    if inner.shape is None or outer.shape is None or inner.strides != whole(inner.buffer).strides:
        full = inner.shape is not None and inner.buffer.shape is not None and covers(inner, whole(inner.buffer))
        return outer if full else View(outer.buffer, (), None, (), outer.label)
    offsets = tuple([substitute(o, bindings) for o in inner.offsets]) if bindings else inner.offsets
    shape = tuple([substitute(e, bindings) for e in inner.shape]) if bindings else inner.shape
    return sub_view(outer, offsets, shape, outer.label)

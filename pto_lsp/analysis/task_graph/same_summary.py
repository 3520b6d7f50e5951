"""Whether two summaries say the same, whatever run their symbols belong to."""

from __future__ import annotations

from itertools import pairwise

from pto_lsp.analysis.ir.alike import alike
from pto_lsp.analysis.task_graph.accesses import KernelAccess, Summary
from pto_lsp.analysis.task_graph.regions import Buffer, View
from pto_lsp.analysis.task_graph.scalars import Poly, Scalar, Symbol


def same_summary(left: Summary, right: Summary) -> bool:
    """Equal in everything a launch or a finding can see of them, places included. False where that is not certain."""
    return left is right or _Matching().summaries(left, right)


class _Matching:
    """Pairs the symbols of two runs as they come up at the same position."""

    def __init__(self) -> None:
        self._pairs: dict[Symbol, Symbol] = {}
        self._taken: set[Symbol] = set()

    def summaries(self, a: Summary, b: Summary) -> bool:
        return (
            a.vague == b.vague
            and a.plain == b.plain
            and len(a.accesses) == len(b.accesses)
            and a.scalars.keys() == b.scalars.keys()
            and len(a.extents) == len(b.extents)
            and len(a.trips) == len(b.trips)
            and len(a.definitions) == len(b.definitions)
            and self._symbol(a.block, b.block)
            and self._symbol(a.blocks, b.blocks)
            and all(self._symbol(symbol, b.scalars[index]) for index, symbol in a.scalars.items())
            and all(self._symbol(x[0], y[0]) and x[1:] == y[1:] for x, y in zip(a.extents, b.extents))
            and all(self._defined(x, y) for x, y in zip(a.definitions.items(), b.definitions.items()))
            and all(
                self._symbol(s, t) and self._scalar(n, m) for (s, n), (t, m) in zip(a.trips.items(), b.trips.items())
            )
            and all(map(self._access, a.accesses, b.accesses))
            and self._corresponds(a.internal, b.internal)
            and self._corresponds(a.given, b.given)
            and self._in_one_order()
        )

    def _defined(
        self, a: tuple[Symbol, tuple[str, Scalar, Scalar]], b: tuple[Symbol, tuple[str, Scalar, Scalar]]
    ) -> bool:
        (op, left, right), (other, first, second) = a[1], b[1]
        same = op == other and self._scalar(left, first) and self._scalar(right, second)
        return same and self._symbol(a[0], b[0])

    def _access(self, a: KernelAccess, b: KernelAccess) -> bool:
        flags = (a.param, a.write, a.certain, a.atomic, a.minimum, a.unchanged)
        return (
            flags == (b.param, b.write, b.certain, b.atomic, b.minimum, b.unchanged)
            and self._view(a.view, b.view)
            and alike(a.at, b.at)
        )

    def _view(self, a: View, b: View) -> bool:
        return (
            (a.label, a.manual_dep) == (b.label, b.manual_dep)
            and self._scalars(a.offsets, b.offsets)
            and self._scalars(a.shape, b.shape)
            and self._scalars(a.strides, b.strides)
            and self._buffer(a.buffer, b.buffer)
        )

    def _buffer(self, a: Buffer, b: Buffer) -> bool:
        return (
            (a.index, a.label, a.dtype, a.owner, a.direction, a.manual_dep)
            == (b.index, b.label, b.dtype, b.owner, b.direction, b.manual_dep)
            and self._scalars(a.shape, b.shape)
            and alike(a.at, b.at)
        )

    def _scalars(self, a: tuple[Scalar, ...] | None, b: tuple[Scalar, ...] | None) -> bool:
        if a is None or b is None:
            return a is b
        return len(a) == len(b) and all(map(self._scalar, a, b))

    def _scalar(self, a: Scalar, b: Scalar) -> bool:
        if not isinstance(a, Poly) or not isinstance(b, Poly):
            return type(a) is type(b) and a == b
        if len(a.terms) != len(b.terms):
            return False
        for (monomial, factor), (other, second) in zip(a.terms.items(), b.terms.items()):
            if factor != second or len(monomial) != len(other) or not all(map(self._symbol, monomial, other)):
                return False
        return True

    def _symbol(self, a: Symbol, b: Symbol) -> bool:
        known = self._pairs.get(a)
        if known is not None:
            return known is b
        if b in self._taken or (a.name, a.low, a.high) != (b.name, b.low, b.high):
            return False
        self._pairs[a] = b
        self._taken.add(b)
        return True

    def _corresponds(self, a: frozenset[Symbol], b: frozenset[Symbol]) -> bool:
        """Symbols that turned up nowhere else mean nothing to anybody."""
        return all((symbol in a) == (other in b) for symbol, other in self._pairs.items())

    def _in_one_order(self) -> bool:
        """Products and texts name symbols in the order in which they were made."""
        ordered = sorted(self._pairs)
        return all(self._pairs[x] < self._pairs[y] for x, y in pairwise(ordered))

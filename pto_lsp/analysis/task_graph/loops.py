"""What the two walked iterations of a symbolic loop start from and leave behind (semantics.md §8.12, §14)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Var
from pto_lsp.analysis.ir.statements import Carry
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.task_graph.model import ANY_TASK, IdArray, Ids, Store, TupleValue, Value
from pto_lsp.analysis.task_graph.scalars import Poly, Scalar, Symbol, Symbols, bounds, of_symbol, subtract


def loop_symbol(symbols: Symbols, label: str, start: Scalar | None, stop: Scalar | None, step: Scalar | None) -> Symbol:
    """The loop variable in iteration *i*; iteration *i+1* exists too, so *i* stays one step further below the end."""
    low = high = None
    if start is not None and isinstance(step, int) and step > 0:
        low = bounds(start)[0]
        if stop is not None:
            high = bounds(subtract(stop, 1 + step))[1]
    return symbols.fresh(label, low, high)


def generic(symbols: Symbols, carry: Carry, seed: Value, parallel: bool) -> Value:
    """A loop-carried value at the start of an iteration that is not the first."""
    if isinstance(carry.update, Var) and carry.update.name == carry.inner.name:
        return seed
    if isinstance(seed, Ids):
        return seed if parallel else Ids(seed.tasks, True, True)
    if isinstance(seed, IdArray):
        return IdArray(seed.label, seed.extent, seed.at, (*seed.stores, Store(None, ANY_TASK, True)))
    type_ = carry.inner.type
    if seed is None or isinstance(seed, (int, float, Poly)):
        if isinstance(type_, ScalarType):
            return ANY_TASK if type_.is_task_id else of_symbol(symbols.fresh(carry.inner.label))
        return None
    return seed


def all_of(values: list[Value]) -> Value:
    """Every one of several ids, as a carry through ``pl.parallel`` keeps them (§8.12)."""
    found: list[Value] = []
    for value in values:
        if not isinstance(value, Ids):
            return ANY_TASK
        found.append(value)
    return TupleValue(tuple(found))

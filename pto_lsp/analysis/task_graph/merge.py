"""Joining the values that different paths of control give one name."""

from __future__ import annotations

from pto_lsp.analysis.task_graph.model import ANY_TASK, IdArray, Ids, Store, TupleValue, Value
from pto_lsp.analysis.task_graph.regions import View


def merge(first: Value, second: Value) -> Value:
    """The value that is either of two; None where that is not expressible."""
    if first is second or (
        type(first) is type(second) and not isinstance(first, (tuple, Ids, IdArray)) and first == second
    ):
        return first
    if isinstance(first, tuple) and isinstance(second, tuple):
        return merge_views(first, second)
    if isinstance(first, Ids) and isinstance(second, Ids):
        tasks = tuple(dict.fromkeys(first.tasks + second.tasks))
        return Ids(tasks, first.invalid or second.invalid, first.open or second.open)
    if isinstance(first, IdArray) and isinstance(second, IdArray):
        return _merge_arrays(first, second)
    if isinstance(first, TupleValue) and isinstance(second, TupleValue) and len(first.items) == len(second.items):
        return TupleValue(tuple([merge(a, b) for a, b in zip(first.items, second.items)]))
    if isinstance(first, (Ids, TupleValue)) and isinstance(second, (Ids, TupleValue)):
        return ANY_TASK
    return None


def merge_last(seed: Value, last: Value) -> Value:
    """The value after a loop that may not have run: the storage of either, the ids of the last trip."""
    if isinstance(seed, tuple) and isinstance(last, tuple):
        return merge_views(last, seed)
    if isinstance(last, (int, float)) and seed != last:
        return None
    return last


def same_view(a: View, b: View) -> bool:
    return a.buffer is b.buffer and a.offsets == b.offsets and a.shape == b.shape and a.strides == b.strides


def merge_views(first: tuple[View, ...], second: tuple[View, ...]) -> tuple[View, ...]:
    extra = [b for b in second if not any(same_view(a, b) for a in first)]
    return (*first, *extra)


def _merge_arrays(first: IdArray, second: IdArray) -> IdArray:
    common = 0
    for a, b in zip(first.stores, second.stores):
        if a is not b:
            break
        common += 1
    rest = [*first.stores[common:], *second.stores[common:]]
    weak = [Store(store.index, store.value, True) for store in rest]
    return IdArray(first.label, first.extent, first.at, (*first.stores[:common], *weak))

"""Which of the names bound in a region are used outside of it.

Counting the uses in a whole function is the same work after each edit, for nearly the same result: the next version is
counted from the one before, by the statements in which they differ.
"""

from __future__ import annotations

from collections import Counter

from pto_lsp.analysis.ir.statements import Block, Region
from pto_lsp.analysis.passes.statement_results import StatementResults


class OutsideUses:
    """Of one version of a function. ``counts``: how often each name is used in its body."""

    __slots__ = ("_before", "_block", "_changed", "_results", "_wanted", "counts")

    def __init__(self, block: Block, results: StatementResults, before: OutsideUses | None = None) -> None:
        """``before`` is the last version, which must not be asked any more."""
        self._block = block
        self._results = results
        self._wanted: dict[int, tuple[Region, tuple[str, ...]]] = {}
        self._before: dict[int, tuple[Region, tuple[str, ...]]] = {}
        self._changed: set[str] = set()
        if before is None:
            self.counts = results.use_counts(block)
        else:
            self.counts = self._recounted(before)
            self._before, before._wanted = before._wanted, {}

    def _recounted(self, before: OutsideUses) -> dict[str, int]:
        counts, changed = before.counts, Counter[str]()
        # The same statement can stand in a block several times.
        left = Counter(map(id, before._block))
        for stmt in self._block:
            if left[id(stmt)] > 0:
                left[id(stmt)] -= 1
            else:
                changed.update(self._results.uses(stmt))
        for stmt in before._block:
            if left[id(stmt)] > 0:
                left[id(stmt)] -= 1
                changed.subtract(self._results.uses(stmt))
        for name, difference in changed.items():
            if not difference:
                continue
            self._changed.add(name)
            count = counts.get(name, 0) + difference
            if count:
                counts[name] = count
            else:
                del counts[name]
        return counts

    def wanted(self, region: Region) -> tuple[str, ...]:
        """The names bound in ``region``, which is somewhere in the function, that are used outside of it."""
        bound = self._results.facts(region).bound
        known = self._before.get(id(region))
        if known is None or known[0] is not region or not bound.keys().isdisjoint(self._changed):
            counts, inside = self.counts, self._results.uses(region)
            names = tuple([name for name in bound if counts.get(name, 0) > inside.get(name, 0)])
            # The entry keeps the region alive, so that no key is used again.
            known = (region, names)
        self._wanted[id(region)] = known
        return known[1]

"""Summaries of the kernels of one program."""

from __future__ import annotations

from weakref import ref

from pto_lsp.analysis.ir.node_table import NodeTable
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.accesses import Summary, opaque_summary
from pto_lsp.analysis.task_graph.kernel_body import KernelBody
from pto_lsp.analysis.task_graph.results import ResultTable
from pto_lsp.analysis.task_graph.sweeping import Region, regions_of

READS = 1
WRITES = 2
SURELY_READS = 4
SURELY_WRITES = 8
SURELY = SURELY_READS | SURELY_WRITES


@node
class _Entry:
    """What was found out about a function, and the functions it rests on, by key; None for one that was not there."""

    callees: dict[str, ref[Function] | None]
    summary: Summary
    regions: dict[int, list[Region]]
    effects: dict[int, int]


class SummaryCache:
    """Keeps summaries from one analysis to the next, as long as their functions live: the passes leave functions that
    did not change the same objects. ``results`` is the same for `ResultSources`.

    Not safe for use from several threads at once.
    """

    def __init__(self) -> None:
        self._entries: NodeTable[_Entry] = NodeTable()
        self.results: ResultTable = NodeTable()

    def get(self, function: Function, functions: dict[str, Function]) -> _Entry | None:
        entry = self._entries.get(function)
        if entry is None:
            return None
        for key, callee in entry.callees.items():
            now = functions.get(key)
            if (callee is not None) if now is None else (callee is None or callee() is not now):
                return None
        return entry

    def put(self, function: Function, entry: _Entry) -> None:
        self._entries.put(function, entry)


class Summaries:
    """Made on demand, kept per function object."""

    def __init__(self, program: Program, cache: SummaryCache) -> None:
        self._functions = program.functions
        self._cache = cache
        # Each entry keeps its function alive, so that no key is used again.
        self._known: dict[int, tuple[Function, _Entry]] = {}
        self._asked: list[dict[str, ref[Function] | None]] = []

    def of(self, function: Function) -> Summary:
        return self._entry(function).summary

    def regions(self, function: Function) -> dict[int, list[Region]]:
        """The regions of ``function`` by parameter."""
        return self._entry(function).regions

    def effects(self, function: Function) -> dict[int, int]:
        """By parameter, the bits of all its regions together; a sure one may still turn out not to be at a launch.

        Parameters that are vague, or that nothing is done with, are not in it.
        """
        return self._entry(function).effects

    def _entry(self, function: Function) -> _Entry:
        # A walk may be older than the program; what it launches is what has that key today.
        function = self._functions.get(function.key, function)
        known = self._known.get(id(function))
        if known is not None:
            return known[1]
        kept = self._cache.get(function, self._functions)
        if kept is None:
            kept = self._made(function)
            self._cache.put(function, kept)
        self._known[id(function)] = function, kept
        return kept

    def _made(self, function: Function) -> _Entry:
        opaque = opaque_summary(function)
        if function.body is None:
            return _Entry({}, opaque, {}, {})
        # A kernel that calls itself sees itself as opaque.
        self._known[id(function)] = function, _Entry({}, opaque, {}, {})
        callees: dict[str, ref[Function] | None] = {}
        self._asked.append(callees)
        summary = KernelBody(self._named, self._functions, function).run()
        self._asked.pop()
        regions: dict[int, list[Region]] = {}
        effects: dict[int, int] = {}
        for region in regions_of(summary):
            param = region.param
            regions.setdefault(param, []).append(region)
            if param not in summary.vague:
                effects[param] = effects.get(param, 0) | _effect(region)
        return _Entry(callees, summary, regions, effects)

    def _named(self, key: str) -> Summary | None:
        function = self._functions.get(key)
        for callees in self._asked:
            callees[key] = None if function is None else ref(function)
        if function is None:
            return None
        entry = self._entry(function)
        for callees in self._asked:
            callees.update(entry.callees)
        return entry.summary


def _effect(region: Region) -> int:
    access = region.access
    bits = WRITES if access.write else READS
    if access.atomic:
        bits |= READS
    return bits if region.least is None else bits | bits << 2

"""Summaries of the kernels of one program."""

from __future__ import annotations

from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.task_graph.accesses import Summary, opaque_summary
from pto_lsp.analysis.task_graph.kernel_body import KernelBody
from pto_lsp.analysis.task_graph.sweeping import Region, regions_of


class Summaries:
    """Made on demand, kept per function object."""

    def __init__(self, program: Program) -> None:
        self._functions = program.functions
        self._known: dict[int, Summary] = {}
        self._regions: dict[int, dict[int, list[Region]]] = {}

    def of(self, function: Function) -> Summary:
        key = id(function)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = opaque_summary(function)
            if function.body is not None:
                found = self._known[key] = KernelBody(self._named, self._functions, function).run()
        return found

    def regions(self, function: Function) -> dict[int, list[Region]]:
        """The regions of ``function`` by parameter."""
        key = id(function)
        found = self._regions.get(key)
        if found is None:
            found = self._regions[key] = {}
            for region in regions_of(self.of(function)):
                found.setdefault(region.param, []).append(region)
        return found

    def _named(self, key: str) -> Summary | None:
        function = self._functions.get(key)
        return None if function is None else self.of(function)

"""The task graphs of one program and what is found in them; computed when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, partial

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.guard import Faults
from pto_lsp.analysis.interruption import Interruption
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.task_graph.checks import analysis_mode, surface
from pto_lsp.analysis.task_graph.checks.run import Guard, findings, kernel_findings
from pto_lsp.analysis.task_graph.findings_memo import FindingsMemo
from pto_lsp.analysis.task_graph.graph import Analyser, TaskGraph
from pto_lsp.analysis.task_graph.summaries import SummaryCache

_LAUNCHING = (FunctionKind.ORCHESTRATION, FunctionKind.GRAPH)


class TaskAnalysis:
    """``source`` is the program as the front end delivers it, ``final`` as it comes out of the passes. ``cache`` and
    ``known`` outlive it. A family of rules that fails is one of ``faults`` and costs its own findings only.
    """

    def __init__(
        self,
        source: Program,
        final: Program,
        cache: SummaryCache | None = None,
        known: FindingsMemo | None = None,
        faults: Faults | None = None,
        interruption: Interruption | None = None,
    ) -> None:
        self._source = source
        self._known = FindingsMemo() if known is None else known
        self._faults = faults or Faults()
        self._interruption = interruption or Interruption()
        self.analyser = Analyser(final, cache)

    @cached_property
    def graphs(self) -> tuple[TaskGraph, ...]:
        """One graph per function that launches tasks, walked as far as the editor needs it."""
        return tuple([self._known.graph(function, self.analyser) for function in self._launching])

    @property
    def _launching(self) -> list[Function]:
        functions = self.analyser.program.functions.values()
        return [f for f in functions if f.kind in _LAUNCHING and f.body is not None]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Everything the task-graph rules say about the program."""
        functions = self._source.functions
        found: list[Finding] = []
        for function in functions.values():
            self._interruption.check()
            source = partial(self._known.source, function, functions, partial(surface.findings, function))
            found += self._guarded(function.name)("surface", source)
        found += self._guarded("kernels")("directions", partial(kernel_findings, self.analyser))
        for function in self._launching:
            self._interruption.check()
            judged = self._known.judged(function, self.analyser, self._judge)
            written = functions.get(function.key)
            opaque = written is not None and written.kind is FunctionKind.OPAQUE
            # The entry's directions are a rule for orchestration functions; in an Opaque one the compiler finds them.
            found += [each for each in judged if not (opaque and each.code == "PTO720")]
        return tuple(found)

    def _judge(self, graph: TaskGraph) -> tuple[tuple[Finding, ...], bool]:
        before = len(self._faults.messages)
        found = findings(graph, guard=self._guarded(graph.function.name))
        return found, len(self._faults.messages) == before

    def _guarded(self, name: str) -> Guard:
        def guard(family: str, check: Callable[[], Iterable[Finding]]) -> Iterable[Finding]:
            return self._faults.guarded(f"judge '{name}' by the rules '{family}'", check, ())

        return guard

    def mode_findings(self, names: frozenset[str]) -> tuple[Finding, ...]:
        """TG124 for the functions called ``names``, see ``analysis_mode.functions_with_option``."""
        return tuple([f for graph in self.graphs if graph.function.name in names for f in analysis_mode.check(graph)])

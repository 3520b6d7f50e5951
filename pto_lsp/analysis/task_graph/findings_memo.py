"""What was found in functions of earlier programs, for as long as nothing it rests on says anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.alike import alike
from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import Assign, Evaluate, Unpack
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.memo import Latest, Memo
from pto_lsp.analysis.task_graph.accesses import Summary
from pto_lsp.analysis.task_graph.graph import Analyser, TaskGraph
from pto_lsp.analysis.task_graph.same_summary import same_summary

Findings = tuple[Finding, ...]

_KEPT_GRAPHS = 16
"""Graphs hold a whole walk: those of the functions being worked on are enough."""


@node
class _Callee:
    """A function as those who launch it see it: its head, what it does to its parameters, what its results are."""

    function: Function
    summary: Summary
    results: tuple[int | None, ...]


@node
class _Judged:
    """The findings of a function. ``callees`` are the functions it calls, by key; None for one that is not there."""

    callees: dict[str, _Callee | None]
    findings: Findings


@node
class _Walked:
    """A graph, and the functions that the walk has seen, by key."""

    callees: dict[str, _Callee | None]
    graph: TaskGraph


@node
class _Read:
    """The source findings of a function, and what it asked about others."""

    asked: dict[str, object]
    findings: Findings


class FindingsMemo:
    """Not safe for use from several threads at once."""

    def __init__(self) -> None:
        self._judged: Memo[_Judged] = Memo()
        self._walked: Memo[_Walked] = Memo(_KEPT_GRAPHS)
        self._sources: Memo[_Read] = Memo()
        self._latest: Latest[TaskGraph] = Latest(_KEPT_GRAPHS)

    def next_edit(self) -> None:
        """As `Memo.next_edit`."""
        for memo in (self._judged, self._walked, self._sources):
            memo.next_edit()

    def forget(self, gone: AbstractSet[SourceId]) -> None:
        """As `Memo.forget`."""
        for memo in (self._judged, self._walked, self._sources):
            memo.forget(gone)
        self._latest.forget(gone)

    def source(
        self, function: Function, functions: dict[str, Function], find: Callable[[Mapping[str, Function]], Findings]
    ) -> Findings:
        """What ``find`` sees in the text of ``function``; of the others it may only ask for their heads."""
        known = self._sources.get(function)
        if known is not None and all(_head(functions.get(key)) == head for key, head in known.asked.items()):
            return known.findings
        asking = _Asking(functions)
        made = _Read(asking.asked, find(asking))
        self._sources.put(function, made)
        return made.findings

    def judged(
        self, function: Function, analyser: Analyser, judge: Callable[[TaskGraph], tuple[Findings, bool]]
    ) -> Findings:
        """What ``judge`` finds in the task graph of ``function``, which ``analyser`` makes; it says also whether that
        is all, and worth remembering.
        """
        known = self._judged.get(function)
        if known is not None and _holds(known.callees, analyser, _same):
            walked = self._walked.get(function)
            if walked is not None:
                # An edit was taken back: the next version will be an edit of this one.
                self._latest.keep(function, walked.graph)
            return known.findings
        walked = self._walk(function, analyser)
        found, complete = judge(walked.graph)
        if complete:
            self._judged.put(function, _Judged(dict(walked.callees), found))
        return found

    def graph(self, function: Function, analyser: Analyser) -> TaskGraph:
        """The task graph of ``function`` as `Analyser.graph` makes it. While its kernels have the same heads it is
        walked once, whatever they do inside.
        """
        return self._walk(function, analyser).graph

    def _walk(self, function: Function, analyser: Analyser) -> _Walked:
        known = self._walked.get(function)
        if known is not None and _holds(known.callees, analyser, _seen_alike):
            graph, callees = known.graph.judged_anew(analyser), known.callees
        else:
            graph = analyser.graph(function, before=self._latest.get(function))
            callees = _callees(analyser, function)
        walked = _Walked(callees, graph)
        self._walked.put(function, walked)
        self._latest.keep(function, graph)
        return walked


class _Asking(Mapping[str, Function]):
    """The functions of a program; remembers which heads were asked for."""

    def __init__(self, functions: dict[str, Function]) -> None:
        self._functions = functions
        self.asked: dict[str, object] = {}

    def __getitem__(self, key: str) -> Function:
        self.asked[key] = _head(self._functions.get(key))
        return self._functions[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)


def _head(function: Function | None) -> object:
    return None if function is None else (function.name, function.kind, len(function.returns))


def _callees(analyser: Analyser, function: Function) -> dict[str, _Callee | None]:
    """Every launch is alone on the right side of its statement by now."""
    found: dict[str, _Callee | None] = {}
    for stmt in analyser.statements(function):
        if isinstance(stmt, (Assign, Unpack, Evaluate)) and isinstance(stmt.value, (Call, Submit)):
            key = stmt.value.callee
            if key not in found:
                found[key] = _callee(analyser, key)
    return found


def _callee(analyser: Analyser, key: str) -> _Callee | None:
    function = analyser.program.functions.get(key)
    if function is None:
        return None
    return _Callee(function, analyser.summaries.of(function), analyser.results.of(function))


def _holds(
    callees: dict[str, _Callee | None], analyser: Analyser, same: Callable[[_Callee | None, _Callee | None], bool]
) -> bool:
    for key, before in callees.items():
        now = _callee(analyser, key)
        if not same(before, now):
            return False
        # The next comparison is with the functions of today, which are more likely to be the same objects.
        callees[key] = now
    return True


def _same(a: _Callee | None, b: _Callee | None) -> bool:
    if a is None or b is None:
        return a is b
    return _seen_alike(a, b) and same_summary(a.summary, b.summary)


def _seen_alike(a: _Callee | None, b: _Callee | None) -> bool:
    """Whether a walk sees no difference: heads and results are all it asks for."""
    if a is None or b is None:
        return a is b
    return (a.function is b.function or _same_head(a.function, b.function)) and a.results == b.results


def _same_head(a: Function, b: Function) -> bool:
    """Whether two functions differ in nothing but their bodies."""
    flags = (a.key, a.name, a.kind, a.complete, a.generated, a.auto_scope, a.method, a.body is None)
    if flags != (b.key, b.name, b.kind, b.complete, b.generated, b.auto_scope, b.method, b.body is None):
        return False
    at = a.name_span == b.name_span and alike(a.at, b.at)
    return at and alike(a.params, b.params) and alike(a.returns, b.returns)

"""Which program of a file, and which function of it, a user means by ``FILE::ENTRY``, or by ``FILE`` alone."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.frontend.module import Module
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.program import Function, FunctionKind
from pto_lsp.analysis.node import node
from pto_lsp.analysis.pipeline import Analyzer, ProgramAnalysis, Root

_ORCHESTRATIONS = (FunctionKind.ORCHESTRATION, FunctionKind.OPAQUE, FunctionKind.HOST)
"""What a user can start, in the order in which it is looked for: a HOST function only starts the others."""
_NAMEABLE = (*_ORCHESTRATIONS, FunctionKind.GRAPH)


@node
class Entry:
    """A program, and the function of its last stage that was named; None when the program was meant as a whole."""

    root: Root
    analysis: ProgramAnalysis
    named: Function | None

    @property
    def launcher(self) -> Function | None:
        """What launches the named Graph, or any Graph; the program's own entry where several functions do."""
        graph = self.named.key if self.named is not None and self.named.kind is FunctionKind.GRAPH else None
        final = self.analysis.stages.final
        callers = {site.caller.key for site in self.analysis.plan.call_sites if graph in (None, site.graph)}
        if final.entry in callers and final.functions[final.entry].kind in _ORCHESTRATIONS:
            return final.functions[final.entry]
        return next((f for key, f in final.functions.items() if key in callers and f.kind in _ORCHESTRATIONS), None)

    @property
    def recorded(self) -> Function | None:
        """What to run to see Graphs recorded: the named function, else what launches the Graphs, else a Graph itself.

        None when there is no Graph.
        """
        if self.named is not None and self.named.kind is not FunctionKind.GRAPH:
            return self.named
        graphs = (self.analysis.stages.final.functions[key] for key in self.analysis.plan.graphs)
        return self.launcher or self.named or next(graphs, None)

    @property
    def orchestration(self) -> Function | None:
        """The function whose tasks are meant: the named one, else what launches a Graph, else what can be started.

        A Graph only where there is nothing else; None when the program is nothing but kernels.
        """
        if self.named is not None:
            return self.named
        final = self.analysis.stages.final
        functions = [f for f in final.functions.values() if f.body is not None and f.kind in _NAMEABLE]
        if any(function.kind is FunctionKind.GRAPH for function in functions) and self.launcher is not None:
            return self.launcher
        return min(functions, key=lambda f: (_NAMEABLE.index(f.kind), f.key != final.entry), default=None)


def graph_entry(analyzer: Analyzer, module: Module) -> Entry | None:
    """The first program with a Graph, else the first one."""
    first: Entry | None = None
    for entry in _entries(analyzer, module):
        if entry.analysis.plan.graphs:
            return entry
        first = first or entry
    return first


def orchestration_entry(analyzer: Analyzer, module: Module) -> Entry | None:
    """The first program that starts tasks by itself, else the first one with anything that does."""
    graph: Entry | None = None
    for entry in _entries(analyzer, module):
        function = entry.orchestration
        if function is not None and function.kind is not FunctionKind.GRAPH:
            return entry
        if function is not None:
            graph = graph or entry
    return graph


def startable_entries(analyzer: Analyzer, module: Module) -> list[Entry]:
    """Every program that starts tasks by itself and is no part of another one."""
    found: list[Entry] = []
    reached: set[SourceId] = set()
    for entry in _entries(analyzer, module):
        function = entry.orchestration
        if function is not None and function.kind is not FunctionKind.GRAPH and function.at.source not in reached:
            found.append(entry)
            reached.update(each.at.source for each in entry.analysis.program.functions.values())
    return found


def named_entry(analyzer: Analyzer, module: Module, name: str) -> Entry | None:
    """``name`` is that of a class, a function, a method with or without its class, or a Graph.

    A Graph means the first program that launches it; only where nothing does, the Graph by itself.
    """
    for root in analyzer.roots(module):
        if not root.entry:
            short = root.name.rpartition(".")[2]
            if name in (root.name, short):
                return Entry(root, analyzer.program(module, root), None)
            for method in _methods(root):
                if name in (method, f"{root.name}.{method}", f"{short}.{method}"):
                    return _with_function(analyzer, module, root, method)
        elif name in (root.name, root.entry) and not _is_graph(root):
            return _with_function(analyzer, module, root, root.entry)
    for entry in _entries(analyzer, module):
        for function in entry.analysis.stages.final.functions.values():
            if function.kind is FunctionKind.GRAPH and name in (function.name, function.at.source.qualname):
                return Entry(entry.root, entry.analysis, function)
    return None


def entry_with(analyzer: Analyzer, module: Module, source: SourceId) -> Entry | None:
    """The program meant by somebody who looks at the function ``source``: its own, else the first that reaches it."""
    entry = named_entry(analyzer, module, source.qualname)
    if entry is not None:
        return entry
    for entry in _entries(analyzer, module):
        if any(function.at.source is source for function in entry.analysis.program.functions.values()):
            return entry
    return None


def entry_names(analyzer: Analyzer, module: Module) -> list[str]:
    """Everything that `named_entry` finds, each in its longest form."""
    names: dict[str, None] = {}
    for entry in _entries(analyzer, module):
        root = entry.root
        names[root.name] = None
        names.update({f"{root.name}.{method}": None for method in _methods(root)} if not root.entry else {})
        for function in entry.analysis.stages.final.functions.values():
            if function.kind is FunctionKind.GRAPH and not function.method:
                names[function.name] = None
    return list(names)


def _entries(analyzer: Analyzer, module: Module) -> Iterator[Entry]:
    for root in analyzer.roots(module):
        yield Entry(root, analyzer.program(module, root), None)


def _with_function(analyzer: Analyzer, module: Module, root: Root, name: str) -> Entry:
    analysis = analyzer.program(module, root)
    functions = analysis.stages.final.functions.values()
    # The root's own function comes first in its program, whatever a module it imports calls its functions.
    return Entry(root, analysis, next((function for function in functions if function.name == name), None))


def _methods(root: Root) -> list[str]:
    return [p.function.name for p in root.functions if p.function.declaration.kind in _NAMEABLE]


def _is_graph(root: Root) -> bool:
    return root.functions[0].function.declaration.kind is FunctionKind.GRAPH

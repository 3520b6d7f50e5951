"""What a fix is given: the finding, the program it was found in, and the texts around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.constants.values import Value
from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.project import Project
from pto_lsp.quickfix.callers import Callers, callers_in_project
from pto_lsp.quickfix.file_index import FileIndex
from pto_lsp.quickfix.graph_change import GraphChange
from pto_lsp.quickfix.places import FunctionText, function_text
from pto_lsp.quickfix.rewriter import Refused, Rewriter


@dataclass(frozen=True, slots=True)
class Closures:
    """What names mean at module level: of the function a fix is about, and of any caller."""

    graph: Callable[[str], Value]
    caller: Callable[[FunctionText, str], Value]


@dataclass(frozen=True, slots=True)
class Draft:
    """A repair as written, not yet tried out. ``safe``: it keeps the behaviour, and every place concerned was seen.

    ``moves_memory``: tasks work on other buffers than before, the same data all the same. ``comparable`` is False when
    the program could not run before, so that there is nothing to compare its tasks with. ``reveals`` are codes of what
    was there before but did not show in the source; where one comes up for good the repair is not safe. ``graph`` says
    what becomes of the task graph, None where it is not compared. ``title`` stands instead of that of the code.
    """

    rewriter: Rewriter
    safe: bool
    moves_memory: bool = False
    reveals: frozenset[str] = frozenset()
    comparable: bool = True
    graph: GraphChange | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """``program`` is None for a finding of the source alone; ``root`` gives the folder of a file whose files may call
    its functions. ``known_callers`` are those found before in the same state of the project.
    """

    project: Project
    finding: Finding
    program: ProgramAnalysis | None
    root: Callable[[str], str]
    index: FileIndex
    known_callers: dict[SourceId, Callers] = field(default_factory=dict)

    @property
    def ran(self) -> bool:
        """Whether the tool chain took the program as it is, so that there are tasks to compare with."""
        return self.finding.code > "PTO7"

    def data(self, name: str) -> str:
        """What the finding says under ``name``; "" when it says nothing."""
        return str(dict(self.finding.data).get(name, ""))

    @property
    def plan(self) -> GraphPlan:
        """The plan of the Graph that the finding is about. Raises `Refused`."""
        plan = self.program.plan.graphs.get(self.data("graph")) if self.program is not None else None
        if plan is None:
            raise Refused("the Graph is gone")
        return plan

    @property
    def text(self) -> FunctionText:
        """The function that the finding stands in. Raises `Refused`."""
        return self.text_of(self.finding.place.source)

    def text_of(self, source: SourceId) -> FunctionText:
        text = function_text(self.project, source)
        if text is None:
            raise Refused("the function is gone")
        return text

    def callers(self, target: SourceId) -> Callers:
        """All calls of ``target``; not complete when it may be called from outside of the project."""
        found = self.known_callers.get(target)
        if found is None:
            found = callers_in_project(self.project, target, self.root(target.path), self.index)
            self.known_callers[target] = found
        return found

    def closures(self, text: FunctionText) -> Closures:
        return Closures(
            self.project.closure(text.path, text.module, text.placed).lookup,
            lambda other, name: self.project.closure(other.path, other.module, other.placed).lookup(name),
        )
